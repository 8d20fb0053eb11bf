//! Optional parts of the report of a diff: movement by scope, further tolerances, histograms, more statistics.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;

use crate::compare::{Comparison, Histogram, Sides, Tolerance, ValueHistogram};
use crate::diff::{Diff, Status, TensorDiff};
use crate::summary;
use crate::tensor::Scalar;

use super::histogram::bar;
use super::table::{Align, NONE, Table};
use super::terminal_text::plural;
use super::{ReportOptions, Verbosity, lines, number};

/// The name for tensors outside of any scope.
pub(in crate::report) const TOP: &str = "top level";

/// The maximum number of bars of a histogram.
const BARS: usize = 24;

/// Writes a line per scope.
pub(super) fn scopes(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    const FEW: usize = 8;
    let all = summary::scopes(&summary::weights(diff), options.max_rows.max(FEW));
    let shown = all.get(..options.max_rows).unwrap_or(&all);
    if shown.is_empty() {
        return Ok(());
    }
    lines::heading("Scopes", options, out)?;
    let mut table = Table::new(&[Align::Right; 3]);
    table.header(options.palette.faint, &["scope", "changed", "rel l2", "new NaN or infinity"]);
    for of in shown {
        let movement = of.movement;
        let (changed, total) = (number::count(movement.changed), number::count(movement.total));
        let scope = if of.scope.is_empty() { TOP } else { &of.scope };
        let non_finite = Some(movement.non_finite).filter(|&n| n > 0).map(number::count);
        let cells = vec![
            scope.to_owned(),
            format!("{changed} of {total}"),
            percent(movement.rel_l2),
            non_finite.unwrap_or_else(|| NONE.into()),
        ];
        table.push(Style::new(), cells);
    }
    table.write_fitted(options.columns, out)?;
    lines::more((all.len() - shown.len()) as u64, "scope", "  ", Style::new(), out)
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.into(), number::percent)
}

/// Writes the requested parts.
pub(super) fn write(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    further_tolerances(diff, options, out)?;
    if diff.options.compare.histogram && options.histograms {
        histograms(diff, options, out)?;
        distributions(diff, options, out)?;
    }
    if options.verbosity == Verbosity::Everything {
        statistics(diff, options, out)?;
        unchanged(diff, options, out)?;
    }
    Ok(())
}

/// The mismatches under each further tolerance.
fn further_tolerances(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    if diff.options.compare.further.is_empty() {
        return Ok(());
    }
    lines::heading("Under other tolerances", options, out)?;
    let mut table = Table::new(&[Align::Right, Align::Right]);
    table.header(options.palette.faint, &["tolerance", "tensors", "elements that mismatch"]);
    let comparisons = || diff.tensors.iter().filter_map(|tensor| tensor.comparison.as_deref());
    for (at, Tolerance { atol, rtol, .. }) in diff.options.compare.further.iter().enumerate() {
        let mismatched = |found: &Comparison| found.tolerances.get(at).map_or(0, |(_, n)| *n);
        let tensors = comparisons().filter(|found| mismatched(found) > 0).count() as u64;
        let all = comparisons().count() as u64;
        let elements: u64 = comparisons().map(mismatched).sum();
        let [atol, rtol] = [atol, rtol].map(|bound| number::exact(bound.unwrap_or_default()));
        let cells = vec![
            format!("--atol {atol} --rtol {rtol}"),
            format!("{} of {}", number::count(tensors), number::count(all)),
            number::count(elements),
        ];
        table.push(Style::new(), cells);
    }
    table.write_fitted(options.columns, out)
}

/// The changed tensors whose values were compared, in the order of the report.
pub(super) fn compared<'a>(
    diff: &'a Diff,
    options: &ReportOptions,
) -> Vec<(&'a TensorDiff, &'a Comparison)> {
    let sections = summary::sections(diff, options.sort);
    let tensors = sections.iter().flat_map(|section| section.tensors.iter().copied());
    tensors.filter_map(|tensor| Some((tensor, tensor.comparison.as_deref()?))).collect()
}

/// The histogram of each changed tensor, and that of all.
fn histograms(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let compared = compared(diff, options);
    let mut all = Histogram::default();
    for histogram in compared.iter().filter_map(|(_, found)| found.histogram.as_ref()) {
        add(&mut all.abs, &histogram.abs);
        add(&mut all.ulp, &histogram.ulp);
    }
    if all == Histogram::default() {
        return Ok(());
    }
    lines::heading("Differences by power of two", options, out)?;
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.header(options.palette.faint, &["tensor", "|rhs − lhs|", "ulps"]);
    let mut row = |name: String, of: &Histogram| {
        table.push(Style::new(), vec![name, bars(&of.abs), bars(&of.ulp)]);
    };
    if compared.len() > 1 {
        row("all of them".into(), &all);
    }
    for (tensor, found) in compared.iter().take(options.max_rows) {
        found.histogram.iter().for_each(|histogram| row(tensor.shown_name(), histogram));
    }
    table.write_fitted(options.columns, out)?;
    let hidden = compared.len().saturating_sub(options.max_rows) as u64;
    lines::more(hidden, "tensor", "  ", Style::new(), out)
}

/// The distribution of the values of each side, for the changed tensors that have one. The value of a single element is in
/// another table.
fn distributions(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let counted: Vec<_> = compared(diff, options)
        .into_iter()
        .filter(|(_, found)| found.elements > 1)
        .filter_map(|(tensor, found)| Some((tensor, found, found.values.as_deref()?)))
        .collect();
    if counted.is_empty() {
        return Ok(());
    }
    lines::heading("Values of each side", options, out)?;
    let mut table = Table::new(&[Align::Right; 4]);
    table.header(
        options.palette.faint,
        &["tensor", "KS distance", "zeros", "≈ median |x|", "≈ 99 % of |x| below"],
    );
    for (tensor, found, Sides { lhs, rhs }) in counted.iter().take(options.max_rows) {
        let both = |of: fn(&ValueHistogram) -> Option<f64>, shown: fn(f64) -> String| {
            let sides = of(lhs).zip(of(rhs));
            sides.map_or_else(|| NONE.into(), |(lhs, rhs)| changed(&shown(lhs), &shown(rhs)))
        };
        let cells = vec![
            tensor.shown_name(),
            found.ks.map_or_else(|| NONE.into(), number::short),
            both(ValueHistogram::share_of_zeros, number::percent),
            both(|of| of.abs_quantile(0.5), number::short),
            both(|of| of.abs_quantile(0.99), number::short),
        ];
        table.push(Style::new(), cells);
    }
    table.write_fitted(options.columns, out)?;
    let hidden = counted.len().saturating_sub(options.max_rows) as u64;
    lines::more(hidden, "tensor", "  ", Style::new(), out)
}

/// A value of lhs and that of rhs; one, if they are equal as shown.
fn changed(lhs: &str, rhs: &str) -> String {
    if lhs == rhs { lhs.to_owned() } else { format!("{lhs} → {rhs}") }
}

fn add(sum: &mut BTreeMap<i32, u64>, bins: &BTreeMap<i32, u64>) {
    for (&power, n) in bins {
        *sum.entry(power).or_default() += n;
    }
}

/// A histogram on one line, between its least and its greatest power: `2^-12 ▁▃█▂ 2^-9`.
fn bars(bins: &BTreeMap<i32, u64>) -> String {
    let (Some((&first, _)), Some((&last, _))) = (bins.first_key_value(), bins.last_key_value())
    else {
        return NONE.into();
    };
    let range = usize::try_from(last - first + 1).unwrap_or(1);
    // Neighboring powers share a bar where there are too many.
    let step = range.div_ceil(BARS).max(1);
    let mut counts = vec![0u64; range.div_ceil(step)];
    for (&power, n) in bins {
        let at = usize::try_from(power - first).unwrap_or_default() / step;
        if let Some(count) = counts.get_mut(at) {
            *count += n;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let bars: String = counts.iter().map(|&count| bar(count, most)).collect();
    match first == last {
        true => format!("2^{first} {bars}"),
        false => format!("2^{first} {bars} 2^{last}"),
    }
}

/// Statistics that the other tables leave out.
fn statistics(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let compared = compared(diff, options);
    if compared.is_empty() {
        return Ok(());
    }
    lines::heading("More statistics", options, out)?;
    let mut table = Table::new(&[Align::Right; 6]);
    let titles = ["tensor", "rms", "max rel", "max ulp", "cosine", "mean", "std"];
    table.header(options.palette.faint, &titles);
    let float = |value: Option<f64>| value.map_or_else(|| NONE.into(), number::short);
    for (tensor, found) in compared.iter().take(options.max_rows) {
        let cells = vec![
            tensor.shown_name(),
            float(found.rms),
            float(found.max_rel),
            found.max_ulp.map_or_else(|| NONE.into(), number::short_count),
            found.cosine.map_or_else(|| NONE.into(), |cosine| format!("{cosine:.6}")),
            sides(found.mean.map(|mean| mean.map(real))),
            sides(found.std),
        ];
        table.push(Style::new(), cells);
    }
    table.write_fitted(options.columns, out)?;
    let hidden = compared.len().saturating_sub(options.max_rows) as u64;
    lines::more(hidden, "tensor", "  ", Style::new(), out)
}

/// A mean; of complex numbers its real part.
pub(in crate::report) fn real(mean: Scalar) -> f64 {
    match mean {
        Scalar::Float(mean) | Scalar::Complex(mean, _) => mean,
        Scalar::Integer(_) | Scalar::Bool(_) => f64::NAN,
    }
}

fn sides(sides: Option<Sides<f64>>) -> String {
    let of = |Sides { lhs, rhs }| format!("{} → {}", number::short(lhs), number::short(rhs));
    sides.map_or_else(|| NONE.into(), of)
}

/// The tensors that did not change.
fn unchanged(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let titles = [
        (Status::Close, "Close"),
        (Status::Identical, "Identical"),
        (Status::Uncompared, "Of the same dtype and shape"),
    ];
    for (status, title) in titles {
        let all: Vec<_> = diff.tensors.iter().filter(|tensor| tensor.status == status).collect();
        if all.is_empty() {
            continue;
        }
        let title = format!("{title} ({})", plural(all.len() as u64, "tensor"));
        lines::heading(&title, options, out)?;
        let mut table = Table::new(&[Align::Right, Align::Right]);
        for tensor in all.iter().take(options.max_rows) {
            let mut cells = vec![tensor.shown_name()];
            if let Some(found) = tensor.comparison.as_deref().filter(|_| status == Status::Close) {
                let max_abs = found.max_abs.map(|max| format!("max abs {}", number::short(max)));
                cells.push(format!("rel l2 {}", percent(found.rel_l2)));
                cells.push(max_abs.unwrap_or_default());
            }
            table.push(Style::new(), cells);
        }
        table.write_fitted(options.columns, out)?;
        let hidden = all.len().saturating_sub(options.max_rows) as u64;
        lines::more(hidden, "tensor", "  ", Style::new(), out)?;
    }
    Ok(())
}
