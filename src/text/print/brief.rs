//! Prints one value on one line for people. A long value is cut, and only the part before the cut is printed.

use super::buffer::TextBuffer;
use super::printer::{Position, Printer};
use super::{PrintOptions, Style, UnknownFields, unknown};
use crate::error::Result;
use crate::message::Value;
use crate::schema::{Field, MessageType, Schema};

/// The maximum number of characters of a value.
const MAX_CHARS: usize = 2_000;

/// The maximum number of bytes that are printed: enough for these characters and for one more piece of a string.
const MAX_BYTES: usize = 32 << 10;

const TENSORFLOW: PrintOptions = PrintOptions {
    style: Style::TensorFlow,
    unknown_fields: UnknownFields::ByNumber,
    single_line: true,
    short_repeated: true,
    expand_any: true,
    printable: false,
    threads: 1,
};

/// protoc's style, in which people know unknown fields.
const PROTOC: PrintOptions = PrintOptions { style: Style::Protoc, ..TENSORFLOW };

/// A value to print.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BriefValue<'a> {
    /// A number, an enum or a string.
    Value(&'a Field, Value<'a>),
    /// A message.
    Message(&'a MessageType, &'a [u8]),
    /// Records of a message that form one list of numbers.
    Numbers(&'a MessageType, &'a Field, &'a [u8]),
    /// The value of an unknown field.
    Unknown(u32, Value<'a>),
}

/// Prints a value on one line of text format, without the name of its field and without braces around a message.
pub(crate) fn brief(schema: &Schema, value: BriefValue<'_>) -> String {
    let options = if matches!(value, BriefValue::Unknown(..)) { &PROTOC } else { &TENSORFLOW };
    let mut printer = Printer::new(schema, options, TextBuffer::brief(MAX_BYTES));
    let printed = print(&mut printer, value);
    let text = printer.finish().0.into_text();
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_end_matches(' ');
    let text = match value {
        BriefValue::Value(..) => text,
        BriefValue::Message(..) if text.is_empty() => "{}",
        BriefValue::Message(..) => text,
        BriefValue::Numbers(_, field, _) => without_name(text, &field.text_name),
        BriefValue::Unknown(number, _) => without_name(text, &number.to_string()),
    };
    match printed {
        Err(_) if text.chars().count() <= MAX_CHARS => format!("{text}…"),
        _ => cut(text),
    }
}

/// Cuts a text that is longer than a value may be.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Prints the value up to its end, or to the cut, which is an error.
fn print<'a>(printer: &mut Printer<'a, '_>, value: BriefValue<'a>) -> Result<()> {
    match value {
        BriefValue::Value(field, value) => printer.scalar(field, 0, value),
        BriefValue::Message(ty, bytes) => printer.message(ty, bytes),
        BriefValue::Numbers(ty, _, records) => printer.records(ty, records, Position::default()),
        BriefValue::Unknown(number, value) => unknown::print(printer, number, value),
    }
}

fn without_name<'t>(text: &'t str, name: &str) -> &'t str {
    let value = text.strip_prefix(name).unwrap_or(text);
    value.strip_prefix(':').unwrap_or(value).trim_start_matches(' ')
}
