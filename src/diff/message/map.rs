//! Maps, whose entries go by their keys.

use std::collections::BTreeMap;

use super::entry::Spot;
use super::item::Source;
use super::keyed::key_text;
use super::level::Level;
use super::rules::Treatment;
use crate::message::{Records, Value, Writer};
use crate::schema::{Field, MessageType};

/// An entry in canonical form.
#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    key: Value<'a>,
    value: Value<'a>,
    bytes: &'a [u8],
    /// Fields that an entry does not have.
    rest: &'a [u8],
}

/// Compares the values of each key.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    spot: &Spot<'a>,
    lhs: &'a [u8],
    rhs: &'a [u8],
) {
    let Some(id) = field.kind.message() else { return };
    let ty = &level.schema()[id];
    let Some((key, value)) = ty.entry() else { return };
    let source = Source::new(level, value, &Treatment::default());
    let (lhs, mut rhs) = (entries(lhs), entries(rhs));
    let item = |entry: &Entry<'a>| source.item(entry.value, 0, &mut Vec::new());
    for (bytes, x) in &lhs {
        let found = rhs.remove(bytes).or_else(|| {
            let Value::Len(name) = x.key else { return None };
            let name = level.rules().follow(level.ty, field, str::from_utf8(name).ok()?)?;
            // A key is field 1 of its entry.
            let mut bytes = Writer::default();
            bytes.raw(&[0x0a]);
            bytes.len_prefixed(name.as_bytes());
            rhs.remove(bytes.finish().as_slice())
        });
        let name = found.as_ref().map_or(x.key, |y| y.key);
        let text = |value| key_text(level.schema(), key, value);
        let spot = spot.keys(&text(x.key), &text(name));
        match found {
            Some(y) => {
                if x.value != y.value {
                    level.pair(value, spot.clone(), item(x), item(&y));
                }
                if x.rest != y.rest {
                    let text = |entry: &Entry<'_>| whole(level, ty, entry);
                    let (lhs, rhs) = (text(x), text(&y));
                    level.modified(&spot, lhs, rhs);
                }
            }
            None => level.removed(&spot, level.text(value, &item(x))),
        }
    }
    for y in rhs.values() {
        let spot = spot.key(&key_text(level.schema(), key, y.key));
        level.added(&spot, level.text(value, &item(y)));
    }
}

fn whole(level: &Level<'_, '_>, ty: &MessageType, entry: &Entry<'_>) -> String {
    crate::text::brief(level.schema(), crate::text::BriefValue::Message(ty, entry.bytes))
}

/// The entries by the bytes of their keys, of which each has one form.
fn entries(run: &[u8]) -> BTreeMap<&[u8], Entry<'_>> {
    let records = Records::new(run, 0).map_while(Result::ok);
    records.filter_map(|record| entry(record.value)).collect()
}

fn entry(value: Value<'_>) -> Option<(&[u8], Entry<'_>)> {
    let Value::Len(bytes) = value else { return None };
    let mut records = Records::new(bytes, 0).map_while(Result::ok);
    let (key, value) = (records.next()?, records.next()?);
    let rest = bytes.get(key.bytes.len() + value.bytes.len()..).unwrap_or_default();
    Some((key.bytes, Entry { key: key.value, value: value.value, bytes, rest }))
}
