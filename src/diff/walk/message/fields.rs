//! Splits a message in canonical form into fields, each with all of its records.

use crate::message::{Packed, RecordKind, Records, Value, WireMatch, message_set_item};
use crate::schema::{Field, MessageType, Schema};

/// The fields of a message.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    /// Known fields by number, each with all of its records; in a message set, with its message.
    pub(super) known: Vec<(&'a Field, &'a [u8])>,
    /// Unknown fields in order.
    pub(super) unknown: Vec<(u32, Value<'a>)>,
}

impl<'a> Fields<'a> {
    /// The fields of `bytes`, which are in canonical form and therefore readable.
    pub(super) fn of(schema: &'a Schema, ty: &'a MessageType, bytes: &'a [u8]) -> Self {
        if ty.is_message_set {
            Self::of_set(ty, bytes)
        } else {
            Self::of_message(schema, ty, bytes)
        }
    }

    fn of_message(schema: &'a Schema, ty: &'a MessageType, bytes: &'a [u8]) -> Self {
        let mut fields = Self::default();
        let (mut open, mut start, mut end) = (None::<&Field>, 0, 0);
        let mut close = |field: Option<&'a Field>, run: Option<&'a [u8]>| {
            fields.known.extend(field.zip(run));
        };
        let mut records = Records::new(bytes, 0);
        while let Some(Ok(record)) = records.next() {
            let before = end;
            end += record.bytes.len();
            let field = match RecordKind::of(schema, ty, &record) {
                RecordKind::Known(field, _) => Some(field),
                RecordKind::Unknown => {
                    fields.unknown.push((record.number, record.value));
                    None
                }
            };
            if open.map(|field| field.number) != field.map(|field| field.number) {
                close(open, bytes.get(start..before));
                (open, start) = (field, before);
            }
        }
        close(open, bytes.get(start..end));
        fields
    }

    fn of_set(ty: &'a MessageType, bytes: &'a [u8]) -> Self {
        let mut fields = Self::default();
        for record in Records::new(bytes, 0).map_while(Result::ok) {
            // A malformed item counts as an unknown field.
            match message_set_item(&record).ok().flatten() {
                Some((number, message)) => match ty.field(number) {
                    Some(field) => fields.known.push((field, message)),
                    None => fields.unknown.push((number, Value::Len(message))),
                },
                None => fields.unknown.push((record.number, record.value)),
            }
        }
        fields
    }
}

/// The numbers of a list, packed or not.
pub(super) fn numbers<'a>(field: &Field, run: &'a [u8]) -> impl Iterator<Item = Value<'a>> {
    let records = Records::new(run, 0).map_while(Result::ok);
    records.flat_map(move |record| {
        let wire_match = WireMatch::of(record.value.wire_type(), field);
        let packed = match (wire_match, record.value) {
            (WireMatch::Packed, Value::Len(packed)) => packed,
            _ => &[],
        };
        let single = (wire_match == WireMatch::Single).then_some(record.value);
        single.into_iter().chain(Packed::new(field.kind, packed, 0).map_while(Result::ok))
    })
}
