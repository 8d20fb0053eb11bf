//! Compares maps by key.

use std::collections::BTreeMap;

use super::difference::FieldLocation;
use super::item::ItemReader;
use super::keyed::key_text;
use super::level::Level;
use super::rules::Treatment;
use crate::message::{Records, Value, Writer};
use crate::schema::Field;
use crate::schema::field::map_entry;
use crate::text::{BriefValue, brief};

/// An entry in canonical form.
#[derive(Debug, Clone, Copy)]
struct MapEntry<'a> {
    key: Value<'a>,
    value: Value<'a>,
    bytes: &'a [u8],
    /// Unknown fields of the entry.
    rest: &'a [u8],
}

/// Compares the values of each key.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    location: &FieldLocation<'a>,
    lhs: &'a [u8],
    rhs: &'a [u8],
) {
    let Some(id) = field.kind.message() else { return };
    let ty = &level.schema()[id];
    let Some((key, value)) = ty.entry() else { return };
    let reader = ItemReader::new(level, value, &Treatment::default());
    let (lhs, mut rhs) = (entries(lhs), entries(rhs));
    let item = |entry: &MapEntry<'a>| reader.item(entry.value, 0, &mut Vec::new());
    for (bytes, x) in &lhs {
        // Like in keyed lists, a rename comes before an equal key: two names may be exchanged.
        let renamed = renamed_key(level, field, x.key).and_then(|key| rhs.remove(key.as_slice()));
        let found = renamed.or_else(|| rhs.remove(bytes));
        let name = found.as_ref().map_or(x.key, |y| y.key);
        let text = |value| key_text(level.schema(), key, value);
        let location = location.key_pair(&text(x.key), &text(name));
        match found {
            Some(y) => {
                if x.value != y.value {
                    level.items(value, location.clone(), item(x), item(&y));
                }
                if x.rest != y.rest {
                    let text = |entry: &MapEntry<'_>| {
                        brief(level.schema(), BriefValue::Message(ty, entry.bytes))
                    };
                    let (lhs, rhs) = (text(x), text(&y));
                    level.modified(&location, lhs, rhs);
                }
            }
            None => level.removed(&location, level.text(value, &item(x))),
        }
    }
    for y in rhs.values() {
        let location = location.key(&key_text(level.schema(), key, y.key));
        level.added(&location, level.text(value, &item(y)));
    }
}

/// The bytes of the key that a renamed key of lhs has in rhs.
fn renamed_key(level: &Level<'_, '_>, field: &Field, key: Value<'_>) -> Option<Vec<u8>> {
    let Value::Len(name) = key else { return None };
    let name = level.rules().renamed_key(level.ty, field, str::from_utf8(name).ok()?)?;
    let mut bytes = Writer::default();
    bytes.put_bytes(map_entry::KEY, name.as_bytes());
    Some(bytes.finish())
}

/// The entries by the bytes of their keys, which are unique in canonical form.
fn entries(run: &[u8]) -> BTreeMap<&[u8], MapEntry<'_>> {
    let records = Records::new(run, 0).map_while(Result::ok);
    records.filter_map(|record| entry(record.value)).collect()
}

fn entry(value: Value<'_>) -> Option<(&[u8], MapEntry<'_>)> {
    let Value::Len(bytes) = value else { return None };
    let mut records = Records::new(bytes, 0).map_while(Result::ok);
    let (key, value) = (records.next()?, records.next()?);
    let rest = bytes.get(key.bytes.len() + value.bytes.len()..).unwrap_or_default();
    Some((key.bytes, MapEntry { key: key.value, value: value.value, bytes, rest }))
}
