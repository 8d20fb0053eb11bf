//! Aligns two long lists of keys.
//!
//! The time is nearly linear: keys that occur once on each side divide the lists, and between them Myers'
//! algorithm takes the path that leads furthest whenever it has made too many edits.

use crate::diff::ascending::anchors;

/// The maximum number of edits before a path is chosen.
const MOST_EDITS: usize = 256;

/// Ascending pairs of positions of equal keys.
pub(super) fn align(lhs: &[u64], rhs: &[u64]) -> Vec<(usize, usize)> {
    // A key of one side only cannot be paired, and would count as an edit.
    let (l, r) = (shared(lhs, rhs), shared(rhs, lhs));
    let keys = |row: &[(u64, usize)]| row.iter().map(|(key, _)| *key).collect::<Vec<_>>();
    let mut pairs = Vec::new();
    divide(&keys(&l), &keys(&r), &mut pairs);
    let position = |(x, y): (usize, usize)| Some((l.get(x)?.1, r.get(y)?.1));
    pairs.into_iter().filter_map(position).collect()
}

/// The keys that the other side has too, with their positions.
fn shared(keys: &[u64], others: &[u64]) -> Vec<(u64, usize)> {
    let mut known = others.to_vec();
    known.sort_unstable();
    let rows = keys.iter().copied().zip(0..);
    rows.filter(|(key, _)| known.binary_search(key).is_ok()).collect()
}

fn divide(lhs: &[u64], rhs: &[u64], pairs: &mut Vec<(usize, usize)>) {
    let head = lhs.iter().zip(rhs).take_while(|(l, r)| l == r).count();
    pairs.extend((0..head).map(|at| (at, at)));
    let (l, r) = (lhs.get(head..).unwrap_or_default(), rhs.get(head..).unwrap_or_default());
    let tail = l.iter().rev().zip(r.iter().rev()).take_while(|(l, r)| l == r).count();
    let (l_end, r_end) = (lhs.len() - tail, rhs.len() - tail);
    let l = lhs.get(head..l_end).unwrap_or_default();
    let r = rhs.get(head..r_end).unwrap_or_default();
    let (mut x, mut y) = (0, 0);
    for (x_end, y_end) in anchors(l, r).into_iter().chain([(l.len(), r.len())]) {
        let (a, b) = (l.get(x..x_end), r.get(y..y_end));
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        myers(a, b, (head + x, head + y), pairs);
        if x_end < l.len() {
            pairs.push((head + x_end, head + y_end));
        }
        (x, y) = (x_end + 1, y_end + 1);
    }
    pairs.extend((0..tail).map(|at| (l_end + at, r_end + at)));
}

/// Aligns by Myers' algorithm; `at` is the position of both lists.
fn myers(
    mut lhs: &[u64],
    mut rhs: &[u64],
    mut at: (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
) {
    while !lhs.is_empty() && !rhs.is_empty() {
        let (same, (x, y)) = Search::new(lhs, rhs).path();
        pairs.extend(same.into_iter().map(|(x, y)| (at.0 + x, at.1 + y)));
        at = (at.0 + x, at.1 + y);
        lhs = lhs.get(x..).unwrap_or_default();
        rhs = rhs.get(y..).unwrap_or_default();
    }
}

/// A search for the path with the fewest edits.
struct Search<'k> {
    lhs: &'k [u64],
    rhs: &'k [u64],
    /// For each number of edits, the furthest position in lhs on each diagonal; `None` outside of the lists.
    reached: Vec<Vec<Option<usize>>>,
}

impl<'k> Search<'k> {
    fn new(lhs: &'k [u64], rhs: &'k [u64]) -> Self {
        Self { lhs, rhs, reached: Vec::new() }
    }

    /// The equal keys on the path, and its end: the end of both lists, or the furthest after the most edits.
    fn path(mut self) -> (Vec<(usize, usize)>, (usize, usize)) {
        let mut edits = 0;
        loop {
            let row: Vec<_> = (0..=edits).map(|diagonal| self.furthest(edits, diagonal)).collect();
            let ends = row.iter().enumerate().filter_map(|(diagonal, x)| {
                let x = (*x)?;
                Some((x + y_of(x, edits, diagonal)?, diagonal, x))
            });
            // Of equally far ends the first counts.
            let best = ends.max_by_key(|(sum, diagonal, _)| (*sum, std::cmp::Reverse(*diagonal)));
            self.reached.push(row);
            let Some((sum, diagonal, x)) = best else { return (Vec::new(), self.end()) };
            if edits == MOST_EDITS || sum == self.lhs.len() + self.rhs.len() {
                return (self.back(edits, diagonal), (x, sum - x));
            }
            edits += 1;
        }
    }

    fn end(&self) -> (usize, usize) {
        (self.lhs.len(), self.rhs.len())
    }

    /// The furthest position in lhs after a number of edits; diagonals are numbered from 0 for insertions only.
    fn furthest(&self, edits: usize, diagonal: usize) -> Option<usize> {
        let start = self.start(edits, diagonal)?;
        let y = y_of(start, edits, diagonal)?;
        let (l, r) = (self.lhs.get(start..)?, self.rhs.get(y..)?);
        Some(start + l.iter().zip(r).take_while(|(l, r)| l == r).count())
    }

    /// The position in lhs behind the last edit.
    fn start(&self, edits: usize, diagonal: usize) -> Option<usize> {
        if edits == 0 {
            return Some(0);
        }
        let before = |diagonal: usize| *self.reached.get(edits - 1)?.get(diagonal)?;
        let removed = diagonal.checked_sub(1).and_then(before).map(|x| x + 1);
        let removed = removed.filter(|&x| x <= self.lhs.len());
        let is_inside = |&x: &usize| y_of(x, edits, diagonal).is_some_and(|y| y <= self.rhs.len());
        removed.max(before(diagonal).filter(is_inside))
    }

    /// The equal keys on the path to a diagonal.
    fn back(&self, mut edits: usize, mut diagonal: usize) -> Vec<(usize, usize)> {
        let mut same = Vec::new();
        loop {
            let end = self.reached.get(edits).and_then(|row| *row.get(diagonal)?);
            let (Some(end), Some(start)) = (end, self.start(edits, diagonal)) else { break };
            let pair = |x| Some((x, y_of(x, edits, diagonal)?));
            same.extend((start..end).rev().filter_map(pair));
            let Some(before) = edits.checked_sub(1) else { break };
            let row = self.reached.get(before);
            let removed = diagonal.checked_sub(1).and_then(|diagonal| *row?.get(diagonal)?);
            if removed.is_some_and(|x| x + 1 == start) {
                diagonal -= 1;
            }
            edits = before;
        }
        same.reverse();
        same
    }
}

/// The position in rhs: after as many removals as the number of the diagonal, all other edits are insertions.
fn y_of(x: usize, edits: usize, diagonal: usize) -> Option<usize> {
    (x + edits).checked_sub(2 * diagonal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the longest common subsequence.
    fn longest(lhs: &[u64], rhs: &[u64]) -> usize {
        let mut row = vec![0; rhs.len() + 1];
        for l in lhs {
            let mut diagonal = 0;
            for (y, r) in rhs.iter().enumerate() {
                let above = row[y + 1];
                row[y + 1] = if l == r { diagonal + 1 } else { above.max(row[y]) };
                diagonal = above;
            }
        }
        row[rhs.len()]
    }

    fn keys(len: usize, kinds: u64, seed: u64) -> Vec<u64> {
        let next = |state: &u64| {
            let state = state ^ (state << 13);
            let state = state ^ (state >> 7);
            Some(state ^ (state << 17))
        };
        std::iter::successors(Some(seed), next).skip(9).take(len).map(|x| x % kinds).collect()
    }

    #[test]
    fn an_alignment_ascends_and_pairs_equal_keys() {
        for (len, kinds) in [(0, 1), (9, 2), (60, 3), (300, 7), (3000, 5), (3000, 900)] {
            for seed in 1..6 {
                let (lhs, rhs) = (keys(len, kinds, seed), keys(len + 5, kinds, seed + 77));
                let pairs = align(&lhs, &rhs);
                assert!(pairs.iter().all(|&(x, y)| lhs[x] == rhs[y]));
                assert!(pairs.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
            }
        }
    }

    #[test]
    fn between_anchors_the_alignment_is_the_longest() {
        for (len, kinds) in [(9, 2), (40, 3), (90, 4)] {
            for seed in 1..20 {
                let (lhs, rhs) = (keys(len, kinds, seed), keys(len + 5, kinds, seed + 77));
                let mut pairs = Vec::new();
                myers(&lhs, &rhs, (0, 0), &mut pairs);
                assert_eq!(pairs.len(), longest(&lhs, &rhs), "{lhs:?} {rhs:?}");
            }
        }
    }

    #[test]
    fn what_was_inserted_into_a_long_list_is_found() {
        let lhs: Vec<u64> = (0..40_000).map(|at| at % 10).collect();
        let mut rhs = lhs.clone();
        for at in [35_000, 20_000, 100] {
            rhs.splice(at..at, (0..20).map(|at| 7 * at % 13));
        }
        assert_eq!(align(&lhs, &rhs).len(), lhs.len());
    }
}
