//! Protobuf's JSON: read straight into wire bytes, and written straight from them.
//!
//! ```text
//! JSON ──serde_json──► events ──by the schema──► wire bytes ──► canonical form ──► JSON
//! ```
//! No tree of values is built on either way. Reading is strict: what is not JSON by RFC 8259, a name given twice, a
//! number out of range or a list where one value belongs is refused, with its place. Both spellings of a name are read.
//! Source: the JSON mapping of the protobuf language guide, and the conformance suite where the guide is silent.

mod mask;
mod number;
mod parse;
mod print;
mod time;

use std::io::Write;

use crate::error::Result;
use crate::message::{Losses, Message, Unknown};
use crate::schema::{MessageType, Schema};

/// How many `Any` may be inside each other, each of which may need a copy of its message.
const NESTED_ANY: usize = 16;

/// What is said of an `Any` that is deeper.
const ANY_TOO_DEEP: &str = "Any within Any more than 16 deep has no form here";

/// How JSON is read.
#[derive(Debug, Clone, Default)]
pub struct ParseOptions {
    /// Names of fields and of enum values that the schema does not know.
    pub unknown: Unknown,
}

/// How JSON is written.
#[derive(Debug, Clone, Default)]
pub struct PrintOptions {
    /// The names of fields.
    pub names: Names,
    /// The values of enums.
    pub enums: Enums,
    /// Whether fields without presence are written with their default too: zeros, empty strings, lists and maps.
    pub defaults: bool,
    /// The layout.
    pub layout: Layout,
    /// Unknown fields, and messages of `Any` of an unknown type.
    pub unknown: Unknown,
}

/// How the names of fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// As JSON has them: `graphDef`.
    #[default]
    LowerCamel,
    /// As they are declared: `graph_def`.
    Original,
}

/// How the values of enums are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Enums {
    /// By name; by number where there is none.
    #[default]
    Names,
    /// By number.
    Numbers,
}

/// Where blanks and line breaks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A line for each value, indented by so many blanks for each level.
    Indented(usize),
    /// No blanks at all.
    Compact,
}

impl Default for Layout {
    fn default() -> Self {
        Self::Indented(2)
    }
}

/// Reads a message of type `ty`.
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
/// When `input` is no JSON, or none of this message. The error names the place and the field.
pub fn parse<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    input: &[u8],
    options: &ParseOptions,
) -> Result<(Message<'s>, Losses)> {
    parse::parse(schema, ty, input, options)
}

/// Writes `message` to `out`, without a line break at the end.
///
/// Fields are in the order of their numbers, maps in that of their keys; floats have the fewest digits that read back.
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
/// When the message has no JSON form: unknown fields (unless they are dropped), a string that is not UTF-8, a time out of
/// range. The error names the field. Or when `out` fails.
pub fn print(message: &Message<'_>, options: &PrintOptions, out: &mut dyn Write) -> Result<Losses> {
    print::print(message, options, out)
}
