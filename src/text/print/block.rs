//! One message out of another, in lines of its own, to be shown to a person.

use std::io::Write;

use super::printer::{Printer, Step};
use super::sink::Sink;
use super::{PrintOptions, Style, UnknownFields};
use crate::error::Result;
use crate::schema::{MessageType, Schema};

/// As TensorFlow writes it, with all that there is.
const OPTIONS: PrintOptions = PrintOptions {
    style: Style::TensorFlow,
    unknown_fields: UnknownFields::ByNumber,
    single_line: false,
    short_repeated: false,
    expand_any: true,
    threads: 1,
};

/// Prints the fields of a message, or some of its records; where it has a name, in braces.
///
/// # Errors
/// When `out` takes no more.
pub(crate) fn block(
    schema: &Schema,
    name: Option<&str>,
    (ty, bytes): (&MessageType, &[u8]),
    out: &mut dyn Write,
) -> Result<()> {
    let mut printer = Printer::new(schema, &OPTIONS, Sink::stream(out));
    if let Some(name) = name {
        printer.open(Step::Any(ty), name)?;
    }
    printer.message(ty, bytes)?;
    if name.is_some() {
        printer.close()?;
    }
    printer.finish().0.finish()
}
