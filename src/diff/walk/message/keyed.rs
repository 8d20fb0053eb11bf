//! Compares lists of messages that have keys.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::FieldLocation;
use super::fields::Fields;
use super::item::Item;
use super::level::Level;
use crate::diff::Weight;
use crate::diff::meaning::KeyField;
use crate::message::{Records, Value, default_of};
use crate::schema::{Field, Kind, MessageType, Schema};
use crate::text::{BriefValue, brief};

/// Pairs items by key; items with equal keys are paired in order.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    location: &FieldLocation<'a>,
    keys: &[KeyField],
    (lhs, rhs): (&[Item<'a>], &[Item<'a>]),
) {
    let (lhs, rhs) = (with_keys(level, field, keys, lhs), with_keys(level, field, keys, rhs));
    let mut partners: BTreeMap<_, _> =
        rhs.iter().enumerate().map(|(at, (name, item))| (name, (at, *item))).collect();
    let (mut last, mut matched, mut is_in_order) = (None, 0, true);
    let followed = |name: &ItemKey| {
        let key = level.rules().renamed_key(level.ty, field, &name.0)?;
        Some((key, name.1)).filter(|followed| partners.contains_key(followed))
    };
    let followed: Vec<_> = lhs.iter().map(|(name, _)| followed(name)).collect();
    // A name may be the new name of another item.
    let taken: BTreeSet<ItemKey> = followed.iter().flatten().cloned().collect();
    for ((name, item), followed) in lhs.iter().zip(followed) {
        let found = followed.and_then(|followed| partners.remove_entry(&followed));
        let is_free = found.is_none() && !taken.contains(name);
        let found = found.or_else(|| if is_free { partners.remove_entry(name) } else { None });
        let location =
            location.key_pair(&name.0, found.as_ref().map_or(&name.0, |(name, _)| &name.0));
        match found {
            Some((_, (at, partner))) => {
                is_in_order &= last < Some(at);
                (last, matched) = (Some(at), matched + 1);
                level.items(field, location, (*item).clone(), partner.clone());
            }
            None => level.removed(&location, level.text(field, item)),
        }
    }
    for (name, item) in &rhs {
        if partners.contains_key(name) {
            level.added(&location.key(&name.0), level.text(field, item));
        }
    }
    if !is_in_order {
        let text = format!("order of {matched}");
        let location = FieldLocation { weight: Weight::Cosmetic, ..location.clone() };
        level.modified(&location, text.clone(), text);
    }
}

/// The text of a key, and the number of earlier items with the same key.
type ItemKey = (String, usize);

fn with_keys<'i, 'a>(
    level: &Level<'a, '_>,
    field: &Field,
    keys: &[KeyField],
    items: &'i [Item<'a>],
) -> Vec<(ItemKey, &'i Item<'a>)> {
    let mut seen = BTreeMap::new();
    let mut with_keys = Vec::with_capacity(items.len());
    for item in items {
        let key = match item {
            Item::Message(ty, bytes) => item_key(level.schema(), ty, bytes, keys),
            // A value without an embedded message is its own key.
            Item::Scalar(value) => key_text(level.schema(), field, *value),
        };
        let before: &mut usize = seen.entry(key.clone()).or_default();
        with_keys.push(((key, *before), item));
        *before += 1;
    }
    with_keys
}

/// The key of an item: the values of all key fields.
pub(in crate::diff) fn item_key(
    schema: &Schema,
    ty: &MessageType,
    bytes: &[u8],
    keys: &[KeyField],
) -> String {
    let parts = keys.iter().map(|key| key_value(schema, ty, bytes, key));
    parts.collect::<Vec<_>>().join(", ")
}

/// The value of the field at the path `key`; empty if the path leads nowhere.
fn key_value(schema: &Schema, ty: &MessageType, bytes: &[u8], key: &str) -> String {
    let (mut ty, mut bytes) = (ty, bytes);
    let mut steps = key.split('.').peekable();
    while let Some(step) = steps.next() {
        let Some(field) = ty.field_by_name(step.as_bytes()) else { break };
        let run = Fields::of(schema, ty, bytes).known.into_iter();
        let run = run.filter(|(known, _)| known.number == field.number).map(|(_, run)| run).next();
        let record = run.and_then(|run| Records::new(run, 0).next()?.ok());
        match (field.kind, record.map(|record| record.value)) {
            (Kind::Message(id) | Kind::Group(id), value) if steps.peek().is_some() => {
                ty = &schema[id];
                bytes = match value {
                    Some(Value::Len(inside) | Value::Group(inside)) => inside,
                    _ => &[],
                };
            }
            (
                Kind::Message(id) | Kind::Group(id),
                Some(Value::Len(inside) | Value::Group(inside)),
            ) => {
                return brief(schema, BriefValue::Message(&schema[id], inside));
            }
            (_, value) => {
                return key_text(schema, field, value.unwrap_or_else(|| default_of(schema, field)));
            }
        }
    }
    String::new()
}

/// The text of a key in a path; a string is not quoted.
pub(in crate::diff) fn key_text(schema: &Schema, field: &Field, value: Value<'_>) -> String {
    match (field.kind, value) {
        (Kind::String, Value::Len(bytes)) if str::from_utf8(bytes).is_ok() => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => brief(schema, BriefValue::Value(field, value)),
    }
}
