//! The report of a diff: what is the answer, what was compared, what changed.

use std::io::{self, Write};

use crate::compare::{NanPolicy, Options};
use crate::diff::{Change, ChangeKind, Counts, Diff, OfRole, Part, Role, Side, Status};
use crate::diff::{TensorDiff, TextView, Verdict, Weight, Weights};
use crate::tensor::Kind;

use super::text::{cut_middle, cut_name, padded, plural, printable, several, width_of, wrapped};
use super::{View, advice, changes, number, sections, texts};

/// Columns that a path may take.
const PATH_WIDTH: usize = 68;

/// Tells a person what a diff found.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(diff: &Diff, view: &View, out: &mut dyn Write) -> io::Result<()> {
    head(diff, view, out)?;
    if diff.part.has_graph() {
        changes::write(diff, view, out)?;
    }
    advice::write(diff, view, out)
}

/// Tells a person what a diff found, and shows the text of what changed in a graph or another message, with as many lines of
/// `context` around what differs.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_as_text(
    diff: &Diff,
    texts: &TextView<'_>,
    context: usize,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(diff, view, out)?;
    if diff.part.has_graph() {
        texts::write(diff, texts, context, view, out)?;
    }
    advice::write(diff, view, out)
}

/// The answer, what was compared, and the tensors.
fn head(diff: &Diff, view: &View, out: &mut dyn Write) -> io::Result<()> {
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
    sections::write(diff, view, out)
}

/// The answer, in a sentence.
fn answer(diff: &Diff) -> String {
    match diff.part {
        Part::Tensors => about_tensors(diff),
        Part::Graph => about_graph(diff),
        Part::Both => about_both(diff),
    }
}

/// The answer where messages were compared.
fn about_graph(diff: &Diff) -> String {
    let Weights { semantic, cosmetic, .. } = diff.weights();
    let what = match (&*diff.lhs.kind, &*diff.rhs.kind) {
        (lhs, rhs) if lhs == rhs && !lhs.contains('.') => several(lhs),
        _ => "models".into(),
    };
    match (diff.verdict(), cosmetic) {
        (Verdict::Same, 0) => format!("The {what} are the same."),
        (Verdict::Same, _) => {
            format!("The {what} mean the same: {} cosmetic.", differences(cosmetic))
        }
        (Verdict::Different, _) if semantic == 0 => {
            format!("The {what} differ: {} cosmetic.", differences(cosmetic))
        }
        (Verdict::Different, _) => format!("The {what} differ: {}.", plural(semantic, "change")),
        (Verdict::Trouble, _) => "Trouble: not everything can be read.".into(),
    }
}

fn differences(cosmetic: u64) -> String {
    let (differences, are) =
        (plural(cosmetic, "difference"), if cosmetic == 1 { "is" } else { "are" });
    format!("{differences} {are}")
}

/// The answer where tensors and graphs were compared.
fn about_both(diff: &Diff) -> String {
    let Weights { semantic, cosmetic, .. } = diff.weights();
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

/// The answer where tensors were compared.
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
    let roles = diff.roles();
    let (what, counts) = match roles.first() {
        Some(weights) if weights.role == Role::Weight => {
            let others = roles.iter().skip(1).any(|of| of.changed > 0);
            if weights.changed == 0 && others {
                return Some("No weight changed.".into());
            }
            ("Weights", Some(Role::Weight))
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
    if let Some(line) = without_checksums(diff) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)?;
    if diff.part.has_tensors() {
        for line in counts(diff) {
            writeln!(out, "  {line}")?;
        }
    }
    if diff.not_frozen > 0 {
        let tensors = plural(diff.not_frozen, "tensor");
        writeln!(
            out,
            "  not in the graph, which keeps what it needs: {tensors} of the checkpoint"
        )?;
    }
    if let Some(line) = roles_counted(diff) {
        writeln!(out, "  {line}")?;
    }
    if diff.part.has_graph() {
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

/// As in `no checksum in this format: safetensors`.
fn without_checksums(diff: &Diff) -> Option<String> {
    let sides = [&diff.lhs, &diff.rhs].into_iter().filter(|side| !side.has_checksums);
    let mut formats: Vec<&str> = sides.map(|side| side.format).collect();
    formats.dedup();
    (!formats.is_empty()).then(|| format!("no checksum in this format: {}", formats.join(", ")))
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

/// As in `weights: 2 of 14 changed · optimizer: 4 of 28 · counters: 1 of 2`; nothing where there are no more than weights.
fn roles_counted(diff: &Diff) -> Option<String> {
    let of = |of: &OfRole| {
        let (changed, total) = (number::count(of.changed), number::count(of.total));
        format!("{}: {changed} of {total}", role(of.role))
    };
    let mut parts: Vec<_> = diff.roles().iter().map(of).collect();
    parts.first_mut()?.push_str(" changed");
    Some(parts.join(" · "))
}

/// What people call tensors of a role.
pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Weight => "weights",
        Role::Optimizer => "optimizer",
        Role::Counter => "counters",
    }
}

/// As in `graph: 3 changes (1 added, 2 modified), 12 cosmetic`.
fn changes_counted(diff: &Diff) -> String {
    let Weights { semantic, cosmetic, .. } = diff.weights();
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
    let mut text = format!("graph: {}", plural(semantic, "change"));
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
