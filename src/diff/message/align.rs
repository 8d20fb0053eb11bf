//! Which items of two lists stayed, in order.
//!
//! Time is bounded by the lengths alone, never by a clock: Myers' algorithm where the part that differs is short, else
//! the longest row of items that are there once on each side, and what stays around them.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::item::Item;

/// The most cells of the table that Myers' algorithm may have to look at.
const CELLS: usize = 1 << 18;

/// Pairs of positions that hold the same item, both ascending; the same for sides that are swapped.
pub(in crate::diff) fn align(lhs: &[Item<'_>], rhs: &[Item<'_>]) -> Vec<(usize, usize)> {
    let head = lhs.iter().zip(rhs).take_while(|(l, r)| l.is(r)).count();
    let (l, r) = (lhs.get(head..).unwrap_or_default(), rhs.get(head..).unwrap_or_default());
    let tail = l.iter().rev().zip(r.iter().rev()).take_while(|(l, r)| l.is(r)).count();
    let l = l.get(..l.len() - tail).unwrap_or_default();
    let r = r.get(..r.len() - tail).unwrap_or_default();
    let mut pairs: Vec<_> = (0..head).map(|at| (at, at)).collect();
    pairs.extend(middle(l, r).into_iter().map(|(x, y)| (head + x, head + y)));
    let (l, r) = (lhs.len() - tail, rhs.len() - tail);
    pairs.extend((0..tail).map(|at| (l + at, r + at)));
    pairs
}

fn middle(lhs: &[Item<'_>], rhs: &[Item<'_>]) -> Vec<(usize, usize)> {
    let (l, r) = shared(lhs, rhs);
    if l.is_empty() {
        return Vec::new();
    }
    // Which of two equally good answers is found depends on the side: that is decided by content.
    let numbers = |row: &[(u32, usize)]| row.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let (x, y) = (numbers(&l), numbers(&r));
    let same = if x <= y {
        of_numbers(&x, &y)
    } else {
        of_numbers(&y, &x).into_iter().map(|(b, a)| (a, b)).collect()
    };
    let place = |(a, b): (usize, usize)| Some((l.get(a)?.1, r.get(b)?.1));
    same.into_iter().filter_map(place).collect()
}

/// A number for each item that both sides have, and where it stands; the others can be nobody's partner.
type Row = Vec<(u32, usize)>;

fn shared(lhs: &[Item<'_>], rhs: &[Item<'_>]) -> (Row, Row) {
    let mut all: Vec<_> =
        lhs.iter().enumerate().map(|(at, item)| (item.rank(), false, at)).collect();
    all.extend(rhs.iter().enumerate().map(|(at, item)| (item.rank(), true, at)));
    all.sort_unstable();
    let (mut l, mut r, mut id) = (Vec::new(), Vec::new(), 0);
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let first_of_rhs = same.partition_point(|(_, is_rhs, _)| !is_rhs);
        if let Some((left, right)) = same.split_at_checked(first_of_rhs)
            && !left.is_empty()
            && !right.is_empty()
        {
            l.extend(left.iter().map(|(.., at)| (id, *at)));
            r.extend(right.iter().map(|(.., at)| (id, *at)));
            id += 1;
        }
    }
    l.sort_unstable_by_key(|(_, at)| *at);
    r.sort_unstable_by_key(|(_, at)| *at);
    (l, r)
}

fn of_numbers(lhs: &[u32], rhs: &[u32]) -> Vec<(usize, usize)> {
    if lhs.len().saturating_mul(rhs.len()) > CELLS {
        return around(&anchors(lhs, rhs), lhs, rhs);
    }
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, lhs, rhs) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|at| (old_index + at, new_index + at)));
        }
    }
    pairs
}

/// The longest row of items that are there once on each side.
fn anchors(lhs: &[u32], rhs: &[u32]) -> Vec<(usize, usize)> {
    let once = |row: &[u32]| {
        let mut places = BTreeMap::new();
        for (at, id) in row.iter().enumerate() {
            places.entry(*id).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (left, right) = (once(lhs), once(rhs));
    let mut pairs: Vec<_> =
        left.iter().filter_map(|(id, place)| Some((((*place)?), (*right.get(id)?)?))).collect();
    pairs.sort_unstable();
    ascending(&pairs)
}

/// The longest row of pairs whose second numbers ascend as the first do.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Of all rows of each length, the one that ends lowest; and what stands before each pair in its row.
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

/// The anchors, and equal items that stand next to them.
fn around(anchors: &[(usize, usize)], lhs: &[u32], rhs: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let ends = [(lhs.len(), rhs.len())];
    for &(x, y) in anchors.iter().chain(&ends) {
        let (mut l, mut r) = pairs.last().map_or((0, 0), |(l, r)| (l + 1, r + 1));
        // On from the one before,
        while l < x && r < y && lhs.get(l) == rhs.get(r) {
            pairs.push((l, r));
            (l, r) = (l + 1, r + 1);
        }
        // and back from this one.
        let back = (1..=(x - l).min(y - r)).take_while(|at| lhs.get(x - at) == rhs.get(y - at));
        let back = back.count();
        pairs.extend((0..back).rev().map(|at| (x - 1 - at, y - 1 - at)));
        if x < lhs.len() {
            pairs.push((x, y));
        }
    }
    pairs
}
