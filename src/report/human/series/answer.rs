//! The answer of a series, in a sentence or two.

use std::io::{self, Write};

use crate::report::ReportOptions;
use crate::series::{Against, Series, Step, Verdict};

use super::super::number;
use super::super::terminal_text::{plural, printable, width_of, wrapped_to};
use super::labels::{label, label_at, name, one_or_count};

/// Writes the answer: one line if it fits, else broken between its clauses.
pub(super) fn write(
    series: &Series,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let palette = options.palette;
    let style = match series.verdict() {
        Verdict::Sound => palette.good,
        Verdict::Broken | Verdict::Trouble => palette.bad,
    };
    let clauses = clauses(series);
    let one_line = clauses.join("; ");
    let lines = match width_of(&one_line) < options.width() {
        true => vec![one_line],
        false => wrapped_to(options.width(), "", &clauses, "; "),
    };
    writeln!(out, "{style}{}.{style:#}", lines.join("\n"))
}

/// The answer on one line.
pub(in crate::report) fn text(series: &Series) -> String {
    clauses(series).join("; ") + "."
}

/// The clauses of the answer.
fn clauses(series: &Series) -> Vec<String> {
    let mut clauses = vec![format!("{}: {}", extent(series), moved(series))];
    clauses.extend(non_finite(series));
    clauses.extend(broken(series));
    clauses.extend(runaways(series));
    clauses.extend(unreadable(series));
    clauses
}

/// How many checkpoints there are, and from where to where.
fn extent(series: &Series) -> String {
    let count = plural(series.steps.len() as u64, "checkpoint");
    match (series.steps.first(), series.steps.last()) {
        (Some(Step { step: Some(first), .. }), Some(Step { step: Some(last), .. })) => {
            format!("{count} from step {first} to {last}")
        }
        (Some(first), Some(last)) => format!("{count} from {} to {}", label(first), label(last)),
        _ => count,
    }
}

/// How far the weights moved.
fn moved(series: &Series) -> String {
    let role = series.roles().first().copied().flatten();
    let noun = if role.is_some() { "weights" } else { "tensors" };
    let of = |step: &Step| step.movement(role).map(|of| of.movement);
    let compared: Vec<&Step> = series.steps.iter().filter(|step| step.drift.is_some()).collect();
    let known = |step: &&&Step| of(step).is_some_and(|movement| movement.rel_l2.is_some());
    let last = match series.against {
        Against::Previous => {
            let movement = |step: &&&Step| of(step).and_then(|of| of.rel_l2).unwrap_or_default();
            let all = compared.iter().filter(known);
            all.max_by(|a, b| movement(a).total_cmp(&movement(b)))
        }
        Against::First | Against::Path(_) => compared.iter().rev().find(known),
    };
    let Some((step, rel_l2)) = last.and_then(|step| Some((step, of(step)?.rel_l2?))) else {
        return if compared.is_empty() {
            "none could be compared".into()
        } else {
            format!("no {noun} were compared")
        };
    };
    if rel_l2 == 0.0 && compared.iter().all(|step| of(step).is_none_or(|of| of.changed == 0)) {
        return format!("the {noun} did not change");
    }
    let percent = number::percent(rel_l2);
    let is_last = compared.last().is_some_and(|last| std::ptr::eq(*last, *step));
    match series.against {
        Against::Previous => {
            format!("the {noun} moved by at most {percent} at a time, at {}", label(step))
        }
        _ if is_last => format!("the {noun} moved by {percent} in all"),
        _ => format!("the {noun} moved by {percent} until {}", label(step)),
    }
}

/// Since when there are NaN or infinities.
fn non_finite(series: &Series) -> Option<String> {
    let first = series.non_finite.first()?;
    let with_first: Vec<_> = series.non_finite.iter().filter(|of| of.at == first.at).collect();
    let names: Vec<String> = with_first.iter().map(|of| name(&of.tensor)).collect();
    let tensors = one_or_count(&names, "tensor");
    let nan = with_first.iter().any(|of| of.nan > 0);
    let what = if nan { "NaN" } else { "infinity" };
    let is_baseline = series.steps.get(first.at).is_some_and(|step| step.drift.is_none());
    Some(match is_baseline {
        true => format!("{what} in {tensors} from the first on, {}", label_at(series, first.at)),
        false => format!("NEW {what} in {tensors} from {}", label_at(series, first.at)),
    })
}

fn broken(series: &Series) -> Option<String> {
    let (at, why) = series.first_broken()?;
    Some(format!("{} breaks a rule: {}", label_at(series, at), printable(why)))
}

fn runaways(series: &Series) -> Option<String> {
    let (_, first) = series.runaways.iter().min_by_key(|(_, found)| found.at)?;
    let names: Vec<String> = series.runaways.iter().map(|(of, _)| name(of)).collect();
    let verb = if names.len() == 1 { "runs away" } else { "run away" };
    let tensors = one_or_count(&names, "tensor");
    Some(format!("{tensors} {verb} from {}", label_at(series, first.at)))
}

fn unreadable(series: &Series) -> Option<String> {
    let with_errors = || series.steps.iter().filter(|step| !step.errors.is_empty());
    let names: Vec<String> = with_errors().map(label).collect();
    let what = one_or_count(&names, "checkpoint");
    let how = if with_errors().all(Step::is_unreadable) { "" } else { " completely" };
    (!names.is_empty()).then(|| format!("{what} cannot be read{how}"))
}
