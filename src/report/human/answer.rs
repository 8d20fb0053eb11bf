//! The answer of a diff: what changed, in a sentence or two.

use std::io::{self, Write};

use crate::diff::{
    ChangeCounts, Coverage, Diff, Status, StatusCounts, TensorDiff, TensorRole, Verdict, Weight,
};
use crate::summary::{Movement, RoleMovement, has_new_non_finite};

use super::changes::Section;
use super::terminal_text::{plural, printable, width_of, wrapped_to};
use super::unmatched::{no_common_name, only_renamed, renamed};
use super::{ReportOptions, WIDTH, number};

/// Writes the answer: one line if it fits, else broken between its clauses.
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
    let [defined, named] =
        [Measure::Defined, Measure::Named].map(|measure| clauses(diff, movements, measure));
    let one_line = defined.join("; ");
    let lines = match width_of(&one_line) < options.width() {
        true => vec![one_line],
        false => wrapped_to(options.width(), "", &named, "; "),
    };
    let mut text = lines.join("\n");
    text.push('.');
    // NaN and infinities stand out, as errors do.
    if let Some((before, found, after)) = around(&text, new_non_finite(diff).as_deref()) {
        let bad = palette.bad;
        return writeln!(out, "{style}{before}{style:#}{bad}{found}{bad:#}{style}{after}{style:#}");
    }
    writeln!(out, "{style}{text}{style:#}")
}

/// The answer in one line, in which the measure of movement is defined if there is room.
pub(in crate::report) fn text(diff: &Diff, movements: &[RoleMovement]) -> String {
    let [defined, named] = [Measure::Defined, Measure::Named]
        .map(|measure| clauses(diff, movements, measure).join("; ") + ".");
    if width_of(&defined) <= WIDTH { defined } else { named }
}

/// The answer in one line.
pub(super) fn sentence(diff: &Diff, movements: &[RoleMovement]) -> String {
    clauses(diff, movements, Measure::Named).join("; ") + "."
}

/// The text before a part, the part, and the text after it.
fn around<'t>(text: &'t str, part: Option<&'t str>) -> Option<(&'t str, &'t str, &'t str)> {
    let part = part?;
    let (before, after) = text.split_once(part)?;
    Some((before, part, after))
}

/// How the answer names the measure of movement.
#[derive(Clone, Copy)]
enum Measure {
    /// With its definition.
    Defined,
    /// By its name alone, if that is all that fits on a line.
    Named,
}

/// The clauses of the answer. The first word is the verdict.
fn clauses(diff: &Diff, movements: &[RoleMovement], measure: Measure) -> Vec<String> {
    let (verdict, mut clauses) = match diff.verdict() {
        Verdict::Same => same(diff),
        Verdict::Different => ("Different", different(diff, movements, measure)),
        Verdict::Trouble => ("Error", unreadable(diff.counts())),
    };
    // A model with NaN is broken, whatever else changed.
    if let Some(found) = new_non_finite(diff) {
        clauses.insert(usize::from(diff.verdict() == Verdict::Trouble), found);
    }
    if let Some(first) = clauses.first_mut() {
        *first = format!("{verdict}: {first}");
    }
    clauses
}

/// What the messages of both sides are called: `graph`, `saver`.
pub(in crate::report) fn message_noun(diff: &Diff) -> String {
    let kind = &diff.lhs.kind;
    match diff.coverage {
        Coverage::Tensors => "object graph".into(),
        _ if kind.has_graph() || *kind != diff.rhs.kind => "graph".into(),
        _ => printable(kind.name()),
    }
}

/// The verdict and the clauses if no difference counts.
fn same(diff: &Diff) -> (&'static str, Vec<String>) {
    let counts = diff.counts();
    let [identical, close, uncompared] =
        [Status::Identical, Status::Close, Status::Uncompared].map(|status| counts.of(status));
    let compared = if diff.left_out.total() > 0 { "compared " } else { "" };
    let mut parts = Vec::new();
    if diff.coverage.has_tensors() {
        parts.push(match (identical, close) {
            (0, 0) if uncompared > 0 => same_types(uncompared),
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
    (if close > 0 { "Same within the tolerance" } else { "Same" }, parts)
}

/// Says that tensors whose values were not compared have the same dtypes and shapes.
fn same_types(tensors: u64) -> String {
    match tensors {
        1 => "the one tensor has the same dtype and shape".into(),
        n => format!("all {} have the same dtypes and shapes", plural(n, "tensor")),
    }
}

/// The clauses if something differs.
fn different(diff: &Diff, movements: &[RoleMovement], measure: Measure) -> Vec<String> {
    let changes = changes(diff);
    let changed = movements.iter().any(|of| of.movement.changed > 0);
    let first = movements.first().filter(|of| of.movement.changed > 0);
    let is_equivalent = (diff.coverage.has_graph() && changes.is_none() && changed)
        .then(|| format!("the {} is equivalent", message_noun(diff)));
    let mut parts = Vec::new();
    if let Some(none) = only_renamed(diff).or_else(|| no_common_name(diff)) {
        parts.push(none);
        parts.extend(changes);
    } else if let Some(first) = first {
        parts.push(counted(diff, first, movements, beyond(diff)));
        parts.extend(moved(first, noun_of(first, movements), measure));
        parts.extend(values_within(diff));
        let others = movements.iter().filter(|of| of.role != first.role);
        parts.extend(others.filter_map(|of| replaced(diff, of, movements)));
        parts.extend(changes);
    } else if changed {
        parts.extend(movements.first().map(|of| unchanged(diff, of, movements)));
        let others = movements.iter().filter(|of| of.movement.changed > 0);
        // The clause before has the tolerance.
        let others = others.map(|of| counted(diff, of, movements, ""));
        parts.push(others.collect::<Vec<_>>().join(" and "));
        parts.extend(changes);
    } else {
        parts.extend(changes);
        let tensors = Some(diff.coverage.has_tensors()).filter(|&has| has);
        let counts = diff.counts();
        let counts = [Status::Uncompared, Status::Close].map(|status| counts.of(status));
        parts.extend(tensors.map(|_| match counts {
            [0, 0] => "no tensor changed".into(),
            [n, _] if n > 0 => same_types(n),
            _ => "no tensor changed beyond the tolerance".into(),
        }));
    }
    parts.extend(renamed(diff));
    parts.extend(is_equivalent);
    parts
}

/// The number of changes that count in the messages of both sides.
fn changes(diff: &Diff) -> Option<String> {
    let ChangeCounts { semantic, cosmetic, .. } = diff.weights();
    let noun = message_noun(diff);
    match (semantic, cosmetic) {
        (0, n) if diff.options.strict && n > 0 => {
            Some(format!("{} in the {noun} (--strict)", plural(n, "cosmetic change")))
        }
        (0, _) => None,
        (n, _) => {
            let changes = plural(n, "change");
            Some(match signature_changes(diff) {
                0 => format!("{changes} in the {noun}"),
                all if all == n => format!("{changes} in the signatures"),
                some => format!("{changes} in the {noun} ({} in signatures)", number::count(some)),
            })
        }
    }
}

/// The number of semantic changes of signatures, on which every caller of a model relies.
fn signature_changes(diff: &Diff) -> u64 {
    let semantic = diff.reported_of(Weight::Semantic);
    let of_signatures =
        semantic.filter(|reported| Section::of(reported.change) == Section::Signatures);
    of_signatures.count() as u64
}

/// Says that no tensor of a role changed.
fn unchanged(diff: &Diff, of: &RoleMovement, all: &[RoleMovement]) -> String {
    let noun = noun_of(of, all);
    let count = |status| of_role(diff, of, all).filter(|tensor| tensor.status == status).count();
    let identical = count(Status::Identical) as u64;
    match (of.movement.total, identical) {
        _ if count(Status::Uncompared) > 0 => format!("no {} changed", noun.trim_end_matches('s')),
        (1, 1) => format!("the {noun} is identical"),
        (total, n) if total == n => format!("all {} {noun} are identical", number::count(total)),
        _ => format!("no {} changed beyond the tolerance", noun.trim_end_matches('s')),
    }
}

/// How many tensors of a role were removed and added, such as the state of another optimizer.
fn replaced(diff: &Diff, of: &RoleMovement, all: &[RoleMovement]) -> Option<String> {
    let count = |status| {
        let n = of_role(diff, of, all).filter(|tensor| tensor.status == status).count() as u64;
        Some(format!("{} {}", number::count(n), status.name())).filter(|_| n > 0)
    };
    let parts: Vec<_> = [Status::Removed, Status::Added].into_iter().filter_map(count).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", noun_of(of, all), parts.join(", ")))
}

/// Says that values are within the tolerance, if only dtypes differ.
fn values_within(diff: &Diff) -> Option<String> {
    let changed = || diff.tensors.iter().filter(|tensor| tensor.is_changed());
    let within = |tensor: &TensorDiff| {
        let comparison = tensor.comparison.as_deref();
        tensor.status == Status::Dtype && comparison.is_some_and(|found| found.mismatched == 0)
    };
    let is_meant = !diff.options.compare.tolerance.is_bits() && changed().all(within);
    is_meant.then(|| "all values are within the tolerance".into())
}

/// The tensors of a role; all tensors if there are no others.
fn of_role<'d>(
    diff: &'d Diff,
    of: &RoleMovement,
    all: &[RoleMovement],
) -> impl Iterator<Item = &'d TensorDiff> {
    let (is_only, role) = (all.len() == 1, of.role);
    diff.tensors.iter().filter(move |tensor| is_only || tensor.role == role)
}

/// The noun for the tensors of a role.
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

/// For example `17 of 20 weights changed`, or `3 of 20 weights removed`.
fn counted(diff: &Diff, of: &RoleMovement, all: &[RoleMovement], beyond: &str) -> String {
    let Movement { changed, total, .. } = of.movement;
    let found: Vec<_> = of_role(diff, of, all).filter(|tensor| tensor.is_changed()).collect();
    let (what, how) = (noun_of(of, all), how_changed(&found, beyond));
    format!("{} of {} {what} {how}", number::count(changed), number::count(total))
}

/// ` beyond the tolerance`, if tensors were judged by one.
fn beyond(diff: &Diff) -> &'static str {
    match diff.options.compare.tolerance.is_bits() && !has_limits(diff) {
        true => "",
        false => " beyond the tolerance",
    }
}

/// How some tensors changed: by the status that all have, or `changed`.
fn how_changed(changed: &[&TensorDiff], beyond: &str) -> String {
    let count = |status| changed.iter().filter(|tensor| tensor.status == status).count();
    let all_are = |statuses: &[Status]| changed.iter().all(|t| statuses.contains(&t.status));
    let dtypes =
        |tensor: &TensorDiff| Some((tensor.lhs.as_ref()?.dtype, tensor.rhs.as_ref()?.dtype));
    let common = changed.first().and_then(|first| dtypes(first));
    let common = common.filter(|pair| changed.iter().all(|tensor| dtypes(tensor) == Some(*pair)));
    if all_are(&[Status::Dtype]) {
        let how = described(Status::Dtype);
        return common.map_or(how.into(), |(lhs, rhs)| format!("{how} ({lhs} → {rhs})"));
    }
    for alone in [Status::Shape, Status::Added, Status::Removed] {
        if all_are(&[alone]) {
            return described(alone).into();
        }
    }
    if all_are(&[Status::Added, Status::Removed]) {
        return "added or removed".into();
    }
    match count(Status::Shape) {
        0 => format!("changed{beyond}"),
        n => format!("changed{beyond}, {} in shape", number::count(n as u64)),
    }
}

/// How far the tensors moved together.
fn moved(of: &RoleMovement, what: &str, measure: Measure) -> Option<String> {
    let moved = of.movement.rel_l2.filter(|&moved| moved > 0.0)?;
    let measure = match measure {
        Measure::Defined => "rel l2: ‖rhs − lhs‖ / ‖lhs‖",
        Measure::Named => "rel l2",
    };
    // NaN and infinities are in no norm.
    let finite = if of.movement.non_finite > 0 { " where finite" } else { "" };
    Some(match moved.is_finite() {
        true => format!("the {what} moved by {}{finite} ({measure})", number::percent(moved)),
        false => format!("the {what} moved away from 0{finite}"),
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
fn unreadable(counts: StatusCounts) -> Vec<String> {
    let (total, failed) = (counts.total(), counts.of(Status::Error));
    let rest = total - failed;
    let unchanged = [Status::Identical, Status::Close, Status::Uncompared];
    let changed = rest - unchanged.into_iter().map(|status| counts.of(status)).sum::<u64>();
    let (what, the_rest) = if failed == 0 {
        ("not everything can be read".into(), plural(rest, "tensor"))
    } else {
        let (failed, total) = (number::count(failed), plural(total, "tensor"));
        let rest = if rest == 1 { "one".into() } else { number::count(rest) };
        (format!("{failed} of {total} cannot be compared"), format!("the other {rest}"))
    };
    let rest = match (rest, changed) {
        (0, _) => None,
        (1, 0) => Some(format!("{the_rest} is the same")),
        (1, _) => Some(format!("{the_rest} changed")),
        (_, 0) => Some(format!("{the_rest} are the same")),
        _ => Some(format!("{} of {the_rest} changed", number::count(changed))),
    };
    [what].into_iter().chain(rest).collect()
}

/// The tensors with new NaN or infinities; the name of the only one.
fn new_non_finite(diff: &Diff) -> Option<String> {
    let found: Vec<_> = diff.tensors.iter().filter(|tensor| has_new_non_finite(tensor)).collect();
    let new = || found.iter().filter_map(|tensor| tensor.new_non_finite());
    let (has_nan, has_inf) = (new().any(|new| new.nan > 0), new().any(|new| new.inf > 0));
    let what = match (has_nan, has_inf) {
        (true, true) => "NEW NaN or infinity",
        (true, false) => "NEW NaN",
        _ => "NEW infinity",
    };
    match found.as_slice() {
        [] => None,
        [only] => Some(format!("{what} in {}", only.shown_name())),
        all => Some(format!("{what} in {}", plural(all.len() as u64, "tensor"))),
    }
}

/// A status in words.
pub(in crate::report) fn described(status: Status) -> &'static str {
    match status {
        Status::Dtype => "changed dtype",
        Status::Shape => "changed shape",
        Status::Error => "unreadable",
        Status::Uncompared => "of the same dtype and shape",
        _ => status.name(),
    }
}
