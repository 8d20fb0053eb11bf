//! Reports of results, for people ([`human`], and pages for a browser) and for programs ([`json`]); [`write()`] writes one in any format.
//!
//! A report is made from a result in memory and goes to any writer. Nothing in this module opens a file, reads the
//! environment or depends on a terminal. A format is a module with a function that writes a [`Report`], and a row in
//! [`Format::ALL`], which says what [`Subject`]s it has reports of.

mod devices;
mod format;
mod github;
mod html;
#[doc(hidden)]
pub mod human;
#[doc(hidden)]
pub mod json;
mod junit;
mod markdown;
mod palette;
mod picture;
mod problems;
mod request;

#[doc(hidden)]
pub use devices::{Devices, ListedAdapter, Tested};
pub use format::{Format, write};
pub use palette::Palette;
pub use request::{Judged, Report, ReportOptions, ShownTensor, Subject, Verbosity};
