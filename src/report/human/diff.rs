//! The report of a diff: what is the answer, what was compared, what changed.

use std::io::{self, Write};

use crate::compare::{NanPolicy, Options};
use crate::diff::{Counts, Diff, Side, Status, TensorDiff, Verdict};
use crate::tensor::Kind;

use super::text::{cut_middle, cut_name, padded, plural, printable, width_of, wrapped};
use super::{View, advice, number, sections};

/// Columns that a path may take.
const PATH_WIDTH: usize = 68;

/// Tells a person what a diff found.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(diff: &Diff, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let palette = view.palette;
    let style = match diff.verdict() {
        Verdict::Same => palette.good,
        Verdict::Different => palette.changed,
        Verdict::Trouble => palette.bad,
    };
    writeln!(out, "{style}{}{style:#}", answer(diff))?;
    if let Some(text) = spoilt(diff) {
        writeln!(out, "{}{text}{:#}", palette.bad, palette.bad)?;
    }
    if let Some(text) = movement(diff) {
        writeln!(out, "{text}")?;
    }
    writeln!(out)?;
    overview(diff, out)?;
    sections::write(diff, view, out)?;
    advice::write(diff, view, out)
}

/// The answer, in a sentence.
fn answer(diff: &Diff) -> String {
    let counts = diff.counts();
    let count = |status| number::count(counts.of(status));
    let others = counts.total() - counts.of(Status::Error);
    let changed = others - counts.of(Status::Identical) - counts.of(Status::Close);
    let tensors = plural(counts.total(), "tensor");
    match diff.verdict() {
        Verdict::Same => match (counts.of(Status::Identical), counts.of(Status::Close)) {
            (0, 0) => "The models are the same: neither has a tensor.".into(),
            (1, 0) => "The models are the same: the one tensor is identical.".into(),
            (_, 0) => format!("The models are the same: all {tensors} are identical."),
            (0, _) => format!(
                "The models are the same within the tolerance: {tensors} close, none identical."
            ),
            (_, close) => format!(
                "The models are the same within the tolerance: {} close, {} identical.",
                plural(close, "tensor"),
                count(Status::Identical)
            ),
        },
        Verdict::Different => {
            let beyond =
                if diff.options.tolerance.is_bits() { "" } else { " beyond the tolerance" };
            format!("The models differ: {} of {tensors} changed{beyond}.", number::count(changed))
        }
        Verdict::Trouble => trouble(counts, changed),
    }
}

/// What could not be compared, and what became of the rest.
fn trouble(counts: Counts, changed: u64) -> String {
    let (total, unread) = (counts.total(), counts.of(Status::Error));
    let rest = total - unread;
    let (what, the_rest) = if unread == 0 {
        ("Trouble: not everything can be read".into(), plural(rest, "tensor"))
    } else {
        let (unread, total) = (number::count(unread), plural(total, "tensor"));
        let what = format!("Trouble: {unread} of {total} cannot be compared");
        (what, format!("the other {}", number::count(rest)))
    };
    match (rest, changed) {
        (0, _) => format!("{what}."),
        (1, 0) => format!("{what}; {the_rest} is the same."),
        (_, 0) => format!("{what}; {the_rest} are the same."),
        _ => format!("{what}; {} of {the_rest} changed.", number::count(changed)),
    }
}

/// Whether a tensor has NaN or infinity where the baseline has numbers.
pub(super) fn is_spoilt(tensor: &TensorDiff) -> bool {
    let Some(comparison) = &tensor.comparison else {
        return false;
    };
    comparison.nan_new.is_some_and(|n| n > 0) || comparison.inf.is_some_and(|inf| inf.rhs > inf.lhs)
}

/// Tells of new NaN and infinity, which nobody wants.
fn spoilt(diff: &Diff) -> Option<String> {
    let n = diff.tensors.iter().filter(|tensor| is_spoilt(tensor)).count() as u64;
    let has = if n == 1 { "has" } else { "have" };
    (n > 0).then(|| format!("{} {has} new NaN or infinity.", plural(n, "tensor")))
}

/// Tells how far floating tensors moved, against their size: what a retraining is judged by.
fn movement(diff: &Diff) -> Option<String> {
    let mut moved: Vec<(f64, &TensorDiff)> = diff
        .tensors
        .iter()
        .filter(|tensor| tensor.status == Status::Different)
        .filter(|tensor| {
            let kind = tensor.lhs.as_ref().map(|facts| facts.dtype.kind());
            matches!(kind, Some(Kind::Float | Kind::Complex))
        })
        .filter_map(|tensor| Some((tensor.comparison.as_ref()?.rel_l2?, tensor)))
        .filter(|(rel_l2, _)| rel_l2.is_finite() && *rel_l2 > 0.0)
        .collect();
    moved.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let &(median, _) = moved.get(moved.len() / 2)?;
    let &(most, tensor) = moved.last()?;
    let (median, most) = (number::share(median), number::share(most));
    let name = cut_name(&tensor.name.printable(), 40);
    Some(if moved.len() < 3 {
        format!("{name} moved by {most} of its norm.")
    } else {
        format!("Tensors moved by {median} of their norm (median), at most by {most} ({name}).")
    })
}

/// What was compared, how, and how many tensors have which status.
fn overview(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let sides = [("lhs", &diff.lhs), ("rhs", &diff.rhs)];
    let path = |side: &Side| cut_middle(&printable(&side.path.display().to_string()), PATH_WIDTH);
    let width = sides.iter().map(|(_, side)| width_of(&path(side))).max().unwrap_or_default();
    for (what, side) in sides {
        let index_only = if side.has_data { "" } else { ", index only" };
        writeln!(
            out,
            "  {what}  {}  {} {}{index_only}",
            padded(&path(side), width),
            side.kind,
            side.format
        )?;
    }
    writeln!(out)?;
    for line in counts(diff) {
        writeln!(out, "  {line}")?;
    }
    let tolerance = tolerance(&diff.options);
    if !tolerance.is_empty() {
        writeln!(out, "  tolerance: {tolerance}")?;
    }
    Ok(())
}

/// As in `3 tensors: 1 identical, 2 different`.
fn counts(diff: &Diff) -> Vec<String> {
    let counts = diff.counts();
    let present = |status: &Status| counts.of(*status) > 0;
    let parts: Vec<String> = Status::ALL
        .into_iter()
        .filter(present)
        .map(|status| format!("{} {}", number::count(counts.of(status)), described(status)))
        .collect();
    let total = plural(counts.total(), "tensor");
    if parts.is_empty() {
        return vec![total];
    }
    wrapped(&format!("{total}: "), &parts)
}

fn described(status: Status) -> &'static str {
    match status {
        Status::Dtype => "of another dtype",
        Status::Shape => "of another shape",
        Status::Error => "unreadable",
        _ => status.name(),
    }
}

/// The options that decide what is close, as they were given.
fn tolerance(options: &Options) -> String {
    let given = options.tolerance;
    let mut parts = Vec::new();
    parts.extend(given.atol.map(|atol| format!("--atol {}", number::exact(atol))));
    parts.extend(given.rtol.map(|rtol| format!("--rtol {}", number::exact(rtol))));
    parts.extend(given.ulp.map(|ulp| format!("--ulp {ulp}")));
    if options.nan == NanPolicy::Differ {
        parts.push("--nan differ".into());
    }
    parts.join(" ")
}
