//! What a record is to its message.

use super::map;
use super::scalar::{self, Fit};
use super::wire::{Record, Value};
use crate::schema::{Field, Kind, MessageType, Schema};

/// What a record is to its message.
#[derive(Debug, Clone, Copy)]
pub enum Meaning<'s> {
    /// A value of this field, or several.
    Known(&'s Field, Fit),
    /// An unknown field: of a number or an encoding that the schema does not have, or with a number that a closed enum
    /// does not have, also as the value of a map entry.
    Unknown,
}

impl<'s> Meaning<'s> {
    /// What `record` is to a message of type `ty`.
    #[inline]
    pub fn of(schema: &'s Schema, ty: &'s MessageType, record: &Record<'_>) -> Self {
        let Some(field) = ty.field(record.number) else { return Self::Unknown };
        let fit = Fit::of(record.value.wire_type(), field);
        let is_foreign = match (field.kind, record.value) {
            (Kind::Message(id), Value::Len(entry)) if field.is_map() => {
                is_foreign_entry(schema, &schema[id], entry)
            }
            (kind, value) => scalar::is_foreign(schema, kind, value),
        };
        if is_foreign || fit == Fit::Not { Self::Unknown } else { Self::Known(field, fit) }
    }
}

/// Whether the value of a map entry is a number that its enum does not have.
#[inline]
fn is_foreign_entry(schema: &Schema, ty: &MessageType, entry: &[u8]) -> bool {
    let Some((_, field)) = ty.entry().filter(|(_, field)| matches!(field.kind, Kind::Enum(_)))
    else {
        return false;
    };
    // An entry that is no message is told of by whoever reads it.
    let value = map::last(entry, field).ok().flatten();
    value.is_some_and(|value| scalar::is_foreign(schema, field.kind, value))
}
