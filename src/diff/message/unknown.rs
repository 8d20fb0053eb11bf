//! Compares fields that the schema lacks, by number, wire type and occurrence.

use super::difference::FieldLocation;
use super::level::Level;
use crate::diff::join::join;
use crate::message::Value;
use crate::text::{BriefValue, brief};

/// The key of a field: number, wire type, and occurrence among those with both.
type UnknownKey = (u32, u8, usize);

/// Compares the unknown fields of a message.
pub(super) fn compare(
    level: &mut Level<'_, '_>,
    lhs: &[(u32, Value<'_>)],
    rhs: &[(u32, Value<'_>)],
) {
    let (lhs, rhs) = (numbered(lhs), numbered(rhs));
    for pair in join(&lhs, &rhs, |(l, _), (r, _)| l.cmp(r)) {
        let ((Some((key, _)), _) | (_, Some((key, _)))) = pair else { continue };
        let &(number, wire_type, occurrence) = key;
        let has_second = |fields: &[(UnknownKey, Value<'_>)]| {
            fields.binary_search_by_key(&(number, wire_type, 1), |(key, _)| *key).is_ok()
        };
        let field = FieldLocation::new(number.to_string(), level.weight);
        let is_repeated = has_second(&lhs) || has_second(&rhs);
        let location = if is_repeated { field.index(occurrence) } else { field };
        let text = |value: &Value<'_>| brief(level.schema(), BriefValue::Unknown(number, *value));
        match pair {
            (Some((_, x)), Some((_, y))) if x != y => {
                let (x, y) = (text(x), text(y));
                level.modified(&location, x, y);
            }
            (Some((_, x)), None) => level.removed(&location, text(x)),
            (None, Some((_, y))) => level.added(&location, text(y)),
            _ => {}
        }
    }
}

fn numbered<'a>(fields: &[(u32, Value<'a>)]) -> Vec<(UnknownKey, Value<'a>)> {
    let mut sorted: Vec<_> = fields
        .iter()
        .map(|(number, value)| ((*number, value.wire_type() as u8, 0), *value))
        .collect();
    sorted.sort_by_key(|(name, _)| *name);
    for same in sorted.chunk_by_mut(|(a, _), (b, _)| a == b) {
        for (occurrence, (name, _)) in same.iter_mut().enumerate() {
            name.2 = occurrence;
        }
    }
    sorted
}
