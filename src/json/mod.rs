//! Protobuf's JSON mapping: parsed directly into wire bytes, and printed directly from them.
//!
//! ```text
//! JSON ──serde_json──► events ──by the schema──► wire bytes ──► canonical form ──► JSON
//! ```
//! Neither direction builds a tree of values. Parsing is strict: it refuses syntax outside RFC 8259, a repeated name, a
//! number out of range and a list in place of a single value, and reports the location. It accepts `lowerCamel` and
//! original field names.
//! Source: the JSON mapping of the protobuf language guide, and the conformance suite where the guide is silent.

mod mask;
mod number;
mod parse;
mod print;
pub(crate) mod serde_error;
mod time;

use std::io::Write;

use crate::error::Result;
use crate::message::{Losses, Message, Unknown};
use crate::schema::{MessageType, Schema};

/// The error for an `Any` nested deeper than [`NESTED_ANY`](crate::message::NESTED_ANY).
const ANY_TOO_DEEP: &str = "an Any that is nested more than 16 deep is not supported";

/// Options of [`parse`](fn@parse).
#[derive(Debug, Clone, Default)]
pub struct ParseOptions {
    /// What to do with fields and enum values that the schema does not have.
    pub unknown: Unknown,
}

/// Options of [`print`](fn@print).
#[derive(Debug, Clone, Default)]
pub struct PrintOptions {
    /// The form of field names.
    pub names: FieldNames,
    /// The form of enum values.
    pub enums: Enums,
    /// Whether to print fields without presence that have their default value: zeros, empty strings, lists and maps.
    pub defaults: bool,
    /// Line breaks and indentation.
    pub layout: Layout,
    /// What to do with unknown fields and with an `Any` of unknown type.
    pub unknown: Unknown,
}

/// The form of field names in printed JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldNames {
    /// The JSON name: `graphDef`.
    #[default]
    LowerCamel,
    /// The declared name: `graph_def`.
    Original,
}

/// The form of enum values in printed JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Enums {
    /// The name, or the number of a value without a name.
    #[default]
    Names,
    /// The number.
    Numbers,
}

/// Line breaks and indentation of printed JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One line per value, indented by this many spaces per level.
    Indented(usize),
    /// No whitespace.
    Compact,
}

impl Default for Layout {
    fn default() -> Self {
        Self::Indented(2)
    }
}

/// Parses a message of type `ty`.
///
/// ```
/// use ckdiff::json::{ParseOptions, parse};
/// use ckdiff::schema::Schema;
///
/// let schema = Schema::tensorflow();
/// let ty = schema.message("tensorflow.SaverDef").unwrap();
/// let input = br#"{"maxToKeep": 5, "version": "V2"}"#;
/// let (saver, _) = parse(schema, ty, input, &ParseOptions::default())?;
/// assert_eq!(saver.bytes(), [0x20, 5, 0x38, 2]);
///
/// let wrong = parse(schema, ty, br#"{"maxToKep": 5}"#, &ParseOptions::default()).unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     r#"1:2: maxToKep: unknown field "maxToKep" of tensorflow.SaverDef; did you mean maxToKeep?"#,
/// );
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If `input` is not JSON, or not a message of this type. The error names the location and the field.
pub fn parse<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    input: &[u8],
    options: &ParseOptions,
) -> Result<(Message<'s>, Losses)> {
    parse::parse(schema, ty, input, options)
}

/// Prints `message` to `out`, without a final line break.
///
/// Fields are ordered by number and map entries by key; floats have the fewest digits that round-trip.
///
/// ```
/// use ckdiff::json::{PrintOptions, print};
/// use ckdiff::message::Message;
/// use ckdiff::schema::Schema;
///
/// let schema = Schema::tensorflow();
/// let ty = schema.message("tensorflow.SaverDef").unwrap();
/// let saver = Message::decode(schema, ty, vec![0x20, 5, 0x38, 2])?;
/// let mut out = Vec::new();
/// print(&saver, &PrintOptions::default(), &mut out)?;
/// assert_eq!(out, b"{\n  \"maxToKeep\": 5,\n  \"version\": \"V2\"\n}");
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the message has no JSON form (an unknown field that may not be dropped, a string that is not UTF-8, a time out of
/// range), in which case the error names the field; or if writing to `out` fails.
pub fn print(message: &Message<'_>, options: &PrintOptions, out: &mut dyn Write) -> Result<Losses> {
    print::print(message, options, out)
}
