//! Reports of results, for people ([`human`]) and for programs ([`json`]); [`write()`] writes one in any format.
//!
//! A report is made from a result in memory and goes to any writer. Nothing in this module opens a file, reads the
//! environment or depends on a terminal. A format is a module with a function that writes any [`Report`], and a line in
//! [`Format::ALL`].

mod devices;
mod format;
#[doc(hidden)]
pub mod human;
#[doc(hidden)]
pub mod json;
mod palette;
mod request;

#[doc(hidden)]
pub use devices::{Devices, ListedAdapter, Tested};
pub use format::{Format, write};
pub use palette::Palette;
pub use request::{Judged, Report, ReportOptions, Verbosity};
