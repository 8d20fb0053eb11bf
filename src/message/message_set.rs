//! Message sets: an old encoding of extensions as groups that contain the extension's number.
//!
//! ```text
//! item := start group 1, type_id (2): varint, message (3): bytes, end group 1
//! ```
//! The two fields of an item may come in either order. Anything else is an unknown field.

use super::canonical;
use super::check::{self, CheckResult};
use super::record::{Record, Value};
use super::wire::Records;
use super::writer::Writer;
use crate::error::Result;
use crate::schema::{MessageType, Schema, WireType};

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
fn located<'a>(record: &Record<'a>) -> Result<Option<(u32, &'a [u8], u64)>> {
    let inside = match (record.number, record.value) {
        (1, Value::Group(inside)) => inside,
        (number, Value::Len(message)) => return Ok(Some((number, message, record.content))),
        _ => return Ok(None),
    };
    let (mut number, mut message) = (None, None);
    for record in Records::new(inside, record.content) {
        let record = record?;
        match (record.number, record.value) {
            (2, Value::Varint(id)) => number = number.or(u32::try_from(id).ok()),
            (3, Value::Len(bytes)) => message = message.or(Some((bytes, record.content))),
            _ => {}
        }
    }
    Ok(number.zip(message).map(|(number, (message, content))| (number, message, content)))
}

/// Checks the extensions' messages.
pub(super) fn check<'s>(
    schema: &'s Schema,
    ty: &MessageType,
    bytes: &[u8],
    base: u64,
    depth: usize,
    result: &mut CheckResult<'s>,
) -> Result<()> {
    for record in Records::new(bytes, base) {
        if let Some((number, message, content)) = located(&record?)?
            && let Some(field) = ty.field(number)
            && let Some(id) = field.kind.message()
        {
            check::check_message(schema, &schema[id], message, content, depth + 1, result)
                .map_err(|error| error.in_field(&field.text_name))?;
        }
    }
    Ok(())
}

/// Writes known items by number, merging repeated ones, then unknown items unchanged.
pub(super) fn rewrite(
    schema: &Schema,
    ty: &MessageType,
    parts: &[&[u8]],
    out: &mut Writer,
) -> Result<()> {
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for record in parts.iter().flat_map(|part| Records::new(part, 0)) {
        let record = record?;
        let item = item(&record)?;
        match item.and_then(|(number, message)| Some((ty.field(number)?, message))) {
            Some((field, message)) => known.push((field.position, message)),
            None => unknown.push(record.bytes),
        }
    }
    known.sort_by_key(|(position, _)| *position);
    for same in known.chunk_by(|(a, _), (b, _)| a == b) {
        let Some(field) = same.first().and_then(|(at, _)| ty.fields.get(usize::from(*at))) else {
            continue;
        };
        let Some(id) = field.kind.message() else { continue };
        let parts: Vec<_> = same.iter().map(|(_, message)| *message).collect();
        out.tag(1, WireType::Start);
        out.put_varint(2, field.number.into());
        out.begin(3);
        canonical::rewrite(schema, &schema[id], &parts, out)?;
        out.close();
        out.tag(1, WireType::End);
    }
    unknown.into_iter().for_each(|bytes| out.raw(bytes));
    Ok(())
}
