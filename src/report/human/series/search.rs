//! The report of a search: the first checkpoint with a property.

use std::io::{self, Write};

use crate::report::ReportOptions;
use crate::series::{Property, Search, Step};

use super::super::lines;
use super::super::number;
use super::super::terminal_text::{plural, printable, short_of};
use super::labels::{label, path, shown_path};
use super::sections::errors;

/// Writes the report of a search.
pub(in crate::report::human) fn write(
    search: &Search,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let palette = options.palette;
    let is_good = search.found.is_none() && last_compared(search).is_some();
    let style = if is_good { palette.good } else { palette.bad };
    writeln!(out, "{style}{}{style:#}", text(search))?;
    below_answer(search, options, out)
}

/// Writes everything but the answer.
pub(in crate::report) fn below_answer(
    search: &Search,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let faint = options.palette.faint;
    writeln!(out, "{faint}  {}{faint:#}", compared(search))?;
    if !search.because.is_empty() {
        lines::heading(title(search.property), options, out)?;
        for because in search.because.iter().take(options.max_rows) {
            writeln!(out, "  {}", short_of(&printable(because)))?;
        }
        let hidden = search.because.len().saturating_sub(options.max_rows) as u64;
        lines::more(hidden, "", "  ", faint, out)?;
    }
    errors(search.errors(), options, out)
}

/// The answer on one line.
pub(in crate::report) fn text(search: &Search) -> String {
    let found = search.found.and_then(|at| search.steps.get(at));
    let tensors = plural(search.because.len() as u64, "tensor");
    match (found, last_compared(search), search.property) {
        (Some(step), _, Property::NonFinite) if step.drift.is_none() => {
            format!("{} has NaN already, in {tensors}: {}.", label(step), path(step))
        }
        (Some(step), _, Property::NonFinite) => {
            let what = format!("is the first with new NaN or infinity, in {tensors}");
            format!("{} {what}: {}.", label(step), path(step))
        }
        (Some(step), _, Property::Broken) => {
            format!("{} is the first that breaks a rule: {}.", label(step), path(step))
        }
        (None, Some(last), Property::NonFinite) => {
            format!("no new NaN or infinity in the last checkpoint, {}.", label(last))
        }
        (None, Some(last), Property::Broken) => {
            format!("the last checkpoint, {}, breaks no rule.", label(last))
        }
        (None, None, _) => "no checkpoint can be compared.".into(),
    }
}

fn last_compared(search: &Search) -> Option<&Step> {
    search.steps.iter().rev().find(|step| step.drift.is_some())
}

/// How many checkpoints were compared, and with what.
pub(in crate::report) fn compared(search: &Search) -> String {
    let read = search.steps.iter().filter(|step| step.drift.is_some()).count() as u64;
    let all = search.steps.len() as u64;
    let (read, all) = (number::count(read), plural(all, "checkpoint"));
    format!("{read} of {all} compared with {}", shown_path(&search.baseline))
}

/// The heading of the reasons.
pub(in crate::report) fn title(property: Property) -> &'static str {
    match property {
        Property::NonFinite => "NaN or infinity",
        Property::Broken => "Broken",
    }
}
