//! Two texts, line by line.

use similar::{DiffOp, group_diff_ops};

use super::lines::{Lines, Row};
use crate::diff::message::{Item, align};
use crate::message::Value;

/// Lines around a change that are shown at most.
const MOST_CONTEXT: usize = 1 << 20;

/// How far a change may be moved to where it reads better.
const FAR: usize = 64;

/// What differs between the texts of an element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// Lines that differ, with those around them; none where the two texts are the same.
    pub hunks: Vec<Hunk>,
    /// Whether not all of the texts was looked at, because they are long: more may differ than is told.
    pub is_cut: bool,
}

/// Lines that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first line of lhs, from 1 on; where the hunk has none of lhs, the line before it.
    pub lhs_start: usize,
    /// How many lines are of lhs.
    pub lhs_len: usize,
    /// The first line of rhs, from 1 on; where the hunk has none of rhs, the line before it.
    pub rhs_start: usize,
    /// How many lines are of rhs.
    pub rhs_len: usize,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a [`Hunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Whose it is.
    pub tag: Tag,
    /// What it says, without its end; the beginning of a very long one.
    pub text: String,
    /// How many bytes more it has.
    pub more: u64,
}

/// Whose a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// Of both sides.
    Same,
    /// Of lhs.
    Removed,
    /// Of rhs.
    Added,
}

/// Holds two texts against each other.
pub(super) fn text(lhs: &Lines, rhs: &Lines, context: usize) -> Text {
    let mut ops = ops(&pairs(&lhs.rows, &rhs.rows), lhs.rows.len(), rhs.rows.len());
    slide(&mut ops, &lhs.rows, &rhs.rows);
    let groups = group_diff_ops(ops, context.min(MOST_CONTEXT));
    let hunks = groups.iter().map(|ops| hunk(ops, &lhs.rows, &rhs.rows));
    Text { hunks: hunks.collect(), is_cut: lhs.is_cut || rhs.is_cut }
}

/// Lines that are the same, in order.
fn pairs(lhs: &[Row], rhs: &[Row]) -> Vec<(usize, usize)> {
    let keys = |rows: &[Row]| rows.iter().map(|row| row.key().into_owned()).collect::<Vec<_>>();
    let (l, r) = (keys(lhs), keys(rhs));
    fn items(keys: &[Vec<u8>]) -> Vec<Item<'_>> {
        keys.iter().map(|key| Item::Scalar(Value::Len(key))).collect()
    }
    align(&items(&l), &items(&r))
}

/// What leads from one text to the other.
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

/// Moves what was put in or taken out to where it begins with the outermost line, if lines around it are alike: an `attr { … }`
/// and not `… } attr {`.
fn slide(ops: &mut [DiffOp], lhs: &[Row], rhs: &[Row]) {
    for at in 0..ops.len() {
        let Some((before, rest)) = ops.split_at_mut_checked(at) else { return };
        let Some((op, behind)) = rest.split_first_mut() else { return };
        let (rows, start, len) = match *op {
            DiffOp::Insert { new_index, new_len, .. } => (rhs, new_index, new_len),
            DiffOp::Delete { old_index, old_len, .. } => (lhs, old_index, old_len),
            _ => continue,
        };
        // One line stays between two changes.
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
        let ways = (0..=up).map(|k| (k, 0)).chain((1..=down).map(|k| (0, k)));
        let reads = |&(up, down): &(usize, usize)| {
            let first = rows.get(start + down - up);
            let closes = first.is_some_and(|row| row.text().trim_start() == "}");
            (first.map_or(0, Row::indent), closes, up + down)
        };
        if let Some((up, down)) = ways.min_by_key(reads) {
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

fn hunk(ops: &[DiffOp], lhs: &[Row], rhs: &[Row]) -> Hunk {
    let mut lines = Vec::new();
    let mut push = |tag, rows: Option<&[Row]>| {
        let line = |row: &Row| Line { tag, text: row.text().to_owned(), more: row.more };
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
            push(Tag::Same, lhs.get(l));
        } else {
            push(Tag::Removed, lhs.get(l));
            push(Tag::Added, rhs.get(r));
        }
    }
    // As in a unified diff: lines are counted from 1 on, and an empty place lies behind the line before it.
    let start = |range: &std::ops::Range<usize>| range.start + usize::from(!range.is_empty());
    Hunk {
        lhs_start: start(&old),
        lhs_len: old.len(),
        rhs_start: start(&new),
        rhs_len: new.len(),
        lines,
    }
}
