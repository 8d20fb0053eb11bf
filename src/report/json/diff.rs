//! The report of a diff: schema `ckdiff/1`.

use std::io::{self, Write};

use serde::Serialize;

use crate::compare::{NanPolicy, Tolerance, Work};
use crate::diff::{Change, Counts, Damage, Diff, Finding, Lists, Rename, Side, TensorDiff};
use crate::diff::{Verdict, Weights};

use super::layout;

/// Writes the report of a diff: every tensor, in name order.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: "ckdiff/1",
        verdict: diff.verdict(),
        lhs: &diff.lhs,
        rhs: &diff.rhs,
        options: Options {
            tolerance: &diff.options.tolerance,
            nan: diff.options.nan,
            device: &diff.work,
            config: (),
            lists: &diff.lists,
        },
        summary: Summary {
            tensors: diff.counts(),
            not_frozen: diff.not_frozen,
            graph: diff.weights(),
        },
        tensors: &diff.tensors,
        changes: &diff.changes,
        findings: &diff.findings,
        damage: &diff.damage,
        renames: &diff.renames,
    };
    layout::write(&report, out)
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    verdict: Verdict,
    lhs: &'a Side,
    rhs: &'a Side,
    options: Options<'a>,
    summary: Summary,
    tensors: &'a [TensorDiff],
    changes: &'a [Change],
    findings: &'a [Finding],
    damage: &'a [Damage],
    renames: &'a [Rename],
}

#[derive(Serialize)]
struct Options<'a> {
    #[serde(flatten)]
    tolerance: &'a Tolerance,
    nan: NanPolicy,
    device: &'a Work,
    /// Always `null`: the schema reserves the key for a file of options.
    config: (),
    #[serde(flatten)]
    lists: &'a Lists,
}

#[derive(Serialize)]
struct Summary {
    tensors: Counts,
    not_frozen: u64,
    graph: Weights,
}
