//! Aligns two lists: finds the items that both have, in order.
//!
//! The time depends on the lengths only, never on a clock: Myers' algorithm if the part that differs is
//! short, else the longest ascending sequence of unique common items, extended to equal neighbors.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::item::Item;
use crate::diff::ascending::anchors;

/// The largest table that Myers' algorithm may fill.
const MOST_CELLS: usize = 1 << 18;

/// Ascending pairs of positions of equal items. Swapping the sides swaps the pairs.
pub(in crate::diff) fn align(lhs: &[Item<'_>], rhs: &[Item<'_>]) -> Vec<(usize, usize)> {
    let head = lhs.iter().zip(rhs).take_while(|(l, r)| l.equals(r)).count();
    let (l, r) = (lhs.get(head..).unwrap_or_default(), rhs.get(head..).unwrap_or_default());
    let tail = l.iter().rev().zip(r.iter().rev()).take_while(|(l, r)| l.equals(r)).count();
    let l = l.get(..l.len() - tail).unwrap_or_default();
    let r = r.get(..r.len() - tail).unwrap_or_default();
    let mut pairs: Vec<_> = (0..head).map(|at| (at, at)).collect();
    pairs.extend(align_middle(l, r).into_iter().map(|(x, y)| (head + x, head + y)));
    let (l, r) = (lhs.len() - tail, rhs.len() - tail);
    pairs.extend((0..tail).map(|at| (l + at, r + at)));
    pairs
}

fn align_middle(lhs: &[Item<'_>], rhs: &[Item<'_>]) -> Vec<(usize, usize)> {
    let (l, r) = shared(lhs, rhs);
    if l.is_empty() {
        return Vec::new();
    }
    // The choice among equally good alignments depends on the order of the arguments, so the content decides
    // the order.
    let numbers = |row: &[(u32, usize)]| row.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let (x, y) = (numbers(&l), numbers(&r));
    let same = if x <= y {
        align_ids(&x, &y)
    } else {
        align_ids(&y, &x).into_iter().map(|(b, a)| (a, b)).collect()
    };
    let position = |(a, b): (usize, usize)| Some((l.get(a)?.1, r.get(b)?.1));
    same.into_iter().filter_map(position).collect()
}

/// A number for each item that both sides have, and its position. Items of one side only cannot be paired.
type Row = Vec<(u32, usize)>;

fn shared(lhs: &[Item<'_>], rhs: &[Item<'_>]) -> (Row, Row) {
    let mut all: Vec<_> =
        lhs.iter().enumerate().map(|(at, item)| (item.sort_key(), false, at)).collect();
    all.extend(rhs.iter().enumerate().map(|(at, item)| (item.sort_key(), true, at)));
    all.sort_unstable();
    let (mut l, mut r, mut id) = (Vec::new(), Vec::new(), 0);
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let first_of_rhs = same.partition_point(|(_, is_rhs, _)| !is_rhs);
        if let Some((lhs, rhs)) = same.split_at_checked(first_of_rhs)
            && !lhs.is_empty()
            && !rhs.is_empty()
        {
            l.extend(lhs.iter().map(|(.., at)| (id, *at)));
            r.extend(rhs.iter().map(|(.., at)| (id, *at)));
            id += 1;
        }
    }
    l.sort_unstable_by_key(|(_, at)| *at);
    r.sort_unstable_by_key(|(_, at)| *at);
    (l, r)
}

fn align_ids(lhs: &[u32], rhs: &[u32]) -> Vec<(usize, usize)> {
    if lhs.len().saturating_mul(rhs.len()) > MOST_CELLS {
        return extend_anchors(&anchors(lhs, rhs), lhs, rhs);
    }
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, lhs, rhs) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|at| (old_index + at, new_index + at)));
        }
    }
    pairs
}

/// The anchors, and the equal items next to them.
fn extend_anchors(anchors: &[(usize, usize)], lhs: &[u32], rhs: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let ends = [(lhs.len(), rhs.len())];
    for &(x, y) in anchors.iter().chain(&ends) {
        let (mut l, mut r) = pairs.last().map_or((0, 0), |(l, r)| (l + 1, r + 1));
        // Forward from the previous anchor,
        while l < x && r < y && lhs.get(l) == rhs.get(r) {
            pairs.push((l, r));
            (l, r) = (l + 1, r + 1);
        }
        // and backward from this one.
        let back = (1..=(x - l).min(y - r)).take_while(|at| lhs.get(x - at) == rhs.get(y - at));
        let back = back.count();
        pairs.extend((0..back).rev().map(|at| (x - 1 - at, y - 1 - at)));
        if x < lhs.len() {
            pairs.push((x, y));
        }
    }
    pairs
}
