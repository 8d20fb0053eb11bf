//! Compares lists in order.

use super::align::align;
use super::difference::FieldLocation;
use super::item::Item;
use super::level::Level;
use crate::schema::Field;

/// Reports inserted, removed and replaced items: between two items that both sides have, the other items are
/// paired in order.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    location: &FieldLocation<'a>,
    lhs: &[Item<'a>],
    rhs: &[Item<'a>],
) {
    let (mut l, mut r) = (0, 0);
    let end = [(lhs.len(), rhs.len())];
    for (x, y) in align(lhs, rhs).into_iter().chain(end) {
        let paired = (x - l).min(y - r);
        for (i, j) in (l..x).zip(r..y) {
            if let (Some(lhs), Some(rhs)) = (lhs.get(i), rhs.get(j)) {
                level.items(field, location.index_pair(i, j), lhs.clone(), rhs.clone());
            }
        }
        for i in l + paired..x {
            if let Some(item) = lhs.get(i) {
                level.removed(&location.index(i), level.text(field, item));
            }
        }
        for j in r + paired..y {
            if let Some(item) = rhs.get(j) {
                level.added(&location.index(j), level.text(field, item));
            }
        }
        (l, r) = (x + 1, y + 1);
    }
}
