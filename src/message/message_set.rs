//! Message sets: an old encoding of extensions as groups that contain the extension's number.
//!
//! ```text
//! item := start group 1, type_id (2): varint, message (3): bytes, end group 1
//! ```
//! The two fields of an item may come in either order. Anything else is an unknown field.

use super::record::{Record, Value};
use super::wire::Records;
use super::writer::Writer;
use crate::error::Result;
use crate::schema::WireType;

/// The field number of an item, and those of its parts.
const ITEM: u32 = 1;
const TYPE_ID: u32 = 2;
const MESSAGE: u32 = 3;

/// Begins an item with the extension `number`, whose message follows.
pub(crate) fn begin_item(number: u32, out: &mut Writer) {
    out.tag(ITEM, WireType::Start);
    out.put_varint(TYPE_ID, number.into());
    out.begin(MESSAGE);
}

/// Ends an item after its message.
pub(crate) fn end_item(out: &mut Writer) {
    out.close();
    out.tag(ITEM, WireType::End);
}

/// Decodes an item: the number of the extension, and its message.
///
/// An extension encoded as an ordinary field is accepted too.
///
/// # Errors
/// If the item is not a message.
pub fn item<'a>(record: &Record<'a>) -> Result<Option<(u32, &'a [u8])>> {
    Ok(located(record)?.map(|(number, message, _)| (number, message)))
}

/// Decodes an item, also returning the offset of its message in the outermost message.
pub(super) fn located<'a>(record: &Record<'a>) -> Result<Option<(u32, &'a [u8], u64)>> {
    let inside = match (record.number, record.value) {
        (ITEM, Value::Group(inside)) => inside,
        (number, Value::Len(message)) => return Ok(Some((number, message, record.content))),
        _ => return Ok(None),
    };
    let (mut number, mut message) = (None, None);
    for record in Records::new(inside, record.content) {
        let record = record?;
        match (record.number, record.value) {
            (TYPE_ID, Value::Varint(id)) => number = number.or(u32::try_from(id).ok()),
            (MESSAGE, Value::Len(bytes)) => message = message.or(Some((bytes, record.content))),
            _ => {}
        }
    }
    Ok(number.zip(message).map(|(number, (message, content))| (number, message, content)))
}
