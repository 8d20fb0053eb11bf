//! Lists whose order means something.

use super::align::align;
use super::entry::Spot;
use super::item::Item;
use super::level::Level;
use crate::schema::Field;

/// Tells what was put in, taken out, or replaced: items of both sides between two that stayed are paired in order.
pub(super) fn compare<'a>(
    level: &mut Level<'a, '_>,
    field: &'a Field,
    spot: &Spot<'a>,
    lhs: &[Item<'a>],
    rhs: &[Item<'a>],
) {
    let (mut l, mut r) = (0, 0);
    let end = [(lhs.len(), rhs.len())];
    for (x, y) in align(lhs, rhs).into_iter().chain(end) {
        let paired = (x - l).min(y - r);
        for (i, j) in (l..x).zip(r..y) {
            if let (Some(lhs), Some(rhs)) = (lhs.get(i), rhs.get(j)) {
                level.pair(field, spot.indexes(i, j), lhs.clone(), rhs.clone());
            }
        }
        for i in l + paired..x {
            if let Some(item) = lhs.get(i) {
                level.removed(&spot.index(i), level.text(field, item));
            }
        }
        for j in r + paired..y {
            if let Some(item) = rhs.get(j) {
                level.added(&spot.index(j), level.text(field, item));
            }
        }
        (l, r) = (x + 1, y + 1);
    }
}
