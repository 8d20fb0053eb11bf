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
    let (mut only_lhs, mut only_rhs) = unmatched(lhs, rhs);
    if only_lhs.len().saturating_mul(only_rhs.len()) <= MOST_PAIRS {
        only_lhs.retain(|(_, x)| {
            let partner = only_rhs.iter().position(|(_, y)| level.are_equivalent(field, x, y));
            partner.map(|at| only_rhs.remove(at)).is_none()
        });
    }
    for (index, item) in only_lhs {
        level.removed(&location.index(index), level.text(field, item));
    }
    for (index, item) in only_rhs {
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
    let (lhs, rhs) = (sorted(lhs), sorted(rhs));
    let (mut only_lhs, mut only_rhs) = (Vec::new(), Vec::new());
    for pair in join(lhs, rhs, |(_, l), (_, r)| l.sort_key().cmp(&r.sort_key())) {
        match pair {
            (Some(l), None) => only_lhs.push(l),
            (None, Some(r)) => only_rhs.push(r),
            _ => {}
        }
    }
    only_lhs.sort_by_key(|(index, _)| *index);
    only_rhs.sort_by_key(|(index, _)| *index);
    (only_lhs, only_rhs)
}
