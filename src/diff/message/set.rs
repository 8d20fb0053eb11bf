//! Lists whose order means nothing.

use std::cmp::Ordering;

use super::entry::Spot;
use super::item::Item;
use super::level::Level;
use crate::schema::Field;

/// The most pairs of items without a partner that the rules are asked about.
const ASKED: usize = 1 << 12;

/// Tells which items one side lacks; each counts as often as it is given.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    spot: &Spot<'a>,
    lhs: &[Item<'a>],
    rhs: &[Item<'a>],
) {
    let (mut left, mut right) = unmatched(lhs, rhs);
    if left.len().saturating_mul(right.len()) <= ASKED {
        left.retain(|(_, x)| {
            let partner = right.iter().position(|(_, y)| level.says_the_same(field, x, y));
            partner.map(|at| right.remove(at)).is_none()
        });
    }
    for (index, item) in left {
        level.removed(&spot.index(index), level.text(field, item));
    }
    for (index, item) in right {
        level.added(&spot.index(index), level.text(field, item));
    }
}

/// An item and where it stands.
type Placed<'i, 'a> = (usize, &'i Item<'a>);

/// The items of each side that the other does not have, in their order.
fn unmatched<'i, 'a>(
    lhs: &'i [Item<'a>],
    rhs: &'i [Item<'a>],
) -> (Vec<Placed<'i, 'a>>, Vec<Placed<'i, 'a>>) {
    let sorted = |items: &'i [Item<'a>]| {
        let mut sorted: Vec<_> = items.iter().enumerate().collect();
        sorted.sort_by_key(|(_, item)| item.rank());
        sorted
    };
    let (left, right) = (sorted(lhs), sorted(rhs));
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
    loop {
        let order = match (l.peek(), r.peek()) {
            (Some((_, x)), Some((_, y))) => x.rank().cmp(&y.rank()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        if order.is_le() {
            only_left.extend(l.next().filter(|_| order.is_lt()));
        }
        if order.is_ge() {
            only_right.extend(r.next().filter(|_| order.is_gt()));
        }
    }
    only_left.sort_by_key(|(index, _)| *index);
    only_right.sort_by_key(|(index, _)| *index);
    (only_left, only_right)
}
