//! Ascending sequences: the pairs of two lists that keep their order.

use super::join::join;

/// The longest ascending sequence of items that occur once on each side.
pub(super) fn anchors<T: Ord + Copy>(lhs: &[T], rhs: &[T]) -> Vec<(usize, usize)> {
    let once = |row: &[T]| {
        let mut items: Vec<(T, usize)> = row.iter().copied().zip(0..).collect();
        items.sort_unstable();
        let alone = items.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
        alone.flatten().copied().collect::<Vec<_>>()
    };
    let (lhs, rhs) = (once(lhs), once(rhs));
    let both = join(lhs, rhs, |(l, _), (r, _)| l.cmp(r)).filter_map(|(l, r)| Some((l?.1, r?.1)));
    let mut pairs: Vec<_> = both.collect();
    pairs.sort_unstable();
    longest_ascending(&pairs)
}

/// The longest subsequence of pairs whose second numbers ascend as the first do.
pub(super) fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The lowest end of the sequences of each length, and the predecessor of each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = Vec::with_capacity(pairs.len());
    let second = |at: usize| pairs.get(at).map(|pair| pair.1);
    for (at, pair) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| second(*end) < Some(pair.1));
        before.push(len.checked_sub(1).and_then(|len| ends.get(len).copied()));
        match ends.get_mut(len) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        row.extend(pairs.get(at));
        next = before.get(at).copied().flatten();
    }
    row.reverse();
    row
}
