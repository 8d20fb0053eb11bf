//! Compares lists as multisets.

use super::difference::FieldLocation;
use super::item::Item;
use super::level::Level;
use crate::diff::join::join;
use crate::schema::Field;

/// The maximum number of pairs of unmatched items for which the rules are consulted.
const MOST_PAIRS: usize = 1 << 12;

/// Reports the items that one side lacks; an item counts as often as it occurs.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    location: &FieldLocation<'a>,
    lhs: &[Item<'a>],
    rhs: &[Item<'a>],
) {
    let (mut left, mut right) = unmatched(lhs, rhs);
    if left.len().saturating_mul(right.len()) <= MOST_PAIRS {
        left.retain(|(_, x)| {
            let partner = right.iter().position(|(_, y)| level.are_equivalent(field, x, y));
            partner.map(|at| right.remove(at)).is_none()
        });
    }
    for (index, item) in left {
        level.removed(&location.index(index), level.text(field, item));
    }
    for (index, item) in right {
        level.added(&location.index(index), level.text(field, item));
    }
}

/// An item and its position.
type IndexedItem<'i, 'a> = (usize, &'i Item<'a>);

/// The items of each side that the other lacks, in order.
fn unmatched<'i, 'a>(
    lhs: &'i [Item<'a>],
    rhs: &'i [Item<'a>],
) -> (Vec<IndexedItem<'i, 'a>>, Vec<IndexedItem<'i, 'a>>) {
    let sorted = |items: &'i [Item<'a>]| {
        let mut sorted: Vec<_> = items.iter().enumerate().collect();
        sorted.sort_by_key(|(_, item)| item.sort_key());
        sorted
    };
    let (left, right) = (sorted(lhs), sorted(rhs));
    let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
    for pair in join(left, right, |(_, l), (_, r)| l.sort_key().cmp(&r.sort_key())) {
        match pair {
            (Some(l), None) => only_left.push(l),
            (None, Some(r)) => only_right.push(r),
            _ => {}
        }
    }
    only_left.sort_by_key(|(index, _)| *index);
    only_right.sort_by_key(|(index, _)| *index);
    (only_left, only_right)
}
