//! Joins two sorted sequences.

use std::cmp::Ordering;

/// Pairs each item with an equal one of the other side; an item that the other side lacks is returned alone.
pub(super) fn join<L, R>(
    lhs: impl IntoIterator<Item = L>,
    rhs: impl IntoIterator<Item = R>,
    order: impl Fn(&L, &R) -> Ordering,
) -> impl Iterator<Item = (Option<L>, Option<R>)> {
    let (mut lhs, mut rhs) = (lhs.into_iter().peekable(), rhs.into_iter().peekable());
    std::iter::from_fn(move || {
        let order = match (lhs.peek(), rhs.peek()) {
            (Some(l), Some(r)) => order(l, r),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        Some((lhs.next_if(|_| order.is_le()), rhs.next_if(|_| order.is_ge())))
    })
}
