//! Replaces fields of messages, and copies all other records, including unknown fields.

use std::collections::BTreeMap;

use crate::message::{Record, RecordKind, Writer, encoded, records};
use crate::schema::{MessageType, Schema};

/// New records for some fields of a message, by number; a field without records is removed.
#[derive(Debug, Default)]
pub(crate) struct Replacements(BTreeMap<u32, Vec<u8>>);

impl Replacements {
    /// Replaces a field by one value.
    pub(crate) fn set(&mut self, number: u32, content: &[u8]) {
        self.set_list(number, [content]);
    }

    /// Replaces a field by a list of values.
    pub(crate) fn set_list(
        &mut self,
        number: u32,
        contents: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) {
        let records = contents.into_iter().flat_map(|content| encoded(number, content.as_ref()));
        self.0.insert(number, records.collect());
    }

    /// Sets a field that is a bool; `false` removes it.
    pub(super) fn set_bool(&mut self, number: u32, value: bool) {
        let mut out = Writer::default();
        if value {
            out.put_varint(number, 1);
        }
        self.0.insert(number, out.finish());
    }

    /// Whether no field is replaced.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `bytes`, a message in canonical form of TensorFlow's type `name`, with its fields replaced.
    pub(super) fn apply_to(&self, name: &str, bytes: &[u8]) -> Vec<u8> {
        let schema = Schema::tensorflow();
        match schema.message(name) {
            Some(ty) => self.apply(schema, ty, bytes),
            None => bytes.to_vec(),
        }
    }

    /// Returns `bytes`, a message of type `ty` in canonical form, with its fields replaced.
    pub(crate) fn apply(&self, schema: &Schema, ty: &MessageType, bytes: &[u8]) -> Vec<u8> {
        let mut out = Writer::default();
        let mut remaining = self.0.iter().peekable();
        for record in records(bytes) {
            let is_unknown = matches!(RecordKind::of(schema, ty, &record), RecordKind::Unknown);
            // Unknown fields come after all others.
            while let Some((_, new)) =
                remaining.next_if(|(number, _)| is_unknown || **number <= record.number)
            {
                out.raw(new);
            }
            if is_unknown || !self.0.contains_key(&record.number) {
                out.raw(record.bytes);
            }
        }
        remaining.for_each(|(_, new)| out.raw(new));
        out.finish()
    }
}

/// The unknown fields of a message of TensorFlow's type `name`.
pub(super) fn unknown(name: &str, bytes: &[u8]) -> Vec<u8> {
    let schema = Schema::tensorflow();
    let is_unknown =
        |ty, record: &Record<'_>| matches!(RecordKind::of(schema, ty, record), RecordKind::Unknown);
    let ty = schema.message(name).into_iter();
    let unknown = ty.flat_map(|ty| records(bytes).filter(move |record| is_unknown(ty, record)));
    unknown.flat_map(|record| record.bytes).copied().collect()
}
