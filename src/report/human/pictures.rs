//! Pictures of tensors on lines of text: histograms, and where mismatches lie.

use std::io::{self, Write};

use anstyle::Style;

use super::histogram::{bar, ends, line};
use super::statistics::compared;
use super::terminal_text::{padded, plural, width_of};
use super::{ReportOptions, elements, lines, number};
use crate::compare::{Comparison, MismatchMap, Sides, Stretch, ValueHistogram};
use crate::diff::{Diff, TensorDiff};
use crate::summary::{Buckets, without_finite_difference};

/// The most bars on a line, and ranges of a strip.
const BARS: usize = 40;

/// The columns of a line that are not bars: labels and borders.
const LABELS: usize = 38;

/// The number of worst elements that are listed.
const WORST: usize = 3;

/// The mark of a range without mismatches.
const NONE: char = '·';

/// The mark of a range whose mismatches have no finite difference.
const NON_FINITE: char = '!';

/// Writes the pictures of the changed tensors that have some.
pub(super) fn write(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let width = options.columns.map_or(BARS, |all| all.saturating_sub(LABELS).clamp(8, BARS));
    let all = compared(diff, options);
    let drawn = all.into_iter().map(|(tensor, found)| (tensor, rows(tensor, found, width)));
    let drawn: Vec<_> = drawn.filter(|(_, rows)| !rows.is_empty()).collect();
    if drawn.is_empty() {
        return Ok(());
    }
    lines::heading("Where and how far values moved", options, out)?;
    for (tensor, rows) in drawn.iter().take(options.max_rows) {
        writeln!(out, "  {}", tensor.shown_name())?;
        let label = rows.iter().map(|(label, _)| width_of(label)).max().unwrap_or_default();
        for (name, text) in rows {
            writeln!(out, "    {}  {text}", padded(name, label))?;
        }
    }
    let hidden = drawn.len().saturating_sub(options.max_rows) as u64;
    lines::more(hidden, "tensor", "  ", Style::new(), out)
}

/// The lines of a tensor: labels and pictures.
fn rows(tensor: &TensorDiff, found: &Comparison, width: usize) -> Vec<(&'static str, String)> {
    // The only element of a tensor is in another table.
    if found.elements <= 1 {
        return Vec::new();
    }
    let mut rows = Vec::new();
    let differences = found.histogram.as_ref();
    let differences = differences.and_then(|of| Buckets::of_differences(&of.abs, width));
    let values = found.values.as_ref().and_then(|sides| values(sides, width));
    // The borders of both pictures are aligned.
    let labels = [0, 1].map(|end| {
        let widths = [&differences, &values]
            .map(|of| of.as_ref().map(|of| ends(of).get(end).map_or(0, |text| width_of(text))));
        widths.into_iter().flatten().max().unwrap_or_default()
    });
    let not_finite = without_finite_difference(found);
    let bars = differences.map(|of| line(&of, 0, labels));
    let left_out = (not_finite > 0)
        .then(|| format!("{} without a finite difference", plural(not_finite, "element")));
    let differences: Vec<String> = bars.into_iter().chain(left_out).collect();
    if !differences.is_empty() {
        rows.push(("|rhs − lhs|", differences.join("  ")));
    }
    if let Some(values) = values {
        rows.push(("lhs", line(&values, 0, labels)));
        rows.push(("rhs", line(&values, 1, labels)));
    }
    if let Some(map) = &tensor.mismatch_map {
        rows.extend(strip(&map.row_major, width).map(|text| ("by position", text)));
        rows.extend(strip(&map.first_axis, width).map(|text| ("by first index", text)));
        rows.extend(worst(tensor, map).map(|text| ("worst", text)));
    }
    rows
}

/// The buckets of both sides, if there are enough different values.
fn values(Sides { lhs, rhs }: &Sides<ValueHistogram>, width: usize) -> Option<Buckets> {
    let sides = [lhs, rhs];
    Buckets::are_enough(&sides).then(|| Buckets::of_values(&sides, width)).flatten()
}

/// Where the mismatches lie: the share of mismatches in each range, or where nearly all elements mismatch, the largest differences.
fn strip(stretches: &[Stretch], width: usize) -> Option<String> {
    let [_, .., last] = stretches else { return None };
    let ranges: Vec<_> =
        stretches.chunks(stretches.len().div_ceil(width.max(1))).map(Range::of).collect();
    // Where nearly all mismatch, their number does not tell ranges apart.
    let are_all = ranges.iter().all(Range::nearly_all_mismatch);
    let largest = ranges.iter().map(|range| range.max_abs).fold(0.0, f64::max);
    let share = |range: &Range| match are_all {
        true if largest > 0.0 && largest.is_finite() => range.max_abs / largest,
        true => 1.0,
        false => range.mismatched as f64 / range.elements.max(1) as f64,
    };
    let mark = |range: &Range| match range.mismatched {
        0 => NONE,
        // Only NaN or infinities mismatch.
        _ if are_all && largest > 0.0 && range.max_abs == 0.0 => NON_FINITE,
        _ => level(share(range)),
    };
    let text: String = ranges.iter().map(mark).collect();
    let what = match are_all {
        true if largest > 0.0 => format!("max |rhs − lhs|, up to {}", number::short(largest)),
        true => "nearly all mismatch".into(),
        false => {
            let most = ranges.iter().map(share).fold(0.0, f64::max);
            format!("mismatches, up to {} of a range", number::percent(most))
        }
    };
    let end = number::count(last.end.saturating_sub(1));
    Some(format!("0 {text} {end}  {what}"))
}

/// A range of a strip.
struct Range {
    elements: u64,
    mismatched: u64,
    max_abs: f64,
}

impl Range {
    fn of(stretches: &[Stretch]) -> Self {
        Self {
            elements: stretches.iter().map(|of| of.elements).sum(),
            mismatched: stretches.iter().map(|of| of.mismatched).sum(),
            max_abs: stretches.iter().filter_map(|of| of.max_abs).fold(0.0, f64::max),
        }
    }

    /// Whether at least 9 of 10 elements mismatch.
    fn nearly_all_mismatch(&self) -> bool {
        u128::from(self.mismatched) * 10 >= u128::from(self.elements) * 9
    }
}

/// The mark of a range by a share from 0 to 1.
fn level(share: f64) -> char {
    const STEPS: u64 = 1_000;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1")]
    let share = (share.clamp(0.0, 1.0) * STEPS as f64) as u64;
    bar(share.max(1), STEPS)
}

/// The worst elements: `[3, 17] 0.1 → 0.9`.
fn worst(tensor: &TensorDiff, map: &MismatchMap) -> Option<String> {
    let (lhs, rhs) = (tensor.lhs.as_ref()?, tensor.rhs.as_ref()?);
    let shown = map.worst.iter().take(WORST).map(|found| {
        let index = lhs.shape.unravel(found.position);
        let [of_lhs, of_rhs] = elements::sides(found, (lhs.dtype, rhs.dtype));
        format!("{index:?} {of_lhs} → {of_rhs}")
    });
    let mut shown: Vec<_> = shown.collect();
    let more = map.worst.len().saturating_sub(WORST) as u64;
    if shown.is_empty() {
        return None;
    }
    if more > 0 {
        shown.push(format!("{} more", number::count(more)));
    }
    Some(shown.join(", "))
}
