//! The report of a search: the first checkpoint with a property.

use std::io::{self, Write};

use anstyle::Style;

use crate::report::ReportOptions;
use crate::series::{Property, Search};

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
    let (style, text) = answer(search, options);
    writeln!(out, "{style}{text}.{style:#}")?;
    let read = search.steps.iter().filter(|step| step.drift.is_some()).count() as u64;
    let all = search.steps.len() as u64;
    let (read, all) = (number::count(read), plural(all, "checkpoint"));
    let faint = palette.faint;
    writeln!(
        out,
        "{faint}  {read} of {all} compared with {}{faint:#}",
        shown_path(&search.baseline)
    )?;
    if !search.because.is_empty() {
        let title = match search.property {
            Property::NonFinite => "NaN or infinity",
            Property::Broken => "Broken",
        };
        lines::heading(title, options, out)?;
        for because in search.because.iter().take(options.max_rows) {
            writeln!(out, "  {}", short_of(&printable(because)))?;
        }
        let hidden = search.because.len().saturating_sub(options.max_rows) as u64;
        lines::more(hidden, "", "  ", faint, out)?;
    }
    errors(search.errors(), options, out)
}

/// The answer, and its style.
fn answer(search: &Search, options: &ReportOptions) -> (Style, String) {
    let palette = options.palette;
    let found = search.found.and_then(|at| search.steps.get(at));
    let last = search.steps.iter().rev().find(|step| step.drift.is_some());
    let tensors = plural(search.because.len() as u64, "tensor");
    match (found, last, search.property) {
        (Some(step), _, Property::NonFinite) if step.drift.is_none() => {
            let text = format!("{} has NaN already, in {tensors}: {}", label(step), path(step));
            (palette.bad, text)
        }
        (Some(step), _, Property::NonFinite) => {
            let what = format!("is the first with new NaN or infinity, in {tensors}");
            (palette.bad, format!("{} {what}: {}", label(step), path(step)))
        }
        (Some(step), _, Property::Broken) => (
            palette.bad,
            format!("{} is the first that breaks a rule: {}", label(step), path(step)),
        ),
        (None, Some(last), Property::NonFinite) => (
            palette.good,
            format!("no new NaN or infinity in the last checkpoint, {}", label(last)),
        ),
        (None, Some(last), Property::Broken) => {
            (palette.good, format!("the last checkpoint, {}, breaks no rule", label(last)))
        }
        (None, None, _) => (palette.bad, "no checkpoint can be compared".into()),
    }
}
