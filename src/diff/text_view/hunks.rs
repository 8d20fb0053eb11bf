//! Compares two texts line by line.

use similar::{DiffOp, group_diff_ops};

use super::lines::{Lines, StoredLine};
use crate::diff::walk::message::{Item, align};
use crate::message::Value;

/// The maximum number of lines of context.
const MOST_CONTEXT: usize = 1 << 20;

/// The farthest that a change is moved to make it easier to read.
const FAR: usize = 64;

/// The differences between the two texts of a changed part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextDiff {
    /// Changed lines with their context; empty if the texts are equal.
    pub hunks: Vec<Hunk>,
    /// Whether the texts were cut because they are long, so that there may be more differences.
    pub is_cut: bool,
}

/// A block of adjacent lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first line of lhs, from 1; if the hunk has no line of lhs, of the line before it.
    pub lhs_start: usize,
    /// The number of lines of lhs.
    pub lhs_len: usize,
    /// The number of the first line of rhs, from 1; if the hunk has no line of rhs, of the line before it.
    pub rhs_start: usize,
    /// The number of lines of rhs.
    pub rhs_len: usize,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a [`Hunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The side of the line.
    pub tag: LineTag,
    /// The text without the line end; of a very long line, its start.
    pub text: String,
    /// The number of bytes that were cut.
    pub more: u64,
}

/// The side of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTag {
    /// On both sides.
    Same,
    /// Only in lhs.
    Removed,
    /// Only in rhs.
    Added,
}

/// Compares two texts.
pub(super) fn text(lhs: &Lines, rhs: &Lines, context: usize) -> TextDiff {
    let mut ops = ops(&pairs(&lhs.rows, &rhs.rows), lhs.rows.len(), rhs.rows.len());
    slide(&mut ops, &lhs.rows, &rhs.rows);
    let groups = group_diff_ops(ops, context.min(MOST_CONTEXT));
    let hunks = groups.iter().map(|ops| hunk(ops, &lhs.rows, &rhs.rows));
    TextDiff { hunks: hunks.collect(), is_cut: lhs.is_cut || rhs.is_cut }
}

/// The positions of equal lines, in order.
fn pairs(lhs: &[StoredLine], rhs: &[StoredLine]) -> Vec<(usize, usize)> {
    let keys =
        |rows: &[StoredLine]| rows.iter().map(|row| row.key().into_owned()).collect::<Vec<_>>();
    let (l, r) = (keys(lhs), keys(rhs));
    fn items(keys: &[Vec<u8>]) -> Vec<Item<'_>> {
        keys.iter().map(|key| Item::Scalar(Value::Len(key))).collect()
    }
    align(&items(&l), &items(&r))
}

/// The edit operations between the texts.
fn ops(pairs: &[(usize, usize)], lhs: usize, rhs: usize) -> Vec<DiffOp> {
    let mut ops = Vec::new();
    let (mut l, mut r) = (0, 0);
    let runs = pairs.chunk_by(|a, b| (a.0 + 1, a.1 + 1) == *b);
    let runs = runs.filter_map(|run| run.first().map(|&(l, r)| (l, r, run.len())));
    for (old_index, new_index, len) in runs.chain([(lhs, rhs, 0)]) {
        let (old_len, new_len) = (old_index - l, new_index - r);
        match (old_len, new_len) {
            (0, 0) => {}
            (_, 0) => ops.push(DiffOp::Delete { old_index: l, old_len, new_index: r }),
            (0, _) => ops.push(DiffOp::Insert { old_index: l, new_index: r, new_len }),
            _ => ops.push(DiffOp::Replace { old_index: l, old_len, new_index: r, new_len }),
        }
        if len > 0 {
            ops.push(DiffOp::Equal { old_index, new_index, len });
        }
        (l, r) = (old_index + len, new_index + len);
    }
    ops
}

/// Moves inserted and removed lines between equal lines so that they start with the outermost line: an `attr
/// { … }` and not `… } attr {`.
fn slide(ops: &mut [DiffOp], lhs: &[StoredLine], rhs: &[StoredLine]) {
    for at in 0..ops.len() {
        let Some((before, rest)) = ops.split_at_mut_checked(at) else { return };
        let Some((op, behind)) = rest.split_first_mut() else { return };
        let (rows, start, len) = match *op {
            DiffOp::Insert { new_index, new_len, .. } => (rhs, new_index, new_len),
            DiffOp::Delete { old_index, old_len, .. } => (lhs, old_index, old_len),
            _ => continue,
        };
        // At least one equal line stays between two changes.
        if before.is_empty() || behind.is_empty() {
            continue;
        }
        let room = |equal: Option<&DiffOp>, is_end: bool| match equal {
            Some(DiffOp::Equal { len, .. }) => len - usize::from(!is_end),
            _ => 0,
        };
        let up = room(before.last(), before.len() == 1).min(FAR);
        let down = room(behind.first(), behind.len() == 1).min(FAR);
        let is_same = |a: Option<usize>, b: usize| {
            a.and_then(|a| rows.get(a)).is_some_and(|row| Some(row) == rows.get(b))
        };
        let up = (1..=up).take_while(|k| is_same(start.checked_sub(*k), start + len - k)).count();
        let down = (0..down).take_while(|k| is_same(Some(start + k), start + len + k)).count();
        let shifts = (0..=up).map(|k| (k, 0)).chain((1..=down).map(|k| (0, k)));
        let reads = |&(up, down): &(usize, usize)| {
            let first = rows.get(start + down - up);
            let closes = first.is_some_and(|row| row.text().trim_start() == "}");
            (first.map_or(0, StoredLine::indent), closes, up + down)
        };
        if let Some((up, down)) = shifts.min_by_key(reads) {
            shift((before.last_mut(), op, behind.first_mut()), up, down);
        }
    }
}

/// Moves an operation up or down between equal lines.
fn shift(
    (before, op, behind): (Option<&mut DiffOp>, &mut DiffOp, Option<&mut DiffOp>),
    up: usize,
    down: usize,
) {
    if let Some(DiffOp::Equal { len, .. }) = before {
        *len = *len + down - up;
    }
    if let DiffOp::Insert { old_index, new_index, .. }
    | DiffOp::Delete { old_index, new_index, .. } = op
    {
        *old_index = *old_index + down - up;
        *new_index = *new_index + down - up;
    }
    if let Some(DiffOp::Equal { old_index, new_index, len }) = behind {
        *old_index = *old_index + down - up;
        *new_index = *new_index + down - up;
        *len = *len + up - down;
    }
}

fn hunk(ops: &[DiffOp], lhs: &[StoredLine], rhs: &[StoredLine]) -> Hunk {
    let mut lines = Vec::new();
    let mut push = |tag, rows: Option<&[StoredLine]>| {
        let line = |row: &StoredLine| Line { tag, text: row.text().to_owned(), more: row.more };
        lines.extend(rows.unwrap_or_default().iter().map(line));
    };
    let (mut old, mut new) = (0..0, 0..0);
    for (at, op) in ops.iter().enumerate() {
        let (l, r) = (op.old_range(), op.new_range());
        if at == 0 {
            (old, new) = (l.clone(), r.clone());
        }
        (old.end, new.end) = (l.end, r.end);
        if let DiffOp::Equal { .. } = op {
            push(LineTag::Same, lhs.get(l));
        } else {
            push(LineTag::Removed, lhs.get(l));
            push(LineTag::Added, rhs.get(r));
        }
    }
    // As in a unified diff, lines are counted from 1, and an empty range lies after the line before it.
    let start = |range: &std::ops::Range<usize>| range.start + usize::from(!range.is_empty());
    Hunk {
        lhs_start: start(&old),
        lhs_len: old.len(),
        rhs_start: start(&new),
        rhs_len: new.len(),
        lines,
    }
}
