//! Changed tensors by kind of change, the most important first.

use std::io::{self, Write};

use anstyle::Style;

use crate::compare::{Comparison, ElementValue, Mismatch, Sides};
use crate::diff::{Diff, TensorDiff, TensorRole};
use crate::error::Error;
use crate::summary::{
    Fold, Movement, Section, SectionKind, SortKey, descending, fold, movement, sections,
};
use crate::tensor::{DType, Facts};

use super::table::{Align, NONE, Table};
use super::terminal_text::{cut_end, cut_middle, plural, printable};
use super::{ReportOptions, lines, number};

/// The maximum number of columns of an index and of a shape, which only tensors of very many dimensions exceed, and of a text.
const INDEX_WIDTH: usize = 40;
const SHAPE_WIDTH: usize = 60;
const TEXT_WIDTH: usize = 24;

/// The number of tensors from which on an error that they share is written with the first name alone.
const MANY: usize = 4;

fn heading(section: &Section<'_>, renamed: usize) -> String {
    let n = number::count(section.tensors.len() as u64);
    let of = section.role.map(|of| format!(", {}", role(of))).unwrap_or_default();
    let title = title(section.kind);
    match section.kind {
        SectionKind::Removed | SectionKind::Added if renamed > 0 => {
            let renamed = number::count(renamed as u64);
            format!("{title}{of} ({n}, and {renamed} that may be renamed)")
        }
        _ => format!("{title}{of} ({n})"),
    }
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
pub(super) fn role(role: TensorRole) -> &'static str {
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
    let mut before = None;
    for ((section, rows), share) in sections.iter().zip(&rows).zip(shares) {
        let (shown, rest) = rows.split_at_checked(share).unwrap_or((rows, &[]));
        hidden += rest.iter().map(|row| row.tensors.len()).sum::<usize>();
        if shown.is_empty() {
            continue;
        }
        let renamed = if before == Some(section.kind) { 0 } else { diff.renames.len() };
        lines::heading(&heading(section, renamed), options, out)?;
        before = Some(section.kind);
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
    listed(diff, options, out)
}

/// The rows of a section: tensors that are alike are told together on a terminal.
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
        // Several tensors moved as far as their row says.
        let moved = |row: &Fold<'_>| movement(row.tensors.iter().copied()).rel_l2;
        rows.sort_by(|a, b| descending(moved(a), moved(b)));
    }
    rows
}

/// How many rows each section gets of `all`: a part for every section, the rest for the first ones.
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
fn without_tensor(error: &Error) -> String {
    let file = error.file().map(|file| format!("{}: ", file.display())).unwrap_or_default();
    let offset = error.offset().map(|offset| format!("byte {offset}: ")).unwrap_or_default();
    format!("{file}{offset}{}", error.kind())
}

/// The name of a row, and how many tensors it tells together.
fn name(row: &Fold<'_>) -> String {
    match row.tensors.len() {
        1 => row.name.clone(),
        n => format!("{} ({n})", row.name),
    }
}

fn comparisons<'a>(row: &Fold<'a>) -> impl Iterator<Item = &'a Comparison> {
    row.tensors.iter().filter_map(|tensor| tensor.comparison.as_deref())
}

fn types(rows: &[Fold<'_>]) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for row in rows {
        let Some(first) = row.tensors.first() else { continue };
        let note = match (&first.lhs, &first.rhs) {
            (Some(l), Some(r)) if l.shape != r.shape && l.dtype != r.dtype => String::new(),
            (Some(l), Some(r)) if l.shape != r.shape => l.dtype.to_string(),
            _ => values_note(row),
        };
        table.push(Style::new(), vec![name(row), change_of_type(first), note]);
    }
    table
}

/// For example `float32 → float64`, or `[24, 16] → [32, 16]`.
fn change_of_type(tensor: &TensorDiff) -> String {
    match (&tensor.lhs, &tensor.rhs) {
        (Some(l), Some(r)) if l.shape == r.shape => format!("{} → {}", l.dtype, r.dtype),
        (Some(l), Some(r)) if l.dtype == r.dtype => format!("{} → {}", shape(l), shape(r)),
        (Some(l), Some(r)) => format!("{} → {}", described(l), described(r)),
        _ => String::new(),
    }
}

fn described(facts: &Facts) -> String {
    format!("{} {}", facts.dtype, shape(facts))
}

fn shape(facts: &Facts) -> String {
    cut_middle(&facts.shape.to_string(), SHAPE_WIDTH)
}

/// The result of comparing values of different dtypes.
fn values_note(row: &Fold<'_>) -> String {
    let mismatched: u64 = comparisons(row).map(|comparison| comparison.mismatched).sum();
    let differing: u64 = comparisons(row).map(|comparison| comparison.differing).sum();
    match comparisons(row).next() {
        None => String::new(),
        Some(_) if differing == 0 => "same values".into(),
        Some(_) if mismatched == 0 => "values are close".into(),
        Some(_) => {
            let rel_l2 = movement(row.tensors.iter().copied()).rel_l2;
            let rel_l2 = rel_l2.map(|moved| format!(", rel l2 {}", number::percent(moved)));
            format!("{} values differ{}", share(row), rel_l2.unwrap_or_default())
        }
    }
}

fn unmatched(rows: &[Fold<'_>], facts: impl Fn(&TensorDiff) -> Option<&Facts>) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for row in rows {
        let mut cells = vec![name(row)];
        if let Some(facts) = row.tensors.first().and_then(|tensor| facts(tensor)) {
            cells.push(facts.dtype.to_string());
            cells.push(shape(facts));
        }
        table.push(Style::new(), cells);
    }
    table
}

fn non_finite(rows: &[Fold<'_>], options: &ReportOptions) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Right, Right, Right, Left]);
    table.header(
        options.palette.faint,
        &["tensor", "new NaN", "NaN", "infinite", "changed", "first at"],
    );
    let counts = |row: &Fold<'_>, of: fn(&Comparison) -> Option<Sides<u64>>| {
        let all = comparisons(row).filter_map(of);
        let sum = all.fold((0, 0), |(lhs, rhs), n| (lhs + n.lhs, rhs + n.rhs));
        match sum {
            (0, 0) => NONE.into(),
            (lhs, rhs) => format!("{} → {}", number::short_count(lhs), number::short_count(rhs)),
        }
    };
    for row in rows {
        let new: u64 = comparisons(row).filter_map(|comparison| comparison.nan_new).sum();
        let first = row.tensors.first();
        let position = first.and_then(|tensor| tensor.comparison.as_deref()?.first);
        let cells = vec![
            name(row),
            if new > 0 { number::short_count(new) } else { NONE.into() },
            counts(row, |comparison| comparison.nan),
            counts(row, |comparison| comparison.inf),
            share(row),
            first.zip(position).map(|(tensor, at)| index(row, tensor, at)).unwrap_or_default(),
        ];
        table.push(options.palette.bad, cells);
    }
    table
}

/// A column of numbers in the table of different values, besides those that it always has.
struct ExtraColumn {
    title: &'static str,
    cell: fn(&Comparison) -> Option<String>,
}

/// The columns that the options ask for.
fn extra_columns(diff: &Diff, options: &ReportOptions) -> Vec<ExtraColumn> {
    let mut columns = Vec::new();
    if options.sort == SortKey::MaxRel {
        let cell = |comparison: &Comparison| comparison.max_rel.map(number::short);
        columns.push(ExtraColumn { title: "max rel", cell });
    }
    if diff.options.compare.tolerance.ulp.is_some() {
        let cell = |comparison: &Comparison| comparison.max_ulp.map(number::short_count);
        columns.push(ExtraColumn { title: "max ulp", cell });
    }
    columns
}

fn values(rows: &[Fold<'_>], diff: &Diff, options: &ReportOptions) -> Table {
    use Align::{Left, Right};
    let extra = extra_columns(diff, options);
    let mut columns = vec![Right; extra.len() + 3];
    columns.extend([Left, Left]);
    let mut table = Table::new(&columns);
    let mut titles = vec!["tensor", "rel l2"];
    titles.extend(extra.iter().map(|column| column.title));
    titles.extend(["changed", "max abs", "at", "lhs → rhs"]);
    table.header(options.palette.faint, &titles);
    for row in rows {
        let Some(worst) = worst(row) else {
            let mut cells = vec![name(row)];
            cells.resize(extra.len() + 2, NONE.into());
            cells.push("by checksum".into());
            table.push(Style::new(), cells);
            continue;
        };
        let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
        let Movement { rel_l2, .. } = movement(row.tensors.iter().copied());
        let mut cells = vec![name(row), or_none(rel_l2.map(number::percent))];
        // The largest of several is that of the first in their order.
        let of = |column: &ExtraColumn| or_none(comparisons(row).find_map(column.cell));
        cells.extend(extra.iter().map(of));
        cells.push(share(row));
        cells.extend(largest(row, worst).map(or_none));
        table.push(Style::new(), cells);
    }
    table
}

/// The tensor with the largest difference; `None` if no values were compared.
fn worst<'a>(row: &Fold<'a>) -> Option<&'a TensorDiff> {
    let compared = row.tensors.iter().copied().filter(|tensor| tensor.comparison.is_some());
    let max_abs =
        |tensor: &TensorDiff| tensor.comparison.as_deref().and_then(|found| found.max_abs);
    compared.reduce(|worst, tensor| if max_abs(tensor) > max_abs(worst) { tensor } else { worst })
}

/// The largest difference, the index of its elements, and the two elements. Where no finite number changed, the first mismatch.
fn largest(row: &Fold<'_>, tensor: &TensorDiff) -> [Option<String>; 3] {
    let (Some(comparison), Some(lhs), Some(rhs)) = (&tensor.comparison, &tensor.lhs, &tensor.rhs)
    else {
        return [None, None, None];
    };
    let dtypes = (lhs.dtype, rhs.dtype);
    let max_abs = comparison.max_abs.filter(|&max| max > 0.0);
    if let Some((max_abs, worst)) = max_abs.zip(comparison.worst.as_ref()) {
        let pair = number::pair((worst.lhs, lhs.dtype), (worst.rhs, rhs.dtype));
        let pair = format!("{} → {}", pair[0], pair[1]);
        return [
            Some(number::short(max_abs)),
            Some(index(row, tensor, worst.position)),
            Some(pair),
        ];
    }
    let first = tensor.mismatches.first();
    let at = comparison.first.map(|first| index(row, tensor, first));
    let pair = first.map(|first| sides(first, dtypes)).filter(|[lhs, rhs]| lhs != rhs);
    let pair = pair.map(|[lhs, rhs]| format!("{lhs} → {rhs}"));
    [None, at, pair.or_else(|| beyond_numbers(comparison))]
}

/// The two elements of a mismatch.
fn sides(
    Mismatch { lhs, rhs, .. }: &Mismatch,
    (lhs_dtype, rhs_dtype): (DType, DType),
) -> [String; 2] {
    match (lhs, rhs) {
        (ElementValue::Scalar(lhs), ElementValue::Scalar(rhs)) => {
            number::pair((*lhs, lhs_dtype), (*rhs, rhs_dtype))
        }
        (lhs, rhs) => [lhs, rhs].map(|side| {
            let text = printable(&side.to_string()).replace('"', "\\\"");
            format!("\"{}\"", cut_end(&text, TEXT_WIDTH))
        }),
    }
}

/// A description of mismatches whose elements look alike.
fn beyond_numbers(comparison: &Comparison) -> Option<String> {
    let some = |what: &str, n: Option<u64>| n.filter(|&n| n > 0).map(|_| what.to_owned());
    some("other NaN bits", comparison.nan_payload)
        .or_else(|| some("sign of 0", comparison.zero_sign))
}

/// The number of elements that mismatch, or their share if it is large.
fn share(row: &Fold<'_>) -> String {
    const FEW: u64 = 1000;
    let sum = |of: fn(&Comparison) -> u64| comparisons(row).map(of).sum::<u64>();
    let (mismatched, elements) = (sum(|found| found.mismatched), sum(|found| found.elements));
    if mismatched == elements {
        format!("all {}", number::short_count(elements))
    } else if mismatched < FEW {
        format!("{mismatched} of {}", number::short_count(elements))
    } else {
        // A part is not rounded up to 100%.
        number::percent((mismatched as f64 / elements as f64).min(0.999))
    }
}

/// The index of an element; of a tensor that is told with others, after the numbers in its name.
fn index(row: &Fold<'_>, tensor: &TensorDiff, position: u64) -> String {
    let index = tensor.lhs.as_ref().map(|facts| facts.shape.unravel(position)).unwrap_or_default();
    let index = match index.as_slice() {
        [] => String::new(),
        index => cut_middle(&format!("{index:?}"), INDEX_WIDTH),
    };
    match row.numbers_of(tensor).as_slice() {
        [] => index,
        numbers => format!("{}: {index}", numbers.join(",")),
    }
}

/// Writes the elements that the options list.
fn listed(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    for tensor in &diff.tensors {
        let names: Vec<_> = tensor.names().collect();
        if tensor.mismatches.is_empty() || diff.options.listed.count(&names).is_none() {
            continue;
        }
        let (Some(lhs), Some(rhs), Some(comparison)) =
            (&tensor.lhs, &tensor.rhs, &tensor.comparison)
        else {
            continue;
        };
        let shown = number::count(tensor.mismatches.len() as u64);
        let all = number::count(comparison.mismatched);
        let title = format!("Elements of {} ({shown} of {all} that differ)", tensor.shown_name());
        lines::heading(&title, options, out)?;
        let mut table = Table::new(&[Align::Left]);
        for found in &tensor.mismatches {
            let index = format!("{:?}", lhs.shape.unravel(found.position));
            let [of_lhs, of_rhs] = sides(found, (lhs.dtype, rhs.dtype));
            table.push(Style::new(), vec![index, format!("{of_lhs} → {of_rhs}")]);
        }
        table.write(out)?;
    }
    Ok(())
}
