//! The report of a diff: the answer, the two sides, the changes.

use std::io::{self, Write};

use crate::artifact::ArtifactSummary;
use crate::compare::NanPolicy;
use crate::diff::{
    Change, ChangeCounts, ChangeKind, Coverage, Diff, Status, StatusCounts, TensorDiff, TensorRole,
    TextView, Verdict, Weight,
};
use crate::summary::{Movement, RoleMovement, has_new_non_finite, role_movements, scopes, weights};

use super::terminal_text::{padded, plural, printable, width_of, wrapped, wrapped_to};
use super::{
    ReportOptions, Verbosity, changes, number, statistics, suggestions, tensors, text_view,
};

/// The maximum number of scopes below the answer.
const SCOPES: usize = 8;

/// Writes the report of a diff; with `texts`, the changes of messages are shown in their texts.
pub(super) fn write(
    diff: &Diff,
    texts: Option<&TextView<'_>>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if options.verbosity == Verbosity::Names {
        return names(diff, out);
    }
    head(diff, options, out)?;
    if options.verbosity == Verbosity::Scopes {
        return statistics::scopes(diff, options, out);
    }
    tensors::write(diff, options, out)?;
    statistics::write(diff, options, out)?;
    match texts {
        Some(texts) => text_view::write(diff, texts, options, out)?,
        None => changes::write(diff, options, out)?,
    }
    suggestions::write(diff, options, out)
}

/// The names of changed and unreadable tensors, and the paths of changes.
fn names(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let is_listed = |tensor: &&TensorDiff| tensor.is_changed() || tensor.status == Status::Error;
    for tensor in diff.tensors.iter().filter(is_listed) {
        writeln!(out, "{}", tensor.name.printable())?;
    }
    let counts = |change: &&Change| diff.options.strict || change.weight == Weight::Semantic;
    for change in diff.changes.iter().filter(counts) {
        writeln!(out, "{}", printable(&change.path.to_string()))?;
    }
    Ok(())
}

/// The answer, where the weights moved, the two sides, and what was compared.
fn head(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let palette = options.palette;
    let style = match diff.verdict() {
        Verdict::Same => palette.good,
        Verdict::Different => palette.changed,
        Verdict::Trouble => palette.bad,
    };
    let movements = role_movements(diff);
    let answers =
        [Measure::Defined, Measure::Named].map(|measure| answer(diff, &movements, measure));
    let [defined, named] = &answers;
    let fits = width_of(defined) <= options.width();
    let clauses: Vec<String> = named.split("; ").map(str::to_owned).collect();
    let answer = match fits {
        true => defined.clone(),
        false => wrapped_to(options.width(), "", &clauses, "; ").join("\n"),
    };
    write!(out, "{style}{answer}{style:#}")?;
    if let Some(text) = new_non_finite(diff) {
        let last = answer.lines().last().unwrap_or_default();
        let gap = if width_of(last) + width_of(&text) < options.width() { ' ' } else { '\n' };
        write!(out, "{gap}{}{text}{:#}", palette.bad, palette.bad)?;
    }
    writeln!(out)?;
    by_scope(diff, options, out)?;
    if let Some(text) = left_out(diff) {
        writeln!(out, "  {text}")?;
    }
    writeln!(out)?;
    overview(diff, &movements, options, out)
}

/// How the answer tells the measure of movement.
#[derive(Clone, Copy)]
enum Measure {
    /// With its definition.
    Defined,
    /// By its name alone, if that is all that fits on a line.
    Named,
}

/// The answer in a sentence. Its first word is the verdict.
fn answer(diff: &Diff, movements: &[RoleMovement], measure: Measure) -> String {
    match diff.verdict() {
        Verdict::Same => same(diff),
        Verdict::Different => different(diff, movements, measure),
        Verdict::Trouble => unreadable(diff.counts()),
    }
}

/// What the messages of both sides are called: `graph`, `saver`.
fn message_noun(diff: &Diff) -> String {
    let kind = &diff.lhs.kind;
    match diff.coverage {
        Coverage::Tensors => "object graph".into(),
        _ if kind.has_graph() || *kind != diff.rhs.kind => "graph".into(),
        _ => printable(kind.name()),
    }
}

/// The answer if nothing differs that counts.
fn same(diff: &Diff) -> String {
    let counts = diff.counts();
    let (identical, close) = (counts.of(Status::Identical), counts.of(Status::Close));
    let compared = if diff.left_out.total() > 0 { "compared " } else { "" };
    let mut parts = Vec::new();
    if diff.coverage.has_tensors() {
        parts.push(match (identical, close) {
            (0, 0) => "neither side has a tensor".into(),
            (1, 0) => format!("the one {compared}tensor is identical"),
            (n, 0) => format!("all {} are identical", plural(n, &format!("{compared}tensor"))),
            (0, n) => format!("{} close, none identical", plural(n, &format!("{compared}tensor"))),
            (_, n) => {
                let close = plural(n, &format!("{compared}tensor"));
                format!("{close} close, {} identical", number::count(identical))
            }
        });
    }
    let ChangeCounts { cosmetic, .. } = diff.weights();
    if diff.coverage.has_graph() || cosmetic > 0 {
        let noun = message_noun(diff);
        parts.push(match cosmetic {
            0 => format!("no change in the {noun}"),
            n => format!("only {} in the {noun}", plural(n, "cosmetic change")),
        });
    }
    let within = if close > 0 { " within the tolerance" } else { "" };
    format!("Same{within}: {}.", parts.join("; "))
}

/// The answer if something differs.
fn different(diff: &Diff, movements: &[RoleMovement], measure: Measure) -> String {
    let ChangeCounts { semantic, cosmetic, .. } = diff.weights();
    let noun = message_noun(diff);
    let changes = match (semantic, cosmetic) {
        (0, n) if diff.options.strict && n > 0 => {
            Some(format!("{} in the {noun} (--strict)", plural(n, "cosmetic change")))
        }
        (0, _) => None,
        (n, _) => Some(format!("{} in the {noun}", plural(n, "change"))),
    };
    let beyond = match diff.options.compare.tolerance.is_bits() && !has_limits(diff) {
        true => "",
        false => " beyond the tolerance",
    };
    let changed = movements.iter().any(|of| of.movement.changed > 0);
    let first = movements.first().filter(|of| of.movement.changed > 0);
    let has_changes = changes.is_some();
    let mut parts = Vec::new();
    match first {
        Some(first) => {
            let what = noun_of(first);
            let and = changes.map(|changes| format!(" and {changes}")).unwrap_or_default();
            parts.push(format!("{}{beyond}{and}", counted(first.movement, what)));
            parts.extend(moved(first.movement, what, measure));
        }
        None if changed => {
            parts.push(format!("no weight changed{beyond}"));
            let others = movements.iter().filter(|of| of.movement.changed > 0);
            let others = others.map(|of| counted(of.movement, noun_of(of)));
            parts.push(others.chain(changes).collect::<Vec<_>>().join(" and "));
        }
        None => {
            parts.extend(changes);
            if diff.coverage.has_tensors() {
                parts.push(format!("no tensor changed{beyond}"));
            }
        }
    }
    let is_unchanged = diff.coverage.has_graph() && !has_changes && changed;
    parts.extend(is_unchanged.then(|| format!("the {noun} means the same")));
    format!("Different: {}.", parts.join("; "))
}

/// What the tensors of a role are called; of no role, all tensors.
fn noun_of(RoleMovement { role, movement }: &RoleMovement) -> &'static str {
    let noun = match role {
        None => "tensors",
        Some(TensorRole::Weight) => "weights",
        Some(TensorRole::Optimizer) => "optimizer tensors",
        Some(TensorRole::Counter) => "counters",
    };
    if movement.total == 1 { noun.trim_end_matches('s') } else { noun }
}

/// For example `17 of 20 weights`.
fn counted(Movement { changed, total, .. }: Movement, what: &str) -> String {
    format!("{} of {} {what}", number::count(changed), number::count(total))
}

/// How far the tensors moved together.
fn moved(Movement { rel_l2, .. }: Movement, what: &str, measure: Measure) -> Option<String> {
    let moved = rel_l2.filter(|&moved| moved > 0.0)?;
    Some(match moved.is_finite() {
        true => {
            let moved = number::percent(moved);
            let measure = match measure {
                Measure::Defined => "rel l2: ‖rhs − lhs‖ / ‖lhs‖",
                Measure::Named => "rel l2",
            };
            format!("the {what} moved by {moved} ({measure})")
        }
        false => format!("the {what} moved away from 0"),
    })
}

/// Whether tensors are judged as a whole, or by tolerances of their own.
fn has_limits(diff: &Diff) -> bool {
    let criteria = &diff.options.criteria;
    criteria.max_rel_l2.is_some()
        || criteria.max_changed.is_some()
        || criteria.bounds().next().is_some()
}

/// The number of tensors that cannot be read, and the result of the others.
fn unreadable(counts: StatusCounts) -> String {
    let (total, failed) = (counts.total(), counts.of(Status::Error));
    let rest = total - failed;
    let changed = rest - counts.of(Status::Identical) - counts.of(Status::Close);
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

/// The tensors with new NaN or infinities; the name of the only one.
fn new_non_finite(diff: &Diff) -> Option<String> {
    let found: Vec<_> = diff.tensors.iter().filter(|tensor| has_new_non_finite(tensor)).collect();
    let comparisons = || found.iter().filter_map(|tensor| tensor.comparison.as_deref());
    let has_nan = comparisons().any(|comparison| comparison.nan_new.is_some_and(|n| n > 0));
    let has_inf = comparisons().any(|comparison| comparison.inf.is_some_and(|n| n.rhs > n.lhs));
    let what = match (has_nan, has_inf) {
        (true, true) => "NEW NaN or infinity",
        (true, false) => "NEW NaN",
        _ => "NEW infinity",
    };
    match found.as_slice() {
        [] => None,
        [only] => Some(format!("{what} in 1 tensor: {}.", only.shown_name())),
        all => Some(format!("{what} in {}.", plural(all.len() as u64, "tensor"))),
    }
}

/// The scopes, and how far the weights in each moved.
fn by_scope(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let scopes = scopes(&weights(diff), SCOPES);
    if scopes.len() < 2 || scopes.iter().all(|of| of.movement.changed == 0) {
        return Ok(());
    }
    let (shown, hidden) = scopes.split_at(scopes.len().min(SCOPES));
    let part = |scope: &str, movement: Movement| {
        let scope = if scope.is_empty() { statistics::TOP } else { scope };
        format!("{scope} {}", of_total(movement, ""))
    };
    let mut parts: Vec<_> = shown.iter().map(|of| part(&of.scope, of.movement)).collect();
    if !hidden.is_empty() {
        parts.push(format!("… and {}", plural(hidden.len() as u64, "more scope")));
    }
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
    for line in roles_counted(movements, options) {
        writeln!(out, "{line}")?;
    }
    if diff.coverage.has_graph() || !diff.changes.is_empty() || diff.ignored > 0 {
        writeln!(out, "  {}", changes_counted(diff))?;
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

/// For example `weights: 2 of 14 changed, 0.9% · optimizer: 4 of 28, 31% · counters: 1 of 2`; nothing where tensors have no
/// different roles.
fn roles_counted(movements: &[RoleMovement], options: &ReportOptions) -> Vec<String> {
    let of = |(at, of): (usize, &RoleMovement)| {
        let verb = if at == 0 { " changed" } else { "" };
        Some(format!("{}: {}", tensors::role(of.role?), of_total(of.movement, verb)))
    };
    let parts: Vec<_> = movements.iter().enumerate().filter_map(of).collect();
    match parts.as_slice() {
        [] => Vec::new(),
        parts => wrapped_to(options.width(), "  ", parts, " · "),
    }
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
    let mut text = format!("{}: {}", message_noun(diff), plural(semantic, "change"));
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
