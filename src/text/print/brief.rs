//! One value in one line, to be shown beside another: what is long is cut, and nothing behind the cut is printed.

use super::printer::{Position, Printer};
use super::sink::Sink;
use super::{PrintOptions, Style, UnknownFields, unknown};
use crate::error::Result;
use crate::message::Value;
use crate::schema::{Field, MessageType, Schema};

/// The most characters that are shown.
const LONGEST: usize = 2_000;

/// The most bytes that are printed: room for as many characters, and for what the next piece of a string may need.
const MOST: usize = 32 << 10;

const TENSORFLOW: PrintOptions = PrintOptions {
    style: Style::TensorFlow,
    unknown_fields: UnknownFields::ByNumber,
    single_line: true,
    short_repeated: true,
    expand_any: true,
    threads: 1,
};

/// That is how people know fields by number.
const PROTOC: PrintOptions = PrintOptions { style: Style::Protoc, ..TENSORFLOW };

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown<'a> {
    /// A number, an enum or a string.
    Value(&'a Field, Value<'a>),
    /// A message.
    Message(&'a MessageType, &'a [u8]),
    /// Records of a message that are all of one list of numbers.
    Numbers(&'a MessageType, &'a Field, &'a [u8]),
    /// The value of a field that the schema does not know.
    Unknown(u32, Value<'a>),
}

/// What is shown, in one line of text format: without the name of a field, and without braces around a message.
pub(crate) fn brief(schema: &Schema, shown: Shown<'_>) -> String {
    let options = if matches!(shown, Shown::Unknown(..)) { &PROTOC } else { &TENSORFLOW };
    let mut printer = Printer::new(schema, options, Sink::brief(MOST));
    let printed = print(&mut printer, shown);
    let text = printer.finish().0.into_text();
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_end_matches(' ');
    let text = match shown {
        Shown::Value(..) => text,
        Shown::Message(..) if text.is_empty() => "{}",
        Shown::Message(..) => text,
        Shown::Numbers(_, field, _) => without_name(text, &field.text_name),
        Shown::Unknown(number, _) => without_name(text, &number.to_string()),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None if printed.is_err() => format!("{text}…"),
        None => text.to_owned(),
    }
}

/// Prints until the end or the cut, which is an error.
fn print<'a>(printer: &mut Printer<'a, '_>, shown: Shown<'a>) -> Result<()> {
    match shown {
        Shown::Value(field, value) => printer.scalar(field, 0, value),
        Shown::Message(ty, bytes) => printer.message(ty, bytes),
        Shown::Numbers(ty, _, records) => printer.records(ty, records, Position::default()),
        Shown::Unknown(number, value) => unknown::print(printer, number, value),
    }
}

fn without_name<'t>(text: &'t str, name: &str) -> &'t str {
    let value = text.strip_prefix(name).unwrap_or(text);
    value.strip_prefix(':').unwrap_or(value).trim_start_matches(' ')
}
