//! Messages with some of their records rewritten, all others as they were.
//!
//! Whoever hands over bytes has checked them and put them in canonical form; what comes out is in it too.

use std::collections::BTreeMap;

use super::names::Rename;
use crate::error::Result;
use crate::graph::{bytes_of, text_of};
use crate::message::{self, Meaning, Record, Records, Value, Writer};
use crate::schema::field::map_entry;
use crate::schema::{MessageType, Schema, WireType};

/// Where names stand in a message, by the number of the field.
#[derive(Debug)]
pub(super) struct Shape(pub(super) &'static [(u32, Place)]);

/// What stands in a field.
#[derive(Debug)]
pub(super) enum Place {
    /// A name; one of which nothing is left is not written.
    Name,
    /// A name that is written in any case: one of a list, or of a oneof.
    Listed,
    /// A message with names in it.
    In(&'static Shape),
    /// A map from names to names.
    Pairs,
}

/// Writes a message with other names in the places of `shape`.
pub(super) fn rename(bytes: &[u8], shape: &Shape, to: &dyn Rename, out: &mut Writer) {
    let mut pairs = Pairs::default();
    for record in records(bytes) {
        let place = shape.0.iter().find(|(number, _)| *number == record.number);
        if !matches!(place, Some((_, Place::Pairs))) {
            pairs.write(out);
        }
        match (place, record.value) {
            (Some((number, Place::Pairs)), Value::Len(entry)) => pairs.add(*number, entry, to),
            (Some((number, Place::In(inner))), Value::Len(content)) => {
                out.tag(*number, WireType::Len);
                out.open();
                rename(content, inner, to, out);
                out.close();
            }
            (Some((number, place)), Value::Len(_)) => {
                let name = to.rename(text_of(&record));
                if !name.is_empty() || matches!(place, Place::Listed) {
                    write(*number, name.as_bytes(), out);
                }
            }
            _ => out.raw(record.bytes),
        }
    }
    pairs.write(out);
}

/// The entries of a map that is being renamed: their order is that of the new names.
#[derive(Default)]
struct Pairs {
    number: u32,
    entries: BTreeMap<String, Vec<u8>>,
}

impl Pairs {
    fn add(&mut self, number: u32, entry: &[u8], to: &dyn Rename) {
        self.number = number;
        let (mut key, mut out) = (String::new(), Writer::default());
        for record in records(entry) {
            match record.number {
                map_entry::KEY | map_entry::VALUE => {
                    let name = to.rename(text_of(&record));
                    write(record.number, name.as_bytes(), &mut out);
                    if record.number == map_entry::KEY {
                        key = name.into_owned();
                    }
                }
                _ => out.raw(record.bytes),
            }
        }
        self.entries.insert(key, out.finish());
    }

    fn write(&mut self, out: &mut Writer) {
        for entry in std::mem::take(&mut self.entries).values() {
            write(self.number, entry, out);
        }
    }
}

/// A message with other records in the place of some fields: nothing for those that are gone.
pub(super) fn splice(
    schema: &Schema,
    ty: &MessageType,
    bytes: &[u8],
    fields: &BTreeMap<u32, Vec<u8>>,
) -> Vec<u8> {
    let mut out = Writer::default();
    let mut fields_left = fields.iter().peekable();
    for record in records(bytes) {
        let is_unknown = matches!(Meaning::of(schema, ty, &record), Meaning::Unknown);
        // Unknown fields stand behind all others.
        while let Some((_, new)) =
            fields_left.next_if(|(number, _)| is_unknown || **number <= record.number)
        {
            out.raw(new);
        }
        if is_unknown || !fields.contains_key(&record.number) {
            out.raw(record.bytes);
        }
    }
    fields_left.for_each(|(_, new)| out.raw(new));
    out.finish()
}

/// The fields of a message that its type does not know.
pub(super) fn unknown(schema: &Schema, ty: &MessageType, bytes: &[u8]) -> Vec<u8> {
    let is_unknown =
        |record: &Record<'_>| matches!(Meaning::of(schema, ty, record), Meaning::Unknown);
    records(bytes).filter(is_unknown).flat_map(|record| record.bytes).copied().collect()
}

/// The records of a checked message.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    Records::new(bytes, 0).map_while(Result::ok)
}

/// What the last field `number` holds, of any length.
pub(super) fn bytes_in(bytes: &[u8], number: u32) -> Option<&[u8]> {
    records(bytes).filter(|record| record.number == number).last().map(|record| bytes_of(&record))
}

/// The string in the field `number`; empty where it is not given.
pub(super) fn text_in(bytes: &[u8], number: u32) -> &str {
    records(bytes).filter(|r| r.number == number).last().map(|r| text_of(&r)).unwrap_or_default()
}

/// Whether the field `number`, a bool, is set.
pub(super) fn is_set(bytes: &[u8], number: u32) -> bool {
    records(bytes).any(|r| r.number == number && matches!(r.value, Value::Varint(1..)))
}

/// Writes a field that has a length.
pub(super) fn write(number: u32, content: &[u8], out: &mut Writer) {
    out.tag(number, WireType::Len);
    out.len_prefixed(content);
}

/// A field that has a length, alone.
pub(super) fn field(number: u32, content: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    write(number, content, &mut out);
    out.finish()
}

/// A field that is a number, alone.
pub(super) fn number(number: u32, value: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.tag(number, WireType::Varint);
    out.varint(value);
    out.finish()
}

/// Bytes that hold a message of TensorFlow's, in canonical form.
///
/// # Errors
/// When they are none.
pub(super) fn canonical<'b>(name: &str, bytes: &'b [u8]) -> Result<std::borrow::Cow<'b, [u8]>> {
    let schema = Schema::tensorflow();
    match schema.message(name) {
        Some(ty) => message::canonical(schema, ty, bytes, 0),
        None => Ok(bytes.into()),
    }
}
