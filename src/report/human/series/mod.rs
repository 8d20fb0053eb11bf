//! The report of a series: the answer, a table over the checkpoints, then the tensors that stand out.

pub(in crate::report) mod answer;
pub(in crate::report) mod labels;
pub(in crate::report) mod search;
mod sections;
mod sparkline;
pub(in crate::report) mod steps;

use std::io::{self, Write};

pub(super) use search::write as write_search;

use crate::series::{Against, Series};

use super::terminal_text::printable;
use super::{ReportOptions, number};
use labels::{path, shown_path};

/// Writes the report of a series.
pub(super) fn write(
    series: &Series,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    answer::write(series, options, out)?;
    below_answer(series, options, out)
}

/// Writes everything but the answer.
pub(in crate::report) fn below_answer(
    series: &Series,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    subtitle(series, options, out)?;
    steps::write(series, options, out)?;
    sections::write(series, options, out)
}

fn subtitle(series: &Series, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let style = options.palette.faint;
    writeln!(out, "{style}  {}{style:#}", compared_with(series))
}

/// What the checkpoints were compared with, and what the filters leave out.
pub(in crate::report) fn compared_with(series: &Series) -> String {
    let baseline = series.steps.iter().find(|step| !step.is_unreadable());
    let with = match (&series.against, baseline) {
        (Against::First, Some(first)) => format!("each against {}", path(first)),
        (Against::Path(path), _) => format!("each against {}", shown_path(path)),
        _ => "each against the one before".to_owned(),
    };
    let drift = series.steps.iter().find_map(|step| step.drift.as_deref());
    let left_out = drift.map(|drift| drift.left_out).unwrap_or_default();
    let parts = [("--include", left_out.include), ("--exclude", left_out.exclude)];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0);
    let parts =
        parts.map(|(option, count)| format!("{} left out by {option}", number::count(count)));
    let rules = series.rules.iter().map(|rules| format!("rules: {}", printable(rules)));
    let all: Vec<String> = [with].into_iter().chain(parts).chain(rules).collect();
    all.join("; ")
}
