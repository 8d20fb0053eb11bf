//! The fields of a message by their numbers.
//!
//! A [`Message`](super::Message) was checked when it was read, so nothing here returns an error: bytes that are not a
//! message end early, and a field of another wire type than the wanted one does not count. Of a singular field that is
//! given more than once the last value counts.

use super::packed::Packed;
use super::record::{Record, Value};
use super::wire::Records;
use super::writer::Writer;
use crate::schema::Kind;
use crate::schema::field::map_entry;

/// The records of a message.
#[inline]
pub(crate) fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> + Clone {
    Records::new(bytes, 0).map_while(Result::ok)
}

/// The values of a length-delimited field: strings, bytes or messages.
#[inline]
pub(crate) fn fields(bytes: &[u8], number: u32) -> impl Iterator<Item = &[u8]> + Clone {
    records(bytes).filter_map(move |record| match record.value {
        Value::Len(content) if record.number == number => Some(content),
        _ => None,
    })
}

/// The value of a length-delimited field.
pub(crate) fn field(bytes: &[u8], number: u32) -> Option<&[u8]> {
    fields(bytes, number).last()
}

/// The message in a field; empty where it is not given.
pub(crate) fn nested(bytes: &[u8], number: u32) -> &[u8] {
    field(bytes, number).unwrap_or_default()
}

/// The string in a field; empty where it is not given.
pub(crate) fn string(bytes: &[u8], number: u32) -> &str {
    utf8(nested(bytes, number))
}

/// The strings in a repeated field.
pub(crate) fn strings(bytes: &[u8], number: u32) -> impl Iterator<Item = &str> + Clone {
    fields(bytes, number).map(utf8)
}

/// The integer, bool or enum in a field.
pub(crate) fn varint(bytes: &[u8], number: u32) -> Option<u64> {
    let values = records(bytes).filter_map(|record| match record.value {
        Value::Varint(bits) if record.number == number => Some(bits),
        _ => None,
    });
    values.last()
}

/// The bits of the numbers in a repeated field, packed or not.
pub(crate) fn numbers(bytes: &[u8], number: u32, kind: Kind) -> impl Iterator<Item = u64> {
    let values = records(bytes).filter(move |record| record.number == number);
    let values = values.flat_map(move |record| {
        let packed = match record.value {
            Value::Len(packed) => packed,
            value if value.wire_type() == kind.wire_type() => record.encoded_value(),
            _ => &[],
        };
        Packed::new(kind, packed, 0).map_while(Result::ok)
    });
    values.map(|value| match value {
        Value::Varint(bits) | Value::Fixed64(bits) => bits,
        Value::Fixed32(bits) => bits.into(),
        Value::Len(_) | Value::Group(_) => 0,
    })
}

/// The key and the value of a map's entry.
#[inline]
pub(crate) fn entry(bytes: &[u8]) -> (&str, &[u8]) {
    let (mut key, mut value) = ("", [].as_slice());
    for record in records(bytes) {
        match (record.number, record.value) {
            (map_entry::KEY, Value::Len(bytes)) => key = utf8(bytes),
            (map_entry::VALUE, Value::Len(bytes)) => value = bytes,
            _ => {}
        }
    }
    (key, value)
}

/// The entries of a map from strings to strings or messages.
pub(crate) fn entries(bytes: &[u8], number: u32) -> impl Iterator<Item = (&str, &[u8])> {
    fields(bytes, number).map(entry)
}

/// The string in these bytes; empty where they are not UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// A message that consists of one length-delimited field.
pub(crate) fn encoded(number: u32, content: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    out.put_bytes(number, content);
    out.finish()
}

/// Copies a message; `edit` writes the content of each length-delimited field with this number.
pub(crate) fn edit_fields(
    bytes: &[u8],
    number: u32,
    out: &mut Writer,
    mut edit: impl FnMut(&[u8], &mut Writer),
) {
    for record in records(bytes) {
        match record.value {
            Value::Len(content) if record.number == number => {
                out.put_message(number, |out| edit(content, out));
            }
            _ => out.raw(record.bytes),
        }
    }
}
