//! The protobuf text format.
//!
//! ```text
//! text ──syntax──► events ──encode, by the schema──► wire bytes ──print──► text
//!                    └──layout──► text, its comments kept
//! ```
//! [`parse`] reads a message from text, [`print()`] writes one, and [`format()`] lays out a text without a schema. [`syntax`]
//! gives the events of a text to a reader of its own.

mod encode;
mod layout;
mod options;
mod parse;
mod print;
#[doc(hidden)]
pub mod syntax;

pub use layout::{LayoutOptions, format};
pub use options::{FieldNumbers, ParseOptions, Repeated};
pub use parse::parse;
pub(crate) use print::{BriefValue, block, brief, cut};
pub use print::{PrintOptions, Style, UnknownFields, print};
