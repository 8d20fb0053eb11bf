//! The report of a diff: the answer, the two sides, the changes.

use std::io::{self, Write};

use crate::artifact::{ArtifactSummary, UnreadFiles};
use crate::compare::NanPolicy;
use crate::diff::{
    ChangeCounts, ChangeKind, Diff, Status, TensorDiff, TensorRole, TextView, Weight,
};
use crate::report::Judged;
use crate::summary::{Movement, RoleMovement, ScopeMovement, role_movements, scopes, weights};

use super::answer::{self, described, message_noun};
use super::terminal_text::{padded, plural, printable, width_of, wrapped, wrapped_to};
use super::{
    ReportOptions, Verbosity, again, changes, judgement, number, pictures, statistics, suggestions,
    tensors, text_view, unmatched,
};

/// The maximum number of scopes below the answer, and of unchanged ones that are named there.
const SCOPES: usize = 8;
const UNCHANGED: usize = 3;

/// Writes the report of a diff, by rules if it was judged; with `texts`, the changes of messages are shown in their texts.
pub(super) fn write(
    diff: &Diff,
    judged: Option<&Judged<'_>>,
    texts: Option<&TextView<'_>>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if options.verbosity == Verbosity::Names {
        return names(diff, out);
    }
    head(diff, judged, options, out)?;
    if let Some(judged) = judged {
        judgement::write(judged.judgement, options, out)?;
    }
    suggestions::renames(diff, options, out)?;
    if options.verbosity == Verbosity::Scopes {
        return statistics::scopes(diff, options, out);
    }
    tensors::write(diff, options, out)?;
    if options.verbosity == Verbosity::Everything {
        pictures::write(diff, options, out)?;
    }
    statistics::write(diff, options, out)?;
    match texts {
        Some(texts) => text_view::write(diff, texts, options, out)?,
        None => changes::write(diff, options, out)?,
    }
    match judged {
        // Options that would pass are of no use where rules decide.
        Some(judged) => again::write(judged, out),
        None => suggestions::write(diff, out),
    }
}

/// The names of changed and unreadable tensors, and the paths of changes.
fn names(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let is_listed = |tensor: &&TensorDiff| tensor.is_changed() || tensor.status == Status::Error;
    for tensor in diff.tensors.iter().filter(is_listed) {
        writeln!(out, "{}", tensor.name.printable())?;
    }
    for reported in diff.reported().filter(|reported| diff.options.counts(reported.change)) {
        writeln!(out, "{}", printable(&reported.change.path.to_string()))?;
    }
    Ok(())
}

/// The answer, where the weights moved, the two sides, and what was compared.
fn head(
    diff: &Diff,
    judged: Option<&Judged<'_>>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let movements = role_movements(diff);
    match judged {
        Some(judged) => judgement::answer(judged, options, out)?,
        None => answer::write(diff, &movements, options, out)?,
    }
    by_scope(diff, options, out)?;
    if let Some(text) = left_out(diff) {
        writeln!(out, "  {text}")?;
    }
    writeln!(out)?;
    overview(diff, &movements, options, out)?;
    match judged {
        Some(judged) => writeln!(out, "  {}", judgement::rules_line(judged.rules)),
        None => Ok(()),
    }
}

/// The scopes, and how far the weights in each moved.
fn by_scope(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let scopes = scopes(&weights(diff), SCOPES);
    let is_compared = |tensor: &TensorDiff| tensor.lhs.is_some() && tensor.rhs.is_some();
    if scopes.len() < 2
        || scopes.iter().all(|of| of.movement.changed == 0)
        || unmatched::are_all_renamed(diff)
        || !diff.tensors.iter().any(is_compared)
    {
        return Ok(());
    }
    let name = |of: &ScopeMovement| match of.scope.as_str() {
        "" => statistics::TOP.to_owned(),
        scope => scope.to_owned(),
    };
    let (moved, unchanged): (Vec<_>, Vec<_>) =
        scopes.iter().partition(|of| of.movement.changed > 0);
    let (shown, hidden) = moved.split_at(moved.len().min(SCOPES));
    let mut parts: Vec<_> =
        shown.iter().map(|of| format!("{} {}", name(of), of_total(of.movement, ""))).collect();
    if !hidden.is_empty() {
        parts.push(format!("… and {}", plural(hidden.len() as u64, "more scope")));
    }
    parts.extend(match unchanged.as_slice() {
        [] => None,
        few if few.len() <= UNCHANGED => Some(format!(
            "unchanged: {}",
            few.iter().map(|of| name(of)).collect::<Vec<_>>().join(", ")
        )),
        many => Some(format!("{} unchanged", plural(many.len() as u64, "scope"))),
    });
    for line in wrapped_to(options.width(), "  ", &parts, " · ") {
        let style = options.palette.faint;
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

/// For example `2 of 2 changed, 46.6%`.
fn of_total(Movement { changed, total, non_finite, rel_l2 }: Movement, verb: &str) -> String {
    let moved = rel_l2.filter(|&moved| moved > 0.0 && changed > 0).map(number::percent);
    let non_finite = Some(non_finite).filter(|&n| n > 0);
    let parts = [
        Some(format!("{} of {}{verb}", number::count(changed), number::count(total))),
        moved,
        non_finite.map(|n| format!("new NaN or infinity in {}", number::count(n))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The number of tensors that the filters leave out.
fn left_out(diff: &Diff) -> Option<String> {
    let left_out = diff.left_out;
    let options = [("--include", left_out.include), ("--exclude", left_out.exclude)];
    let parts: Vec<_> = options
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(option, n)| format!("{} left out by {option}", number::count(*n)))
        .collect();
    let compared = diff.counts().total();
    let all = plural(compared + left_out.total(), "tensor");
    let compared = number::count(compared);
    (!parts.is_empty()).then(|| format!("{compared} of {all} compared ({})", parts.join(", ")))
}

/// The two sides, the number of tensors with each status, and the options of the comparison.
fn overview(
    diff: &Diff,
    movements: &[RoleMovement],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sides = [("lhs", &diff.lhs), ("rhs", &diff.rhs)];
    let path = |side: &ArtifactSummary| printable(&side.path.display().to_string());
    let width = sides.iter().map(|(_, side)| width_of(&path(side))).max().unwrap_or_default();
    for (what, side) in sides {
        writeln!(out, "  {what}  {}  {}", padded(&path(side), width), kind_and_format(side))?;
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
    for line in roles_counted(diff, movements, options) {
        writeln!(out, "{line}")?;
    }
    if diff.coverage.has_graph() || !diff.changes.is_empty() || diff.ignored > 0 {
        writeln!(out, "  {}", changes_counted(diff))?;
    }
    if let Some(line) = not_compared(diff) {
        writeln!(out, "  {line}")?;
    }
    let tolerance = tolerance(diff);
    if !tolerance.is_empty() {
        writeln!(out, "  tolerance: {tolerance}")?;
    }
    if diff.work.accelerator.is_some() || diff.work.failure.is_some() {
        writeln!(out, "  device: {}", printable(&diff.work.to_string()))?;
    }
    Ok(())
}

/// For example `checkpoint V2, index only`.
pub(in crate::report) fn kind_and_format(side: &ArtifactSummary) -> String {
    // Snapshots never have values.
    let is_index = !side.has_data && side.format != "snapshot";
    let index_only = if is_index { ", index only" } else { "" };
    printable(&format!("{} {}{index_only}", side.kind, side.format))
}

/// What was compared and how, in a line each: tensors by status and by role, changes of messages, tolerance, filters.
pub(in crate::report) fn compared(diff: &Diff, options: &ReportOptions) -> Vec<String> {
    let movements = role_movements(diff);
    let joined = |lines: Vec<String>, separator: &str| {
        let lines: Vec<_> = lines.iter().map(|line| line.trim()).collect();
        Some(lines.join(separator)).filter(|line| !line.is_empty())
    };
    let has_tensors = diff.coverage.has_tensors();
    let has_changes = diff.coverage.has_graph() || !diff.changes.is_empty() || diff.ignored > 0;
    let tolerance = Some(tolerance(diff)).filter(|tolerance| !tolerance.is_empty());
    let lines = [
        has_tensors.then(|| joined(counts(diff), " ")).flatten(),
        joined(roles_counted(diff, &movements, options), " · "),
        has_changes.then(|| changes_counted(diff)),
        tolerance.map(|tolerance| format!("tolerance: {tolerance}")),
        left_out(diff),
        not_compared(diff),
        without_checksums(diff),
    ];
    lines.into_iter().flatten().collect()
}

/// For example `not compared: lhs debug/, notes.txt and 3 more; rhs debug/`: files of SavedModels that are not read.
fn not_compared(diff: &Diff) -> Option<String> {
    let list = |unread: &UnreadFiles| {
        let names: Vec<_> = unread.names.iter().map(|name| printable(name)).collect();
        let more = unread.count.saturating_sub(names.len() as u64);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", names.join(", "))
    };
    let sides = [("lhs", &diff.lhs.not_compared), ("rhs", &diff.rhs.not_compared)];
    let [(_, lhs), (_, rhs)] = sides;
    let files = match lhs == rhs {
        true => list(lhs),
        false => {
            let sides = sides.iter().filter(|(_, unread)| !unread.is_empty());
            let sides = sides.map(|(side, unread)| format!("{side} {}", list(unread)));
            sides.collect::<Vec<_>>().join("; ")
        }
    };
    (diff.coverage.has_graph() && !files.is_empty()).then(|| format!("not compared: {files}"))
}

/// For example `no checksum in this format: safetensors`.
fn without_checksums(diff: &Diff) -> Option<String> {
    let sides = [&diff.lhs, &diff.rhs].into_iter().filter(|side| !side.has_checksums);
    let mut formats: Vec<&str> = sides.map(|side| &*side.format).collect();
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

/// For example `weights: 2 of 14 changed, 0.9% · optimizer: 4 of 28, 31% · counters: 1 of 1, 100 → 200`; nothing if all tensors
/// share a role.
fn roles_counted(diff: &Diff, movements: &[RoleMovement], options: &ReportOptions) -> Vec<String> {
    let of = |(at, of): (usize, &RoleMovement)| {
        let verb = if at == 0 { " changed" } else { "" };
        let role = of.role.map_or("other", tensors::role);
        let values =
            (of.role == Some(TensorRole::Counter)).then(|| only_change(diff, of)).flatten();
        let values = values.map(|values| format!(", {values}")).unwrap_or_default();
        format!("{role}: {}{values}", of_total(of.movement, verb))
    };
    let by_role = Some(movements).filter(|movements| movements.len() > 1).unwrap_or_default();
    let parts: Vec<_> = by_role.iter().enumerate().map(of).collect();
    match parts.as_slice() {
        [] => Vec::new(),
        parts => wrapped_to(options.width(), "  ", parts, " · "),
    }
}

/// The two values of the only tensor of a role that changed, if it is a number.
fn only_change(diff: &Diff, of: &RoleMovement) -> Option<String> {
    let changed = |tensor: &&TensorDiff| tensor.role == of.role && tensor.is_changed();
    let mut changed = diff.tensors.iter().filter(changed);
    let (tensor, None) = (changed.next()?, changed.next()) else { return None };
    let (lhs, rhs) = (tensor.lhs.as_ref()?, tensor.rhs.as_ref()?);
    let worst = tensor.comparison.as_deref()?.worst.as_ref().filter(|_| lhs.shape.rank() == 0)?;
    Some(number::pair((worst.lhs, lhs.dtype), (worst.rhs, rhs.dtype)).join(" → "))
}

/// For example `graph: 3 changes (1 added, 2 modified), 12 cosmetic`.
fn changes_counted(diff: &Diff) -> String {
    let ChangeCounts { semantic, cosmetic, grouped, .. } = diff.weights();
    let kinds = [ChangeKind::Removed, ChangeKind::Added, ChangeKind::Renamed, ChangeKind::Modified];
    let of = |kind| {
        let semantic = diff.reported_of(Weight::Semantic);
        semantic.filter(|reported| reported.change.kind == kind).count() as u64
    };
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|&kind| of(kind) > 0)
        .map(|kind| format!("{} {}", number::count(of(kind)), kind.name()))
        .collect();
    let mut text = format!("{}: {}", message_noun(diff), plural(semantic, "change"));
    if !parts.is_empty() {
        text += &format!(" ({})", parts.join(", "));
    }
    if grouped > 0 {
        let with = if semantic == 1 { "it" } else { "them" };
        text += &format!(", {} more grouped with {with}", number::count(grouped));
    }
    if cosmetic > 0 {
        text += &format!(", {} cosmetic", number::count(cosmetic));
    }
    if diff.ignored > 0 {
        text += &format!(", {} ignored", number::count(diff.ignored));
    }
    text
}

/// The tolerance and the limits, as options of the command.
fn tolerance(diff: &Diff) -> String {
    let options = &diff.options.compare;
    let given = options.tolerance;
    let mut parts = Vec::new();
    parts.extend(given.atol.map(|atol| format!("--atol {}", number::exact(atol))));
    parts.extend(given.rtol.map(|rtol| format!("--rtol {}", number::exact(rtol))));
    parts.extend(given.ulp.map(|ulp| format!("--ulp {ulp}")));
    if options.nan == NanPolicy::Differ {
        parts.push("--nan differ".into());
    }
    let criteria = &diff.options.criteria;
    parts.extend(criteria.bounds().map(|(bound, glob, value)| {
        format!("--{} {}={}", bound.name(), printable(glob), number::exact(value))
    }));
    let limit = |value: f64| number::exact(value);
    parts.extend(criteria.max_rel_l2.map(|most| format!("--max-rel-l2 {}", limit(most))));
    parts.extend(
        criteria.max_changed.map(|most| format!("--max-changed {}", number::percent(most))),
    );
    parts.join(" ")
}
