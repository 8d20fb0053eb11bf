//! Map entries, and the order of map keys.

use super::record::{Record, Value};
use super::scalar::WireMatch;
use super::wire::Records;
use crate::bytes::varint::{from_zigzag, int32};
use crate::error::Result;
use crate::schema::field::map_entry;
use crate::schema::{Field, Kind, MessageType, Schema, WireType};

/// A map key, in the order of the canonical form: numbers by value, false before true, strings by byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'a> {
    Signed(i64),
    Unsigned(u64),
    String(&'a [u8]),
}

/// The tag of a key that is a string.
const STRING_KEY: u32 = map_entry::KEY << 3 | 2;

impl<'a> Key<'a> {
    /// The key of an entry in canonical form, where it is the first record.
    pub(super) fn first(ty: &MessageType, entry: &'a [u8]) -> Option<Self> {
        let (field, _) = ty.entry()?;
        // Nearly all keys are short strings.
        if let [tag, len @ ..0x80, rest @ ..] = entry
            && u32::from(*tag) == STRING_KEY
            && field.wire_type == WireType::Len
        {
            return rest.get(..usize::from(*len)).map(Self::String);
        }
        let record = Records::new(entry, 0).next()?.ok()?;
        (record.number == map_entry::KEY).then(|| Self::new(field.kind, record.value))
    }

    /// The key of any entry: its last key record, or the default key.
    ///
    /// # Errors
    /// If `entry` is not a message.
    pub(super) fn of(schema: &Schema, field: &Field, entry: &'a [u8]) -> Result<Self> {
        let key = last(entry, field)?.unwrap_or_else(|| default_of(schema, field));
        Ok(Self::new(field.kind, key))
    }

    /// Decodes a key.
    pub(super) fn new(kind: Kind, value: Value<'a>) -> Self {
        match (kind, value) {
            (Kind::Int32, Value::Varint(bits)) => Self::Signed(int32(bits).into()),
            (Kind::Int64, Value::Varint(bits)) => Self::Signed(bits.cast_signed()),
            (Kind::Sint32, Value::Varint(bits)) => Self::Signed(from_zigzag(bits & 0xffff_ffff)),
            (Kind::Sint64, Value::Varint(bits)) => Self::Signed(from_zigzag(bits)),
            (Kind::Sfixed32, Value::Fixed32(bits)) => Self::Signed(bits.cast_signed().into()),
            (Kind::Sfixed64, Value::Fixed64(bits)) => Self::Signed(bits.cast_signed()),
            (Kind::Uint32, Value::Varint(bits)) => Self::Unsigned(bits & 0xffff_ffff),
            (Kind::Bool, Value::Varint(bits)) => Self::Unsigned(u64::from(bits != 0)),
            (_, Value::Varint(bits) | Value::Fixed64(bits)) => Self::Unsigned(bits),
            (_, Value::Fixed32(bits)) => Self::Unsigned(bits.into()),
            (_, Value::Len(bytes) | Value::Group(bytes)) => Self::String(bytes),
        }
    }
}

/// Sorts in place the consecutive map entries in `run` by key.
///
/// Returns false if two entries have the same key, or an entry is not in canonical form.
pub(super) fn sort(ty: &MessageType, run: &mut [u8]) -> bool {
    let mut entries = Vec::new();
    for record in Records::new(run, 0) {
        let Ok(Record { value: Value::Len(entry), bytes, .. }) = record else { return false };
        let Some(key) = Key::first(ty, entry) else { return false };
        entries.push((key, bytes));
    }
    entries.sort_unstable_by_key(|(key, _)| *key);
    if entries.is_sorted_by(|(a, _), (b, _)| a < b) {
        let sorted: Vec<_> = entries.iter().flat_map(|(_, bytes)| *bytes).copied().collect();
        run.copy_from_slice(&sorted);
        return true;
    }
    false
}

/// The last value of a singular field.
///
/// # Errors
/// If `bytes` are not a message.
pub(super) fn last<'a>(bytes: &'a [u8], field: &Field) -> Result<Option<Value<'a>>> {
    let mut last = None;
    for record in Records::new(bytes, 0) {
        let record = record?;
        if record.number == field.number
            && WireMatch::of(record.value.wire_type(), field) == WireMatch::Single
        {
            last = Some(record.value);
        }
    }
    Ok(last)
}

/// The value of an absent field.
pub(crate) fn default_of(schema: &Schema, field: &Field) -> Value<'static> {
    match (field.kind, field.wire_type) {
        (Kind::Enum(id), _) => Value::Varint(i64::from(schema[id].default).cast_unsigned()),
        (_, WireType::Fixed64) => Value::Fixed64(0),
        (_, WireType::Fixed32) => Value::Fixed32(0),
        (_, WireType::Len) => Value::Len(&[]),
        (_, WireType::Start) => Value::Group(&[]),
        _ => Value::Varint(0),
    }
}
