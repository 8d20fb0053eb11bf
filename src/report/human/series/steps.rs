//! The table over the checkpoints of a series, and on a terminal a sparkline for each scope.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::Style;

use crate::diff::TensorRole;
use crate::report::ReportOptions;
use crate::series::{Change, Drift, Series, Step};
use crate::summary::Movement;

use super::super::lines;
use super::super::number;
use super::super::statistics::TOP;
use super::super::table::{Align, NONE, Table};
use super::super::terminal_text::{cut_middle, padded, plural, printable, width_of};
use super::labels::label;
use super::sparkline::sparkline;

/// The widest title of a column.
const TITLE: usize = 16;

/// The columns that a movement takes, with the space before it.
const CELL: usize = 9;

/// The columns that are left for the first column, the number of changed tensors and notes.
const REST: usize = 40;

/// The most bars of a sparkline.
const BARS: usize = 40;

/// A column of the table, and a row of bars: the movement of some tensors over the checkpoints.
pub(in crate::report) struct Column {
    pub(in crate::report) title: String,
    pub(in crate::report) movements: Vec<Option<Movement>>,
}

/// Writes the table, and on a terminal the sparklines.
pub(super) fn write(
    series: &Series,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let roles = roles(series);
    let scopes = scopes(series);
    // In a file or a pipe, nothing is cut.
    let room = options
        .columns
        .map_or(usize::MAX, |columns| columns.saturating_sub(REST + roles.len() * CELL));
    let mut used = 0;
    let fits = |column: &&Column| {
        used += width_of(&column.title).clamp(CELL - 2, TITLE) + 2;
        used <= room
    };
    let shown: Vec<&Column> = scopes.iter().take_while(fits).collect();
    lines::heading("Drift (rel l2)", options, out)?;
    table(series, &roles.iter().chain(shown.iter().copied()).collect::<Vec<_>>(), options, out)?;
    if options.columns.is_none() {
        return Ok(());
    }
    sparklines(&roles.iter().chain(&scopes).collect::<Vec<_>>(), options, out)
}

/// The movement by role.
pub(in crate::report) fn roles(series: &Series) -> Vec<Column> {
    let title = |role| match role {
        None => "all",
        Some(TensorRole::Weight) => "weights",
        Some(TensorRole::Optimizer) => "optimizer",
        Some(TensorRole::Counter) => "counters",
    };
    let is_shown = |role: &Option<TensorRole>| *role != Some(TensorRole::Counter);
    let roles = series.roles();
    // Tensors without a role have no values that move, unless there are no roles.
    let is_only = roles.len() == 1;
    let shown = roles.into_iter().filter(|role| is_shown(role) && (role.is_some() || is_only));
    let column = |role| Column {
        title: title(role).to_owned(),
        movements: series.steps.iter().map(|step| Some(step.movement(role)?.movement)).collect(),
    };
    shown.map(column).collect()
}

/// The movement by scope, the one that moved furthest first; none if there is only one.
pub(in crate::report) fn scopes(series: &Series) -> Vec<Column> {
    let mut columns: Vec<Column> = series
        .scopes
        .iter()
        .map(|track| Column {
            title: if track.scope.is_empty() { TOP.into() } else { printable(&track.scope) },
            movements: track.movements.clone(),
        })
        .collect();
    let furthest = |column: &Column| {
        let all = column.movements.iter().flatten().filter_map(|of| of.rel_l2);
        all.filter(|moved| moved.is_finite()).fold(0.0, f64::max)
    };
    columns.sort_by(|a, b| furthest(b).total_cmp(&furthest(a)));
    if columns.len() > 1 { columns } else { Vec::new() }
}

fn table(
    series: &Series,
    columns: &[&Column],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let has_steps = series.steps.iter().all(|step| step.step.is_some());
    let mut aligned = vec![Align::Right; columns.len() + 1];
    aligned.push(Align::Left);
    let mut table = Table::new(&aligned);
    let titles = columns.iter().map(|column| cut_middle(&column.title, TITLE));
    let titles =
        [if has_steps { "step" } else { "checkpoint" }.to_owned()].into_iter().chain(titles);
    let titles: Vec<String> = titles.chain(["changed".into(), String::new()]).collect();
    table.header(options.palette.faint, &titles.iter().map(String::as_str).collect::<Vec<_>>());
    let shown = rows(series, options.max_rows);
    for (at, step) in series.steps.iter().enumerate().filter(|(at, _)| shown.contains(at)) {
        let first = match step.step {
            Some(number) if has_steps => number.to_string(),
            _ => label(step),
        };
        let movements =
            columns.iter().map(|column| cell(column.movements.get(at).copied().flatten()));
        let cells = [first].into_iter().chain(movements).chain([changed(step), note(step)]);
        let is_bad = !step.errors.is_empty()
            || step.drift.as_ref().is_some_and(|d| d.new_non_finite().next().is_some());
        let style = if is_bad { options.palette.bad } else { Style::new() };
        table.push(style, cells.collect());
    }
    table.write_fitted(options.columns, out)?;
    let hidden = series.steps.len() - shown.len();
    lines::more(hidden as u64, "checkpoint", "  ", options.palette.faint, out)
}

/// The places of the rows to show: all, or so many at equal distances, with the first, the last, and those where something begins.
fn rows(series: &Series, most: usize) -> BTreeSet<usize> {
    let count = series.steps.len();
    if count <= most {
        return (0..count).collect();
    }
    let last = count.saturating_sub(1);
    let mut shown = BTreeSet::from([0, last]);
    shown.extend(series.non_finite.first().map(|of| of.at));
    shown.extend(series.first_broken().map(|(at, _)| at));
    shown.extend(series.runaways.iter().map(|(_, found)| found.at).min());
    let wanted = most.saturating_sub(shown.len()).max(1);
    shown.extend((1..wanted).map(|nth| nth * last / wanted));
    shown
}

/// For example `12.3%`, and `NaN` where there is nothing else.
pub(in crate::report) fn cell(movement: Option<Movement>) -> String {
    match movement {
        Some(Movement { rel_l2: Some(moved), .. }) => number::percent(moved),
        Some(Movement { non_finite, .. }) if non_finite > 0 => "NaN".into(),
        _ => NONE.into(),
    }
}

/// The number of tensors that changed.
pub(in crate::report) fn changed(step: &Step) -> String {
    let Some(drift) = &step.drift else { return NONE.into() };
    let all = drift.tensors.len() as u64;
    format!(
        "{} of {}",
        number::short_count(all - drift.count(Change::Same)),
        number::short_count(all)
    )
}

/// What else is to be said of a checkpoint.
pub(in crate::report) fn note(step: &Step) -> String {
    let Some(drift) = step.drift.as_deref() else {
        return if step.is_unreadable() { "unreadable".into() } else { String::new() };
    };
    if drift.is_of_another_model() {
        return "another model: no tensor in common".into();
    }
    let mut parts = Vec::new();
    let non_finite = drift.new_non_finite().count() as u64;
    if non_finite > 0 {
        parts.push(format!("NaN or infinity in {}", number::count(non_finite)));
    }
    parts.extend(drift.broken.as_ref().map(|_| "breaks a rule".to_owned()));
    parts.extend(unlike(drift));
    parts.join(", ")
}

/// The tensors that cannot be compared.
fn unlike(drift: &Drift) -> impl Iterator<Item = String> + '_ {
    let kinds = [
        (Change::Added, "added"),
        (Change::Removed, "removed"),
        (Change::Retyped, "of another shape or dtype"),
        (Change::Error, "unreadable"),
    ];
    let counts = kinds.into_iter().map(|(change, what)| (drift.count(change), what));
    counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", number::count(count)))
}

/// A row of bars for each role and scope, each from 0 to its own largest movement.
fn sparklines(columns: &[&Column], options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    lines::heading("Over the checkpoints, each from 0 to its largest", options, out)?;
    let titles = columns.iter().map(|column| cut_middle(&column.title, 2 * TITLE));
    let titles: Vec<String> = titles.take(options.max_rows).collect();
    let width = titles.iter().map(|title| width_of(title)).max().unwrap_or_default();
    for (title, column) in titles.iter().zip(columns) {
        let number = |of: &Option<Movement>| {
            let of = of.as_ref()?;
            if of.non_finite > 0 { Some(f64::NAN) } else { of.rel_l2 }
        };
        let numbers: Vec<Option<f64>> = column.movements.iter().map(number).collect();
        let largest = numbers.iter().flatten().copied().filter(|x| x.is_finite()).reduce(f64::max);
        let largest = largest.map_or_else(|| NONE.into(), number::percent);
        writeln!(out, "  {}  {}  {largest}", padded(title, width), sparkline(&numbers, BARS))?;
    }
    let hidden = columns.len().saturating_sub(options.max_rows) as u64;
    if hidden == 0 { Ok(()) } else { writeln!(out, "  … and {}", plural(hidden, "more scope")) }
}
