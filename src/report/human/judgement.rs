//! What rules say of a comparison: the answer, and the table of broken rules.

use std::io::{self, Write};

use super::ReportOptions;
use super::number;
use super::table::{Align, Table};
use super::terminal_text::{plural, printable, width_of, wrapped_to};
use crate::diff::{Diff, Status, Verdict};
use crate::report::Judged;
use crate::rules::{Check, CheckSubject, Found, Judgement, Limit, UnusedRule};

/// Writes the answer: whether the rules hold, and the worst reason why not.
pub(super) fn answer(
    judged: &Judged<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let palette = options.palette;
    let style = match judged.judgement.verdict() {
        Verdict::Same => palette.good,
        Verdict::Different | Verdict::Trouble => palette.bad,
    };
    let clauses = clauses(judged);
    let one_line = clauses.join("; ");
    let lines = match width_of(&one_line) < options.width() {
        true => vec![one_line],
        false => wrapped_to(options.width(), "", &clauses, "; "),
    };
    writeln!(out, "{style}{}.{style:#}", lines.join("\n"))
}

/// The answer in one line.
pub(in crate::report) fn sentence(judged: &Judged<'_>) -> String {
    clauses(judged).join("; ") + "."
}

/// The clauses of the answer. The first word is the verdict.
fn clauses(Judged { diff, rules, judgement }: &Judged<'_>) -> Vec<String> {
    let rules = printable(rules.source());
    match judgement.verdict() {
        Verdict::Same => vec![format!("Passed: {} of {rules}", kept(diff))],
        Verdict::Different => failed(judgement, &rules),
        Verdict::Trouble if judgement.errors > 0 => {
            let unread = plural(judgement.errors, "tensor or part");
            let mut clauses = vec![format!("Error: {unread} cannot be read")];
            if !judgement.failures.is_empty() {
                clauses.push(broken(judgement, &rules));
            }
            clauses
        }
        Verdict::Trouble => {
            let undecided = plural(judgement.undecided.len() as u64, "check");
            vec![format!("Undecided: the report cannot decide {undecided} of {rules}")]
        }
    }
}

/// For example `12 of 14 tensors changed, all within the rules`.
fn kept(diff: &Diff) -> String {
    let counts = diff.counts();
    let changed = counts.total() - counts.of(Status::Identical) - counts.of(Status::Uncompared);
    let tensors = match (counts.total(), changed) {
        (0, _) => None,
        (total, 0) => Some(format!("none of {} changed", plural(total, "tensor"))),
        (total, n) => Some(format!("{} of {} changed", number::count(n), plural(total, "tensor"))),
    };
    let changes = diff.weights().semantic;
    let graph = (changes > 0).then(|| format!("{} in the graph", plural(changes, "change")));
    let parts: Vec<_> = tensors.into_iter().chain(graph).collect();
    match parts.as_slice() {
        [] => "the comparison is within the rules".into(),
        parts => format!("{}, within the rules", parts.join(", ")),
    }
}

/// The worst reason, and how many tensors and changes break a rule.
fn failed(judgement: &Judgement, rules: &str) -> Vec<String> {
    let worst = judgement.failures.first().map(reason);
    let worst = worst.map(|reason| format!("Failed: {reason}"));
    worst.into_iter().chain([broken(judgement, rules)]).collect()
}

fn broken(judgement: &Judgement, rules: &str) -> String {
    let of = |is: fn(&CheckSubject) -> bool| {
        let mut subjects: Vec<_> =
            judgement.failures.iter().map(|check| &check.subject).filter(|of| is(of)).collect();
        subjects.sort();
        subjects.dedup();
        subjects.len() as u64
    };
    let kinds = [
        (of(|subject| matches!(subject, CheckSubject::Tensor(..))), "tensor"),
        (of(|subject| matches!(subject, CheckSubject::Change(..))), "change"),
        (of(|subject| matches!(subject, CheckSubject::Op(..))), "op"),
    ];
    let counted = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| plural(*n, noun));
    let verb = match kinds.iter().map(|(n, _)| n).sum::<u64>() {
        1 => "breaks",
        _ => "break",
    };
    let counted: Vec<_> = counted.collect();
    format!("{} {verb} the rules of {rules}", counted.join(" and "))
}

/// A failure in a few words: `12 new NaN in dense/kernel`.
pub fn reason(check: &Check) -> String {
    let name = printable(check.subject.shown());
    match (&check.subject, check.gate) {
        (CheckSubject::Op(op), _) => {
            format!("the graph has {} of the op {}", found(check), printable(op))
        }
        (CheckSubject::Change(path), gate) => {
            let what =
                if gate == "signatures" { "a signature changed" } else { "the graph changed" };
            format!("{what} at {}", printable(path))
        }
        (_, "nan" | "inf") => format!("{} in {name}", found(check)),
        (_, "expect") => format!("{name} is {}, expected {}", found(check), limit(check)),
        (_, "identical") => format!("{name} changed, and no rule says how far it may"),
        (_, "added" | "removed") => format!("{name} is {}", found(check)),
        (_, "new_shape") => format!("{name} has another shape, {}", found(check)),
        (_, "new_dtype") => format!("{name} has another dtype, {}", found(check)),
        (_, "max_mismatched") => {
            format!("{} of {name} is beyond the tolerance, allowed {}", found(check), limit(check))
        }
        (_, gate) => {
            format!("{} {}, allowed {}", moved(gate, &name), found(check), limit(check))
        }
    }
}

/// The start of a sentence that ends with the statistic of a gate.
fn moved(gate: &str, name: &str) -> String {
    let of = |what: &str| format!("the {what} of {name} is");
    match gate {
        "rel_l2" => format!("{name} moved by"),
        "cosine" => of("cosine"),
        "rms" => of("root mean square of the differences"),
        "max_abs" => of("largest difference"),
        "max_rel" => of("largest relative difference"),
        "changed" => of("share of changed elements"),
        "norm" => of("norm"),
        "std" => of("standard deviation"),
        "mean" => of("distance of the means"),
        "ks" => of("Kolmogorov-Smirnov distance"),
        "zeros" => format!("the share of zeros in {name} changed by"),
        "abs_p50" => of("median of |value|"),
        "abs_p90" => of("90% quantile of |value|"),
        "abs_p99" => of("99% quantile of |value|"),
        other => format!("{other} of {name} is"),
    }
}

/// Whether the numbers of a check are shares or relative distances, which read best in percent.
fn is_share(check: &Check) -> bool {
    matches!(check.gate, "rel_l2" | "changed" | "max_mismatched" | "zeros")
        || check.gate.starts_with("diff_p")
}

/// Whether the number of a check is a ratio of rhs to lhs.
fn is_ratio(check: &Check) -> bool {
    matches!(check.gate, "norm" | "std") || check.gate.starts_with("abs_p")
}

fn value(check: &Check, value: f64) -> String {
    match (is_share(check), is_ratio(check)) {
        (true, _) if value.is_finite() => number::percent(value),
        (_, true) => format!("×{}", number::short(value)),
        _ => number::short(value),
    }
}

/// What was found, such as `62%` or `14.3 → 11.4 (×0.797)`.
pub(in crate::report) fn found(check: &Check) -> String {
    match (&check.found, check.sides) {
        (Found::Text(text), _) => printable(text),
        (Found::Number(number), Some(sides)) => {
            let [lhs, rhs] = [sides.lhs, sides.rhs].map(number::short);
            format!("{lhs} → {rhs} ({})", value(check, *number))
        }
        (Found::Number(number), None) => value(check, *number),
        (Found::Between(least, most), _) => {
            format!("{} to {}", value(check, *least), value(check, *most))
        }
        (Found::Unknown, _) => "unknown".into(),
    }
}

/// What is accepted, such as `at most 20%`.
pub(in crate::report) fn limit(check: &Check) -> String {
    match check.limit {
        Limit::Word("not_new") => "no new ones".into(),
        Limit::Word(word) => word.into(),
        Limit::Range(Some(least), Some(most)) => {
            format!("{} to {}", value(check, least), value(check, most))
        }
        Limit::Range(None, Some(0.0)) => "none".into(),
        Limit::Range(None, Some(most)) => format!("at most {}", value(check, most)),
        Limit::Range(Some(least), None) => format!("at least {}", value(check, least)),
        Limit::Range(None, None) => "anything".into(),
    }
}

/// Writes a table of each list of checks that is not empty, and the rules that match nothing.
pub(super) fn write(
    judgement: &Judgement,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    table("Broken rules", &judgement.failures, options, out)?;
    let title = "Undecided: the report lacks the statistics";
    table(title, &judgement.undecided, options, out)?;
    table("Passed because of a rule", &judgement.passed, options, out)
}

fn table(
    title: &str,
    checks: &[Check],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if checks.is_empty() {
        return Ok(());
    }
    let palette = options.palette;
    let heading = palette.heading;
    writeln!(out, "\n{heading}{title}{heading:#}")?;
    let mut rows = Table::new(&[Align::Left, Align::Left, Align::Left, Align::Left]);
    rows.header(palette.faint, &["name", "gate", "found", "allowed", "rule"]);
    for check in checks.iter().take(options.max_rows) {
        let name = printable(check.subject.shown());
        let rule = printable(&check.rule.to_string());
        let cells = vec![name, check.gate.into(), found(check), limit(check), rule];
        rows.push(anstyle::Style::new(), cells);
    }
    rows.write_fitted(options.columns, out)?;
    match checks.len().saturating_sub(options.max_rows) {
        0 => Ok(()),
        more => writeln!(out, "  … and {} more; -n all lists them", number::count(more as u64)),
    }
}

/// The warning about a rule that matches nothing.
pub fn unused_rule(unused: &UnusedRule) -> String {
    let pattern = unused.pattern.as_deref().map(|pattern| format!(" {pattern:?}"));
    let hint = unused.suggestion.as_deref().map(|name| format!("; did you mean {name}?"));
    let (pattern, hint) = (pattern.unwrap_or_default(), hint.unwrap_or_default());
    format!("{}: the rule{pattern} matches no tensor{hint}", unused.rule)
}
