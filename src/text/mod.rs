//! The protobuf text format.
//!
//! ```text
//! text ──syntax──► events ──encode, by the schema──► wire bytes ──print──► text
//!                    └──layout──► text, its comments kept
//! ```
//! [`parse`] and [`print()`] go between text and messages, [`format()`] lays a text out anew without a schema. [`syntax`] is
//! what a text says, as events, for those who want no message.

mod encode;
mod layout;
mod options;
mod parse;
mod print;
pub mod syntax;

pub use layout::{LayoutOptions, format};
pub use options::{Numbers, ParseOptions};
pub use parse::parse;
pub use print::{PrintOptions, Style, UnknownFields, print};
pub(crate) use print::{Shown, block, brief};
