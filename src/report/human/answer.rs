//! The answer of a diff: what changed, in a sentence or two.

use std::io::{self, Write};

use crate::diff::{
    ChangeCounts, Coverage, Diff, Status, StatusCounts, TensorDiff, TensorRole, Verdict,
};
use crate::summary::{Movement, RoleMovement, has_new_non_finite};

use super::terminal_text::{plural, printable, width_of, wrapped_to};
use super::{ReportOptions, number};

/// Writes the answer, and below it or beside it the tensors with new NaN or infinities.
pub(super) fn write(
    diff: &Diff,
    movements: &[RoleMovement],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let palette = options.palette;
    let style = match diff.verdict() {
        Verdict::Same => palette.good,
        Verdict::Different => palette.changed,
        Verdict::Trouble => palette.bad,
    };
    let answers =
        [Measure::Defined, Measure::Named].map(|measure| sentence(diff, movements, measure));
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
    writeln!(out)
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
fn sentence(diff: &Diff, movements: &[RoleMovement], measure: Measure) -> String {
    match diff.verdict() {
        Verdict::Same => same(diff),
        Verdict::Different => different(diff, movements, measure),
        Verdict::Trouble => unreadable(diff.counts()),
    }
}

/// What the messages of both sides are called: `graph`, `saver`.
pub(super) fn message_noun(diff: &Diff) -> String {
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
    let is_alone = diff.coverage.has_graph() && changes.is_none();
    let changed = movements.iter().any(|of| of.movement.changed > 0);
    let first = movements.first().filter(|of| of.movement.changed > 0);
    let parts = match (first, no_common_name(diff)) {
        (_, Some(none)) => [none].into_iter().chain(changes).collect(),
        (Some(first), None) => {
            let and = changes.map(|changes| format!(" and {changes}")).unwrap_or_default();
            let what = noun_of(first, movements);
            let counted = format!("{}{beyond}{and}", counted(diff, first, movements));
            [counted].into_iter().chain(moved(first.movement, what, measure)).collect()
        }
        (None, None) if changed => {
            let others = movements.iter().filter(|of| of.movement.changed > 0);
            let others = others.map(|of| counted(diff, of, movements));
            let others: Vec<_> = others.chain(changes).collect();
            vec![format!("no weight changed{beyond}"), others.join(" and ")]
        }
        (None, None) => {
            let none = diff.coverage.has_tensors().then(|| format!("no tensor changed{beyond}"));
            changes.into_iter().chain(none).collect::<Vec<_>>()
        }
    };
    let is_unchanged = (is_alone && changed).then(|| format!("the {noun} means the same"));
    let parts: Vec<_> = parts.into_iter().chain(renamed(diff)).chain(is_unchanged).collect();
    format!("Different: {}.", parts.join("; "))
}

/// How many tensors seem renamed, if no other tensor has new values, another dtype or another shape.
fn renamed(diff: &Diff) -> Option<String> {
    let counts = diff.counts();
    let has_other_changes =
        [Status::Different, Status::Dtype, Status::Shape].iter().any(|of| counts.of(*of) > 0);
    match diff.renames.len() as u64 {
        0 => None,
        _ if has_other_changes => None,
        1 => Some("1 tensor seems renamed".into()),
        n => Some(format!("{} tensors seem renamed", number::count(n))),
    }
}

/// The answer if both sides have tensors, and no name is on both.
fn no_common_name(diff: &Diff) -> Option<String> {
    let counts = diff.counts();
    let (removed, added) = (counts.of(Status::Removed), counts.of(Status::Added));
    let is_meant = removed > 0 && added > 0 && removed + added == counts.total();
    let [removed, added] = [removed, added].map(number::count);
    is_meant
        .then(|| format!("no tensor name in common: {removed} only in lhs, {added} only in rhs"))
}

/// What the tensors of a role are called; of no role, all tensors if there are no others.
fn noun_of(of: &RoleMovement, all: &[RoleMovement]) -> &'static str {
    let noun = match of.role {
        None if all.len() == 1 => "tensors",
        None => "other tensors",
        Some(TensorRole::Weight) => "weights",
        Some(TensorRole::Optimizer) => "optimizer tensors",
        Some(TensorRole::Counter) => "counters",
    };
    if of.movement.total == 1 { noun.trim_end_matches('s') } else { noun }
}

/// For example `17 of 20 weights`, or `3 of 20 weights removed`.
fn counted(diff: &Diff, of: &RoleMovement, all: &[RoleMovement]) -> String {
    let Movement { changed, total, .. } = of.movement;
    let tensors = || diff.tensors.iter().filter(|t| all.len() == 1 || t.role == of.role);
    let (what, manner) = (noun_of(of, all), manner(tensors));
    format!("{} of {} {what}{manner}", number::count(changed), number::count(total))
}

/// What happened to those of the tensors that changed, if it is one thing other than new values.
fn manner<'d, I: Iterator<Item = &'d TensorDiff>>(tensors: impl Fn() -> I) -> String {
    let changed = || tensors().filter(|tensor| tensor.is_changed());
    let all_are = |statuses: &[Status]| changed().all(|tensor| statuses.contains(&tensor.status));
    let Some(first) = changed().next() else { return String::new() };
    if !all_are(&[first.status]) {
        let are_of_one_side = all_are(&[Status::Added, Status::Removed]);
        return if are_of_one_side { " added or removed".into() } else { String::new() };
    }
    let dtypes =
        |tensor: &TensorDiff| Some((tensor.lhs.as_ref()?.dtype, tensor.rhs.as_ref()?.dtype));
    match (first.status, dtypes(first)) {
        (Status::Dtype, Some((lhs, rhs))) if changed().all(|t| dtypes(t) == Some((lhs, rhs))) => {
            format!(" of another dtype ({lhs} → {rhs})")
        }
        (Status::Dtype | Status::Shape, _) => format!(" {}", described(first.status)),
        (Status::Added | Status::Removed, _) => format!(" {}", first.status.name()),
        _ => String::new(),
    }
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
        let rest = if rest == 1 { "one".into() } else { number::count(rest) };
        (what, format!("the other {rest}"))
    };
    match (rest, changed) {
        (0, _) => format!("{what}."),
        (1, 0) => format!("{what}; {the_rest} is the same."),
        (1, _) => format!("{what}; {the_rest} changed."),
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

/// A status in words.
pub(super) fn described(status: Status) -> &'static str {
    match status {
        Status::Dtype => "of another dtype",
        Status::Shape => "of another shape",
        Status::Error => "unreadable",
        _ => status.name(),
    }
}
