//! Prints a part of a message for people, on lines of its own.

use std::io::Write;

use super::buffer::TextBuffer;
use super::printer::{PathStep, Printer};
use super::{PrintOptions, Style, UnknownFields};
use crate::error::Result;
use crate::schema::{MessageType, Schema};

/// TensorFlow's style, with all fields.
const OPTIONS: PrintOptions = PrintOptions {
    style: Style::TensorFlow,
    unknown_fields: UnknownFields::ByNumber,
    single_line: false,
    short_repeated: false,
    expand_any: true,
    printable: false,
    threads: 1,
};

/// Prints the fields of a message, or some of its records; with a name, inside `name { … }`.
///
/// # Errors
/// If `out` cannot be written to.
pub(crate) fn block(
    schema: &Schema,
    name: Option<&str>,
    (ty, bytes): (&MessageType, &[u8]),
    out: &mut dyn Write,
) -> Result<()> {
    let mut printer = Printer::new(schema, &OPTIONS, TextBuffer::stream(out));
    if let Some(name) = name {
        printer.open(PathStep::Any(ty), name)?;
    }
    printer.message(ty, bytes)?;
    if name.is_some() {
        printer.close()?;
    }
    printer.finish().0.finish()
}
