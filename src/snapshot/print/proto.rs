//! Messages in the text format, on one line.

use prost::Name;

use super::lines::Lines;
use crate::error::{Error, Result};
use crate::message::{Losses, Message, canonical_tensorflow};
use crate::schema::Schema;
use crate::text::{PrintOptions, print};

/// A message on one line, in braces.
///
/// # Errors
/// If the message is nested too deeply.
pub(super) fn braced<T: prost::Message + Name>(message: &T) -> Result<String> {
    braced_bytes(&T::full_name(), &message.encode_to_vec())
}

/// As [`braced`], of a message in the binary format. Fields that the schema does not have are left out.
pub(in crate::snapshot) fn braced_bytes(name: &str, bytes: &[u8]) -> Result<String> {
    braced_with_losses(name, bytes).map(|(text, _)| text)
}

/// As [`braced_bytes`], with what the text does not have.
pub(super) fn braced_with_losses(name: &str, bytes: &[u8]) -> Result<(String, Losses)> {
    let schema = Schema::tensorflow();
    let missing = || Error::not_found(format!("the schema has no message {name}"));
    let ty = schema.message(name).ok_or_else(missing)?;
    let bytes = canonical_tensorflow(name, bytes)?.into_owned();
    let options = PrintOptions {
        single_line: true,
        short_repeated: true,
        expand_any: false,
        printable: true,
        ..PrintOptions::default()
    };
    let mut text = vec![b'{'];
    let losses = print(&Message::from_canonical(schema, ty, bytes), &options, &mut text)?;
    text.push(b'}');
    let text = String::from_utf8(text).map_err(|error| Error::malformed("text", "UTF-8", error))?;
    Ok((text, losses))
}

/// Adds a line with what is left of a message, if anything is.
pub(super) fn rest<T: prost::Message + Name + Default + PartialEq>(
    level: usize,
    message: &T,
    out: &mut Lines,
) -> Result<()> {
    if *message != T::default() {
        out.line(level, &format!("other {}", braced(message)?));
    }
    Ok(())
}

/// Adds a message of a type without a notation of its own.
pub(super) fn line(name: &str, bytes: &[u8], out: &mut Lines) -> Result<()> {
    out.line(0, &format!("message {name} {}", braced_bytes(name, bytes)?));
    Ok(())
}
