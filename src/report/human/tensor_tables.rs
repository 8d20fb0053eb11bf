//! The tables of changed tensors: a row for each tensor, or for several that are folded.

use anstyle::Style;

use crate::compare::{Comparison, Sides};
use crate::diff::{Diff, TensorDiff};
use crate::summary::{Fold, Movement, SortKey, movement};
use crate::tensor::{Facts, in_parallel};

use super::elements::sides;
use super::table::{Align, NONE, Table};
use super::terminal_text::cut_middle;
use super::{ReportOptions, number};

/// The maximum number of columns of an index and of a shape, which only tensors of very many dimensions exceed.
const INDEX_WIDTH: usize = 40;
const SHAPE_WIDTH: usize = 60;

/// The name of a row, and the number of folded tensors.
fn name(row: &Fold<'_>) -> String {
    match row.tensors.len() {
        1 => row.name.clone(),
        n => format!("{} ({n})", row.name),
    }
}

fn comparisons<'a>(row: &Fold<'a>) -> impl Iterator<Item = &'a Comparison> {
    row.tensors.iter().filter_map(|tensor| tensor.comparison.as_deref())
}

pub(super) fn types(rows: &[Fold<'_>]) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for row in rows {
        let Some(first) = row.tensors.first() else { continue };
        let note = match (&first.lhs, &first.rhs) {
            (Some(l), Some(r)) if l.shape != r.shape && l.dtype != r.dtype => String::new(),
            (Some(l), Some(r)) if l.shape != r.shape => l.dtype.to_string(),
            _ => values_note(row),
        };
        let new = new_non_finite(row.tensors.iter().copied());
        let notes: Vec<_> = [note].into_iter().filter(|note| !note.is_empty()).chain(new).collect();
        table.push(Style::new(), vec![name(row), change_of_type(first), notes.join("; ")]);
    }
    table
}

/// For example `float32 → float64`, or `[24, 16] → [32, 16]`.
pub(in crate::report) fn change_of_type(tensor: &TensorDiff) -> String {
    match (&tensor.lhs, &tensor.rhs) {
        (Some(l), Some(r)) if l.shape == r.shape => format!("{} → {}", l.dtype, r.dtype),
        (Some(l), Some(r)) if l.dtype == r.dtype => format!("{} → {}", shape(l), shape(r)),
        (Some(l), Some(r)) => format!("{} → {}", described(l), described(r)),
        _ => String::new(),
    }
}

pub(in crate::report) fn described(facts: &Facts) -> String {
    format!("{} {}", facts.dtype, shape(facts))
}

fn shape(facts: &Facts) -> String {
    cut_middle(&facts.shape.to_string(), SHAPE_WIDTH)
}

/// The new NaN and infinities of some tensors: `2 new NaN, 1 new infinite`.
pub(in crate::report) fn new_non_finite<'t>(
    tensors: impl IntoIterator<Item = &'t TensorDiff>,
) -> Option<String> {
    let new = tensors.into_iter().filter_map(TensorDiff::new_non_finite);
    let (nan, inf) = new.fold((0, 0), |(nan, inf), of| (nan + of.nan, inf + of.inf));
    let counts = number::counts(&[(nan, "new NaN"), (inf, "new infinite")]);
    (!counts.is_empty()).then_some(counts)
}

/// The result of comparing values of different dtypes.
pub(super) fn values_note(row: &Fold<'_>) -> String {
    let mismatched: u64 = comparisons(row).map(|comparison| comparison.mismatched).sum();
    let differing: u64 = comparisons(row).map(|comparison| comparison.differing).sum();
    match comparisons(row).next() {
        None => String::new(),
        Some(_) if differing == 0 => "same values".into(),
        Some(_) if mismatched == 0 => "values are close".into(),
        Some(_) => {
            let rel_l2 = movement(row.tensors.iter().copied()).rel_l2;
            let rel_l2 = rel_l2.map(|moved| format!(", rel l2 {}", number::percent(moved)));
            let rel_l2 = rel_l2.unwrap_or_default();
            match share(row) {
                share if share.starts_with("all") => format!("{share} values differ{rel_l2}"),
                share if share.ends_with('%') => format!("{share} of values differ{rel_l2}"),
                share => format!("{share} values differ{rel_l2}"),
            }
        }
    }
}

pub(super) fn unmatched(rows: &[Fold<'_>], facts: impl Fn(&TensorDiff) -> Option<&Facts>) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left, Align::Left]);
    for row in rows {
        let mut cells = vec![name(row)];
        if let Some(facts) = row.tensors.first().and_then(|tensor| facts(tensor)) {
            cells.push(facts.dtype.to_string());
            cells.push(shape(facts));
        }
        cells.extend(new_non_finite(row.tensors.iter().copied()));
        table.push(Style::new(), cells);
    }
    table
}

pub(super) fn non_finite(rows: &[Fold<'_>], options: &ReportOptions) -> Table {
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

/// An optional column in the table of different values.
struct ExtraColumn {
    title: &'static str,
    /// The maximum over the tensors of a row.
    cell: fn(&Fold<'_>) -> Option<String>,
}

/// The columns that the options ask for.
fn extra_columns(diff: &Diff, options: &ReportOptions) -> Vec<ExtraColumn> {
    let mut columns = Vec::new();
    if options.sort == SortKey::MaxRel {
        let cell = |row: &Fold<'_>| {
            let found = comparisons(row).filter_map(|comparison| comparison.max_rel);
            found.reduce(f64::max).map(number::short)
        };
        columns.push(ExtraColumn { title: "max rel", cell });
    }
    if diff.options.compare.tolerance.ulp.is_some() {
        let cell = |row: &Fold<'_>| {
            let found = comparisons(row).filter_map(|comparison| comparison.max_ulp);
            found.max().map(number::short_count)
        };
        columns.push(ExtraColumn { title: "max ulp", cell });
    }
    columns
}

pub(super) fn values(rows: &[Fold<'_>], diff: &Diff, options: &ReportOptions) -> Table {
    use Align::{Left, Right};
    let extra = extra_columns(diff, options);
    let mut columns = vec![Right; extra.len() + 3];
    columns.extend([Left, Left]);
    let mut table = Table::new(&columns);
    let mut titles = vec!["tensor", "rel l2"];
    titles.extend(extra.iter().map(|column| column.title));
    titles.extend(["changed", "max abs", "at", "lhs → rhs"]);
    table.header(options.palette.faint, &titles);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
    let cells = |row: &Fold<'_>| {
        let Some(worst) = worst(row) else {
            let mut cells = vec![name(row)];
            cells.resize(extra.len() + 2, NONE.into());
            cells.push("by checksum".into());
            return cells;
        };
        let Movement { rel_l2, .. } = movement(row.tensors.iter().copied());
        let mut cells = vec![name(row), or_none(rel_l2.map(number::percent))];
        cells.extend(extra.iter().map(|column| or_none((column.cell)(row))));
        cells.push(share(row));
        cells.extend(largest(row, worst).map(or_none));
        cells
    };
    // There may be a row for each of a million tensors.
    for cells in in_parallel(rows, diff.options.compare.threads, cells) {
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

/// The largest difference, the index of its elements, and the two elements. Falls back to the first mismatch if no finite
/// number changed.
pub(super) fn largest(row: &Fold<'_>, tensor: &TensorDiff) -> [Option<String>; 3] {
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

/// A description of mismatches that print the same.
pub(in crate::report) fn beyond_numbers(comparison: &Comparison) -> Option<String> {
    let some = |what: &str, n: Option<u64>| n.filter(|&n| n > 0).map(|_| what.to_owned());
    some("other NaN bits", comparison.nan_payload)
        .or_else(|| some("sign of 0", comparison.zero_sign))
}

/// The number of elements that mismatch, or their share if it is large.
pub(super) fn share(row: &Fold<'_>) -> String {
    const FEW: u64 = 1000;
    let sum = |of: fn(&Comparison) -> u64| comparisons(row).map(of).sum::<u64>();
    let (mismatched, elements) = (sum(|found| found.mismatched), sum(|found| found.elements));
    if mismatched == elements {
        format!("all {}", number::short_count(elements))
    } else if mismatched < FEW {
        format!("{mismatched} of {}", number::short_count(elements))
    } else {
        // Never round a partial change up to 100%.
        number::percent((mismatched as f64 / elements as f64).min(0.999))
    }
}

/// The index of an element; for a folded tensor after its numbers, in braces as in the name of the row.
fn index(row: &Fold<'_>, tensor: &TensorDiff, position: u64) -> String {
    let index = tensor.lhs.as_ref().map(|facts| facts.shape.unravel(position)).unwrap_or_default();
    let index = match index.as_slice() {
        [] => String::new(),
        index => cut_middle(&format!("{index:?}"), INDEX_WIDTH),
    };
    match row.numbers_of(tensor).as_slice() {
        [] => index,
        numbers => format!("{{{}}} {index}", numbers.join(",")).trim_end().to_owned(),
    }
}
