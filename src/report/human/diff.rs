//! The report of a diff: the answer, the two sides, the changes.

use std::io::{self, Write};

use crate::artifact::ArtifactSummary;
use crate::compare::{self, NanPolicy};
use crate::diff::{
    Change, ChangeKind, Coverage, Diff, RoleCounts, Status, StatusCounts, TensorRole,
};
use crate::diff::{ChangeCounts, TensorDiff, TextView, Verdict, Weight};
use crate::tensor::Kind;

use super::terminal_text::{
    cut_middle, cut_name, padded, plural, printable, several, width_of, wrapped,
};
use super::{Options, changes, number, sections, suggestions, text_view};

/// The maximum number of columns of a path.
const PATH_WIDTH: usize = 68;

/// Writes the report of a diff; with `texts`, the changes of messages are shown in their texts.
pub(super) fn write(
    diff: &Diff,
    texts: Option<&TextView<'_>>,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(diff, options, out)?;
    match texts.filter(|_| diff.coverage.has_graph()) {
        Some(texts) => text_view::write(diff, texts, options, out)?,
        None if diff.coverage.has_graph() => changes::write(diff, options, out)?,
        None => changes::findings(diff, options, out)?,
    }
    suggestions::write(diff, options, out)
}

/// The answer, the two sides, and the tensors.
fn head(diff: &Diff, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let palette = options.palette;
    let style = match diff.verdict() {
        Verdict::Same => palette.good,
        Verdict::Different => palette.changed,
        Verdict::Trouble => palette.bad,
    };
    writeln!(out, "{style}{}{style:#}", answer(diff))?;
    if let Some(text) = new_non_finite(diff) {
        writeln!(out, "{}{text}{:#}", palette.bad, palette.bad)?;
    }
    if let Some(text) = movement(diff) {
        writeln!(out, "{text}")?;
    }
    writeln!(out)?;
    overview(diff, out)?;
    sections::write(diff, options, out)
}

/// The answer in a sentence.
fn answer(diff: &Diff) -> String {
    match diff.coverage {
        Coverage::Tensors => about_tensors(diff),
        Coverage::Graph => about_graph(diff),
        Coverage::Both => about_both(diff),
    }
}

/// The answer of a comparison of messages.
fn about_graph(diff: &Diff) -> String {
    let ChangeCounts { semantic, cosmetic, .. } = diff.weights();
    let is_same_kind = diff.lhs.kind == diff.rhs.kind;
    let what = if is_same_kind { several(diff.lhs.kind.name()) } else { "models".into() };
    match (diff.verdict(), cosmetic) {
        (Verdict::Same, 0) => format!("The {what} are the same."),
        (Verdict::Same, _) => {
            let are = if cosmetic == 1 { "is" } else { "are" };
            format!("The {what} mean the same: {} {are} cosmetic.", plural(cosmetic, "change"))
        }
        (Verdict::Different, _) if semantic == 0 => {
            let changes = plural(cosmetic, "cosmetic change");
            format!("The {what} differ: {changes}, which --strict counts.")
        }
        (Verdict::Different, _) => format!("The {what} differ: {}.", plural(semantic, "change")),
        (Verdict::Trouble, _) => "Error: not everything can be read.".into(),
    }
}

/// The answer of a comparison of tensors and graphs.
fn about_both(diff: &Diff) -> String {
    let ChangeCounts { semantic, cosmetic, .. } = diff.weights();
    let graph = match (semantic, cosmetic) {
        (0, 0) => "the graph is the same".to_owned(),
        (0, _) => "the graph means the same".to_owned(),
        (n, _) => format!("{} in the graph", plural(n, "change")),
    };
    let counts = diff.counts();
    let close = counts.of(Status::Identical) + counts.of(Status::Close);
    match diff.verdict() {
        Verdict::Different if counts.total() == close => {
            format!("The models differ: {graph}; no tensor changed.")
        }
        _ => {
            let tensors = about_tensors(diff);
            let tensors = tensors.trim_end_matches('.');
            format!("{tensors}; {graph}.")
        }
    }
}

/// The answer of a comparison of tensors.
fn about_tensors(diff: &Diff) -> String {
    let counts = diff.counts();
    let count = |status| number::count(counts.of(status));
    let others = counts.total() - counts.of(Status::Error);
    let changed = others - counts.of(Status::Identical) - counts.of(Status::Close);
    let tensors = plural(counts.total(), "tensor");
    let verdict = match diff.verdict() {
        Verdict::Different if changed == 0 => Verdict::Same,
        verdict => verdict,
    };
    match verdict {
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
        Verdict::Trouble => unreadable(counts, changed),
    }
}

/// The number of tensors that could not be compared, and the result of the others.
fn unreadable(counts: StatusCounts, changed: u64) -> String {
    let (total, failed) = (counts.total(), counts.of(Status::Error));
    let rest = total - failed;
    let (what, the_rest) = if failed == 0 {
        ("Error: not everything can be read".into(), plural(rest, "tensor"))
    } else {
        let (failed, total) = (number::count(failed), plural(total, "tensor"));
        let what = format!("Error: {failed} of {total} cannot be compared");
        (what, format!("the other {}", number::count(rest)))
    };
    match (rest, changed) {
        (0, _) => format!("{what}."),
        (1, 0) => format!("{what}; {the_rest} is the same."),
        (_, 0) => format!("{what}; {the_rest} are the same."),
        _ => format!("{what}; {} of {the_rest} changed.", number::count(changed)),
    }
}

/// The number of tensors with new NaN or infinities.
fn new_non_finite(diff: &Diff) -> Option<String> {
    let n =
        diff.tensors.iter().filter(|tensor| sections::has_new_non_finite(tensor)).count() as u64;
    let has = if n == 1 { "has" } else { "have" };
    (n > 0).then(|| format!("{} {has} new NaN or infinity.", plural(n, "tensor")))
}

/// How far floating tensors moved relative to their norm, which is the measure of a retraining.
fn movement(diff: &Diff) -> Option<String> {
    let roles = diff.roles();
    let (what, counts) = match roles.first() {
        Some(weights) if weights.role == TensorRole::Weight => {
            let others = roles.iter().skip(1).any(|of| of.changed > 0);
            if weights.changed == 0 && others {
                return Some("No weight changed.".into());
            }
            ("Weights", Some(TensorRole::Weight))
        }
        _ => ("Tensors", None),
    };
    let mut moved: Vec<(f64, &TensorDiff)> = diff
        .tensors
        .iter()
        .filter(|tensor| counts.is_none() || tensor.role == counts)
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
        format!("{what} moved by {median} of their norm (median), at most by {most} ({name}).")
    })
}

/// The two sides, the number of tensors with each status, and the options of the comparison.
fn overview(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let sides = [("lhs", &diff.lhs), ("rhs", &diff.rhs)];
    let path = |side: &ArtifactSummary| {
        cut_middle(&printable(&side.path.display().to_string()), PATH_WIDTH)
    };
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
    if let Some(line) = without_checksums(diff) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    if diff.coverage.has_tensors() {
        for line in counts(diff) {
            writeln!(out, "  {line}")?;
        }
    }
    if diff.not_frozen > 0 {
        let tensors = plural(diff.not_frozen, "tensor");
        writeln!(out, "  not needed by the frozen graph: {tensors} of the checkpoint")?;
    }
    if let Some(line) = roles_counted(diff) {
        writeln!(out, "  {line}")?;
    }
    if diff.coverage.has_graph() {
        writeln!(out, "  {}", changes_counted(diff))?;
    }
    let tolerance = tolerance(&diff.options);
    if !tolerance.is_empty() {
        writeln!(out, "  tolerance: {tolerance}")?;
    }
    if diff.work.accelerator.is_some() || diff.work.failure.is_some() {
        writeln!(out, "  device: {}", printable(&diff.work.to_string()))?;
    }
    Ok(())
}

/// For example `no checksum in this format: safetensors`.
fn without_checksums(diff: &Diff) -> Option<String> {
    let sides = [&diff.lhs, &diff.rhs].into_iter().filter(|side| !side.has_checksums);
    let mut formats: Vec<&str> = sides.map(|side| side.format).collect();
    formats.dedup();
    (!formats.is_empty()).then(|| format!("no checksum in this format: {}", formats.join(", ")))
}

/// For example `3 tensors: 1 identical, 2 different`.
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

/// For example `weights: 2 of 14 changed · optimizer: 4 of 28 · counters: 1 of 2`; `None` where all tensors are weights.
fn roles_counted(diff: &Diff) -> Option<String> {
    let of = |of: &RoleCounts| {
        let (changed, total) = (number::count(of.changed), number::count(of.total));
        format!("{}: {changed} of {total}", sections::role(of.role))
    };
    let mut parts: Vec<_> = diff.roles().iter().map(of).collect();
    parts.first_mut()?.push_str(" changed");
    Some(parts.join(" · "))
}

/// For example `graph: 3 changes (1 added, 2 modified), 12 cosmetic`.
fn changes_counted(diff: &Diff) -> String {
    let ChangeCounts { semantic, cosmetic, .. } = diff.weights();
    let kinds = [ChangeKind::Removed, ChangeKind::Added, ChangeKind::Renamed, ChangeKind::Modified];
    let of = |kind| {
        let is = |c: &&Change| c.weight == Weight::Semantic && c.kind == kind;
        diff.changes.iter().filter(is).count() as u64
    };
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|&kind| of(kind) > 0)
        .map(|kind| format!("{} {}", number::count(of(kind)), kind.name()))
        .collect();
    let kind = &diff.lhs.kind;
    let is_graph = kind.has_graph() || *kind != diff.rhs.kind;
    let what = if is_graph { "graph" } else { &*printable(kind.name()) };
    let mut text = format!("{what}: {}", plural(semantic, "change"));
    if !parts.is_empty() {
        text += &format!(" ({})", parts.join(", "));
    }
    if cosmetic > 0 {
        text += &format!(", {} cosmetic", number::count(cosmetic));
    }
    if diff.ignored > 0 {
        text += &format!(", {} ignored", number::count(diff.ignored));
    }
    text
}

fn described(status: Status) -> &'static str {
    match status {
        Status::Dtype => "of another dtype",
        Status::Shape => "of another shape",
        Status::Error => "unreadable",
        _ => status.name(),
    }
}

/// The tolerance, as options of the command.
fn tolerance(options: &compare::Options) -> String {
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
