//! Classifies records as known or unknown fields of a message type.

use super::map;
use super::record::{Record, Value};
use super::scalar::{self, WireMatch};
use crate::schema::{Field, Kind, MessageType, Schema};

/// Whether a record is a known field of its message type.
#[derive(Debug, Clone, Copy)]
pub enum RecordKind<'s> {
    /// One or several values of this field.
    Known(&'s Field, WireMatch),
    /// An unknown field: its number or its wire type is not in the schema, or its value (or the value of its map entry) is not
    /// in a closed enum.
    Unknown,
}

impl<'s> RecordKind<'s> {
    /// Classifies `record` in a message of type `ty`.
    #[inline]
    pub fn of(schema: &'s Schema, ty: &'s MessageType, record: &Record<'_>) -> Self {
        let Some(field) = ty.field(record.number) else { return Self::Unknown };
        let wire_match = WireMatch::of(record.value.wire_type(), field);
        let is_foreign = match (field.kind, record.value) {
            (Kind::Message(id), Value::Len(entry)) if field.is_map() => {
                is_foreign_entry(schema, &schema[id], entry)
            }
            (kind, value) => scalar::is_foreign(schema, kind, value),
        };
        if is_foreign || wire_match == WireMatch::Mismatch {
            Self::Unknown
        } else {
            Self::Known(field, wire_match)
        }
    }
}

/// Returns whether the value of a map entry is a number that its closed enum does not have.
#[inline]
fn is_foreign_entry(schema: &Schema, ty: &MessageType, entry: &[u8]) -> bool {
    let Some((_, field)) = ty.entry().filter(|(_, field)| matches!(field.kind, Kind::Enum(_)))
    else {
        return false;
    };
    // An entry that is not a message is reported when it is read.
    let value = map::last(entry, field).ok().flatten();
    value.is_some_and(|value| scalar::is_foreign(schema, field.kind, value))
}
