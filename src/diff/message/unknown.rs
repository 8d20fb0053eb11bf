//! Fields that the schema does not know, by number, encoding and occurrence.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::entry::Spot;
use super::level::Level;
use crate::diff::Weight;
use crate::message::Value;
use crate::text::{BriefValue, brief};

/// What fields are brought together by: number, encoding, and which of those it is.
type Name = (u32, u8, usize);

/// Compares the unknown fields of a message.
pub(super) fn compare(
    level: &mut Level<'_, '_>,
    weight: Weight,
    lhs: &[(u32, Value<'_>)],
    rhs: &[(u32, Value<'_>)],
) {
    let (lhs, rhs) = (named(lhs), named(rhs));
    let (mut l, mut r) = (lhs.iter().peekable(), rhs.iter().peekable());
    loop {
        let order = match (l.peek(), r.peek()) {
            (Some((x, _)), Some((y, _))) => x.cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let left = if order.is_le() { l.next() } else { None };
        let right = if order.is_ge() { r.next() } else { None };
        let Some((name, _)) = left.or(right) else { break };
        let is_again = [l.peek(), r.peek()].iter().flatten().any(|(next, _)| follows(name, next));
        let spot = Spot { name: Cow::Owned(name.0.to_string()), ..Spot::new("", weight) };
        let spot = if is_again || name.2 > 0 { spot.index(name.2) } else { spot };
        let text = |value: &Value<'_>| brief(level.schema(), BriefValue::Unknown(name.0, *value));
        match (left, right) {
            (Some((_, x)), Some((_, y))) if x != y => {
                let (x, y) = (text(x), text(y));
                level.modified(&spot, x, y);
            }
            (Some((_, x)), None) => level.removed(&spot, text(x)),
            (None, Some((_, y))) => level.added(&spot, text(y)),
            _ => {}
        }
    }
}

fn follows(name: &Name, next: &Name) -> bool {
    (name.0, name.1) == (next.0, next.1) && next.2 > 0
}

fn named<'a>(fields: &[(u32, Value<'a>)]) -> Vec<(Name, Value<'a>)> {
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
