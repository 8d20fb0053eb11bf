//! Messages in braces.

use prost::Name;

use super::cursor::{BlockText, Cursor, Fail};
use super::reader::Reader;
use crate::error::Error;
use crate::schema::Schema;
use crate::text::{ParseOptions, parse};

/// Reads a message in braces.
pub(super) fn message<T: prost::Message + Name + Default>(
    cursor: &mut Cursor<'_>,
) -> Result<T, Fail> {
    let block = cursor.block()?;
    let bytes = bytes(&T::full_name(), &block)?;
    let fail = |error: prost::DecodeError| Fail { at: block.at, message: error.to_string() };
    T::decode(&*bytes).map_err(fail)
}

/// Reads the line with what is left of a message, if there is one.
pub(super) fn rest<T: prost::Message + Name + Default>(
    reader: &mut Reader<'_>,
    level: usize,
) -> Result<T, Fail> {
    match reader.eat(level, "other ") {
        Some(mut cursor) => {
            let rest = message(&mut cursor)?;
            cursor.end()?;
            Ok(rest)
        }
        None => Ok(T::default()),
    }
}

/// The message in a block, in canonical form. The offset of an error is 0 if there is no such message.
pub(super) fn bytes(name: &str, block: &BlockText<'_>) -> Result<Vec<u8>, Fail> {
    let schema = Schema::tensorflow();
    let missing = || Fail { at: 0, message: format!("the schema has no message {name}") };
    let ty = schema.message(name).ok_or_else(missing)?;
    let fail = |error: Error| {
        let column = error.location().map_or(0, |location| location.column.saturating_sub(1));
        let chars = usize::try_from(column).unwrap_or(usize::MAX);
        let inside = block.text.char_indices().nth(chars).map_or(block.text.len(), |(at, _)| at);
        Fail { at: block.at + inside, message: error.kind().to_string() }
    };
    let options = ParseOptions { partial: true, ..ParseOptions::default() };
    let (message, _) = parse(schema, ty, block.text.as_bytes(), &options).map_err(fail)?;
    Ok(message.bytes().to_vec())
}
