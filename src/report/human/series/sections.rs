//! The tensors that stand out in a series, the errors, and the paths that are no part of it.

use std::io::{self, Write};

use anstyle::Style;

use crate::error::Error;
use crate::report::ReportOptions;
use crate::series::{NonFiniteFrom, Series};

use super::super::lines;
use super::super::number;
use super::super::table::{Align, NONE, Table};
use super::super::terminal_text::{printable, short_path};
use super::labels::{label_at, name, shown_path};

/// Writes the sections that have anything.
pub(super) fn write(
    series: &Series,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    non_finite(series, options, out)?;
    runaways(series, options, out)?;
    frozen(series, options, out)?;
    errors(series.errors(), options, out)?;
    ignored(series, options, out)
}

/// The tensors with NaN or infinities, and since when.
fn non_finite(series: &Series, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let all = &series.non_finite;
    if all.is_empty() {
        return Ok(());
    }
    lines::heading(
        &format!("NaN or infinity ({})", number::count(all.len() as u64)),
        options,
        out,
    )?;
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right]);
    table.header(options.palette.faint, &["tensor", "from", "NaN", "infinite"]);
    let count = |n: u64| if n == 0 { NONE.to_owned() } else { number::count(n) };
    for NonFiniteFrom { at, tensor, nan, inf } in all.iter().take(options.max_rows) {
        table.push(
            Style::new(),
            vec![name(tensor), label_at(series, *at), count(*nan), count(*inf)],
        );
    }
    table.write_fitted(options.columns, out)?;
    more(all.len(), options, out)
}

/// The tensors that leave their trend.
fn runaways(series: &Series, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let all = &series.runaways;
    if all.is_empty() {
        return Ok(());
    }
    lines::heading(&format!("Run away ({})", number::count(all.len() as u64)), options, out)?;
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Right]);
    table.header(options.palette.faint, &["tensor", "from", "times its trend", "trend"]);
    for (tensor, found) in all.iter().take(options.max_rows) {
        let trend = format!("t^{}", number::short((found.exponent * 100.0).round() / 100.0));
        let cells =
            vec![name(tensor), label_at(series, found.at), number::short(found.factor), trend];
        table.push(Style::new(), cells);
    }
    table.write_fitted(options.columns, out)?;
    more(all.len(), options, out)
}

/// The weights that never change.
fn frozen(series: &Series, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let all = &series.frozen;
    if all.is_empty() {
        return Ok(());
    }
    lines::heading(&format!("Never change ({})", number::count(all.len() as u64)), options, out)?;
    for tensor in all.iter().take(options.max_rows) {
        writeln!(out, "  {}", name(tensor))?;
    }
    more(all.len(), options, out)
}

/// Every error once.
pub(super) fn errors<'e>(
    errors: impl Iterator<Item = &'e Error>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut texts: Vec<String> = Vec::new();
    for error in errors.map(|error| printable(&error.to_string())) {
        if !texts.contains(&error) {
            texts.push(error);
        }
    }
    if texts.is_empty() {
        return Ok(());
    }
    lines::heading(&format!("Unreadable ({})", number::count(texts.len() as u64)), options, out)?;
    let bad = options.palette.bad;
    for text in texts.iter().take(options.max_rows) {
        writeln!(out, "  {bad}{}{bad:#}", short_path(text))?;
    }
    more(texts.len(), options, out)
}

/// The paths that are no part of the series.
fn ignored(series: &Series, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let all = &series.ignored;
    if all.is_empty() {
        return Ok(());
    }
    lines::heading(
        &format!("Not in the series ({})", number::count(all.len() as u64)),
        options,
        out,
    )?;
    let mut table = Table::new(&[Align::Left]);
    for of in all.iter().take(options.max_rows) {
        table.push(Style::new(), vec![shown_path(&of.path), printable(&of.why)]);
    }
    table.write_fitted(options.columns, out)?;
    more(all.len(), options, out)
}

fn more(total: usize, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let hidden = total.saturating_sub(options.max_rows) as u64;
    lines::more(hidden, "", "  ", options.palette.faint, out)
}
