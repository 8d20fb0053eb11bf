//! Replaces the names in messages, and copies all other records.

use std::collections::BTreeMap;

use super::names::Rename;
use crate::message::{Value, Writer, encoded, entry, records};
use crate::schema::field::map_entry;

/// The fields of a message that have names in them, by number.
#[derive(Debug)]
pub(super) struct NameFields(pub(super) &'static [(u32, NameField)]);

/// A field with names.
#[derive(Debug)]
pub(super) enum NameField {
    /// A name, which is not written if it becomes empty.
    Name,
    /// A name that is written even if it becomes empty: an item of a list, or a member of a oneof.
    RequiredName,
    /// A message with names.
    Message(&'static NameFields),
    /// A map from names to names.
    Map,
}

static PAIR: NameFields = NameFields(&[
    (map_entry::KEY, NameField::RequiredName),
    (map_entry::VALUE, NameField::RequiredName),
]);

/// Returns a message in canonical form with its names renamed by `to`.
pub(super) fn renamed(bytes: &[u8], fields: &NameFields, to: &dyn Rename) -> Vec<u8> {
    let mut out = Writer::default();
    rename(bytes, fields, to, &mut out);
    out.finish()
}

fn rename(bytes: &[u8], fields: &NameFields, to: &dyn Rename, out: &mut Writer) {
    // The records of a map by their new keys, which may have another order than the old ones.
    let mut pairs = BTreeMap::new();
    let flush = |pairs: &mut BTreeMap<String, Vec<u8>>, out: &mut Writer| {
        std::mem::take(pairs).into_values().for_each(|record| out.raw(&record));
    };
    for record in records(bytes) {
        let number = record.number;
        let kind = fields.0.iter().find(|(known, _)| *known == number).map(|(_, kind)| kind);
        if let (Some(NameField::Map), Value::Len(pair)) = (kind, record.value) {
            let key = to.rename(entry(pair).0).into_owned();
            pairs.insert(key, encoded(number, &renamed(pair, &PAIR, to)));
            continue;
        }
        flush(&mut pairs, out);
        match (kind, record.value) {
            (Some(NameField::Message(inner)), Value::Len(content)) => {
                out.put_message(number, |out| rename(content, inner, to, out));
            }
            (Some(kind), Value::Len(_)) => {
                let name = to.rename(record.text());
                if !name.is_empty() || matches!(kind, NameField::RequiredName) {
                    out.put_bytes(number, name.as_bytes());
                }
            }
            _ => out.raw(record.bytes),
        }
    }
    flush(&mut pairs, out);
}
