//! Changed tensors by kind of change, the most important first.

use std::io::{self, Write};

use anstyle::Style;

use crate::diff::{Diff, TensorRole};
use crate::error::Error;
use crate::summary::{Fold, Section, SectionKind, SortKey, descending, fold, movement, sections};
use crate::tensor::Facts;

use super::table::{Align, Table};
use super::tensor_tables::{change_of_type, described, non_finite, types, unmatched, values};
use super::terminal_text::{plural, printable};
use super::{ReportOptions, elements, lines, number};

/// An error shared by this many tensors is printed with the first name only.
const MANY: usize = 4;

/// The headings of sections: the title, and how many tensors there are. Those that may be renamed are in no section, so the first one of
/// removed and of added tensors counts them too.
pub(in crate::report) fn headings(diff: &Diff, sections: &[Section<'_>]) -> Vec<(String, String)> {
    let mut before = None;
    let heading = |section: &Section<'_>| {
        let of = section.role.map(|of| format!(", {}", role(of))).unwrap_or_default();
        let n = number::count(section.tensors.len() as u64);
        let is_first = before.replace(section.kind) != Some(section.kind);
        let count = match (section.kind, diff.renames.len() as u64) {
            (SectionKind::Removed | SectionKind::Added, renamed @ 1..) if is_first => {
                format!("{n}, and {} that may be renamed", number::count(renamed))
            }
            _ => n,
        };
        (format!("{}{of}", title(section.kind)), count)
    };
    sections.iter().map(heading).collect()
}

fn title(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Unreadable => "Unreadable",
        SectionKind::Type => "Different shape or dtype",
        SectionKind::Removed => "Removed: only in lhs",
        SectionKind::Added => "Added: only in rhs",
        SectionKind::NonFinite => "New NaN or infinity",
        SectionKind::Values => "Different values",
    }
}

/// The name of a role.
pub(in crate::report) fn role(role: TensorRole) -> &'static str {
    match role {
        TensorRole::Weight => "weights",
        TensorRole::Optimizer => "optimizer",
        TensorRole::Counter => "counters",
    }
}

/// Writes the changed tensors, the most important first, and the number of those that are not listed.
pub(super) fn write(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    damage(diff, options, out)?;
    let sections = sections(diff, options.sort);
    let rows: Vec<Vec<Fold<'_>>> =
        sections.iter().map(|section| folded(section, options)).collect();
    let shares = shares(&rows.iter().map(Vec::len).collect::<Vec<_>>(), options.max_rows);
    let mut hidden = 0;
    let headings = headings(diff, &sections);
    for (((section, rows), share), (title, count)) in
        sections.iter().zip(&rows).zip(shares).zip(headings)
    {
        let (shown, rest) = rows.split_at_checked(share).unwrap_or((rows, &[]));
        hidden += rest.iter().map(|row| row.tensors.len()).sum::<usize>();
        if shown.is_empty() {
            continue;
        }
        lines::heading(&format!("{title} ({count})"), options, out)?;
        match section.kind {
            SectionKind::Unreadable => unreadable(shown, options, out)?,
            SectionKind::Type => types(shown).write_fitted(options.columns, out)?,
            SectionKind::Removed => {
                unmatched(shown, |tensor| tensor.lhs.as_ref())
                    .write_fitted(options.columns, out)?;
            }
            SectionKind::Added => {
                unmatched(shown, |tensor| tensor.rhs.as_ref())
                    .write_fitted(options.columns, out)?;
            }
            SectionKind::NonFinite => {
                non_finite(shown, options).write_fitted(options.columns, out)?;
            }
            SectionKind::Values => {
                values(shown, diff, options).write_fitted(options.columns, out)?;
            }
        }
        if !rest.is_empty() {
            let n = rest.iter().map(|row| row.tensors.len() as u64).sum();
            let style = options.palette.faint;
            lines::more(n, "", "  ", style, out)?;
        }
    }
    if hidden > 0 {
        let style = options.palette.faint;
        let hidden = plural(hidden as u64, "tensor");
        writeln!(out, "\n{style}{hidden} not listed: -n all lists every one{style:#}")?;
    }
    elements::write(diff, options, out)
}

/// The changed tensors of one kind, as a table of any format.
pub(in crate::report) struct SectionTable {
    /// For example `Different values, weights (8)`.
    pub(in crate::report) title: String,
    /// The titles of the columns.
    pub(in crate::report) columns: Vec<(String, Align)>,
    /// The cells of the first rows; each row may have fewer cells than there are columns.
    pub(in crate::report) rows: Vec<Vec<String>>,
    /// The number of all rows.
    pub(in crate::report) total: usize,
}

/// The changed tensors by kind of change, the most important first; at most `max_rows` rows of each kind.
pub(in crate::report) fn section_tables(diff: &Diff, options: &ReportOptions) -> Vec<SectionTable> {
    let sections = sections(diff, options.sort);
    let table = |(section, (title, count)): (&Section<'_>, (String, String))| {
        let shown = section.tensors.get(..options.max_rows).unwrap_or(&section.tensors);
        let rows = Fold::none(shown);
        let (table, titles): (_, &[&str]) = match section.kind {
            SectionKind::Unreadable => (errors(&rows), &["tensor", "error"]),
            SectionKind::Type => (types(&rows), &["tensor", "lhs → rhs", "values"]),
            SectionKind::Removed => {
                (unmatched(&rows, |tensor| tensor.lhs.as_ref()), &["tensor", "dtype", "shape"])
            }
            SectionKind::Added => {
                (unmatched(&rows, |tensor| tensor.rhs.as_ref()), &["tensor", "dtype", "shape"])
            }
            SectionKind::NonFinite => (non_finite(&rows, options), &[]),
            SectionKind::Values => (values(&rows, diff, options), &[]),
        };
        let (columns, rows) = table.into_cells(titles);
        SectionTable {
            title: format!("{title} ({count})"),
            columns,
            rows,
            total: section.tensors.len(),
        }
    };
    sections.iter().zip(headings(diff, &sections)).map(table).collect()
}

/// The tensors that cannot be read, each with its error.
fn errors(rows: &[Fold<'_>]) -> Table {
    let mut table = Table::new(&[Align::Left]);
    for row in rows {
        let error = row.tensors.first().and_then(|tensor| tensor.error.as_ref());
        let error = error.map(without_tensor).unwrap_or_default();
        table.push(Style::new(), vec![row.name.clone(), printable(&error)]);
    }
    table
}

/// The rows of a section, folded on a terminal.
fn folded<'a>(section: &Section<'a>, options: &ReportOptions) -> Vec<Fold<'a>> {
    let tensors = section.tensors.as_slice();
    if options.columns.is_none() {
        return Fold::none(tensors);
    }
    let mut rows = match section.kind {
        SectionKind::Unreadable => Fold::none(tensors),
        SectionKind::Type => fold(tensors, change_of_type),
        SectionKind::Removed | SectionKind::Added => {
            let facts = |side: &Option<Facts>| side.as_ref().map(described);
            fold(tensors, |tensor| (facts(&tensor.lhs), facts(&tensor.rhs)))
        }
        SectionKind::NonFinite | SectionKind::Values => fold(tensors, |_| ()),
    };
    if options.sort == SortKey::RelL2 {
        // A folded row sorts by its combined rel l2.
        let moved = |row: &Fold<'_>| movement(row.tensors.iter().copied()).rel_l2;
        rows.sort_by(|a, b| descending(moved(a), moved(b)));
    }
    rows
}

/// Divides `all` rows evenly among sections; the rest goes to the first ones.
fn shares(wanted: &[usize], all: usize) -> Vec<usize> {
    let part = all / wanted.len().max(1);
    let mut shares: Vec<usize> = wanted.iter().map(|&rows| rows.min(part)).collect();
    let mut left = all.saturating_sub(shares.iter().sum());
    for (share, &rows) in shares.iter_mut().zip(wanted) {
        let more = left.min(rows - *share);
        *share += more;
        left -= more;
    }
    shares
}

fn damage(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    if diff.damage.is_empty() {
        return Ok(());
    }
    lines::heading("Damaged", options, out)?;
    let style = options.palette.bad;
    for damage in &diff.damage {
        writeln!(out, "  {style}{}{style:#}", printable(&damage.error.to_string()))?;
    }
    Ok(())
}

/// The tensors that cannot be read, with their errors; an error that several share is written once.
fn unreadable(rows: &[Fold<'_>], options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let message = |row: &Fold<'_>| {
        let error = row.tensors.first().and_then(|tensor| tensor.error.as_ref());
        error.map(without_tensor)
    };
    let style = options.palette.bad;
    for alike in rows.chunk_by(|a, b| message(a) == message(b)) {
        let is_cut = alike.len() >= MANY && options.columns.is_some();
        let shown = alike.get(..1).filter(|_| is_cut).unwrap_or(alike);
        for row in shown {
            writeln!(out, "  {}", row.name)?;
        }
        lines::more((alike.len() - shown.len()) as u64, "tensor", "  ", Style::new(), out)?;
        if let Some(message) = alike.first().and_then(message) {
            writeln!(out, "      {style}{}{style:#}", printable(&message))?;
        }
    }
    Ok(())
}

/// An error without the name of its tensor, which is on the line above.
pub(in crate::report) fn without_tensor(error: &Error) -> String {
    let file = error.file().map(|file| format!("{}: ", file.display())).unwrap_or_default();
    let offset = error.offset().map(|offset| format!("byte {offset}: ")).unwrap_or_default();
    format!("{file}{offset}{}", error.kind())
}
