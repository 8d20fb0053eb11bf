//! Suggestions: notes on the comparison, and options that would change its result.

use std::io::{self, Write};

use anstyle::Style;

use crate::compare::{Comparison, NanPolicy};
use crate::diff::{Diff, Status};

use super::terminal_text::plural;
use super::{Options, lines, number, renames};

/// A change below this share of a tensor's norm counts as noise, for which a tolerance is suggested.
const NOISE: f64 = 1e-3;

/// Writes notes on how tensors were compared, and options that would change the answer.
pub(super) fn write(diff: &Diff, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let style = options.palette.command;
    for text in [by_checksum(diff), about_bits(diff), about_tolerance(diff)].into_iter().flatten() {
        writeln!(out, "\n{text}")?;
    }
    if diff.renames.is_empty() {
        return Ok(());
    }
    let n = diff.renames.len() as u64;
    let (seems, its) = if n == 1 { ("seems", "its") } else { ("seem", "their") };
    writeln!(
        out,
        "\n{} {seems} renamed: {its} dtype, shape and bytes are the same. To compare:",
        plural(n, "tensor")
    )?;
    let suggestions = renames::suggestions(diff);
    let shown = suggestions.get(..options.max_rows.max(1)).unwrap_or(&suggestions);
    for suggestion in shown {
        let many = match suggestion.tensors {
            1 => String::new(),
            n => format!("  ({n} tensors)"),
        };
        writeln!(out, "  {style}--rename {}{style:#}{many}", suggestion.option)?;
    }
    let hidden = (suggestions.len() - shown.len()) as u64;
    lines::more(hidden, "rename", "  ", Style::new(), out)?;
    let written: usize = suggestions.iter().map(|suggestion| suggestion.tensors).sum();
    let unwritten = diff.renames.len().saturating_sub(written);
    if unwritten > 0 {
        writeln!(out, "  ({} cannot be written as an option)", plural(unwritten as u64, "rename"))?;
    }
    Ok(())
}

/// A note for a side whose values were not read.
fn by_checksum(diff: &Diff) -> Option<String> {
    let lacking = match (diff.lhs.has_data, diff.rhs.has_data) {
        (true, true) => return None,
        (false, true) => "lhs is",
        (true, false) => "rhs is",
        (false, false) => "both sides are",
    };
    Some(format!(
        "Note: {lacking} only an index, without data: values were compared by stored checksums alone."
    ))
}

/// Whether all tensors that differ differ only in value.
fn only_values(diff: &Diff) -> bool {
    let counts = diff.counts();
    let others = [Status::Added, Status::Removed, Status::Dtype, Status::Shape, Status::Error];
    others.iter().all(|&status| counts.of(status) == 0)
}

/// The comparisons of tensors with this status; `None` if one was not compared by value.
fn with_status(diff: &Diff, status: Status) -> Option<Vec<&Comparison>> {
    let tensors = diff.tensors.iter().filter(|tensor| tensor.status == status);
    tensors.map(|tensor| tensor.comparison.as_ref()).collect()
}

/// A suggestion for differences that disappear with a tolerance of 0.
fn about_bits(diff: &Diff) -> Option<String> {
    let differ_by_bits = |comparison: &&Comparison| {
        let zero_sign = comparison.zero_sign.unwrap_or(0);
        comparison.differing == zero_sign + comparison.nan_payload.unwrap_or(0)
    };
    let by_bits = diff.options.tolerance.is_bits() && diff.options.nan == NanPolicy::Equal;
    let different = with_status(diff, Status::Different)?;
    let all = by_bits && !different.is_empty() && different.iter().all(differ_by_bits);
    all.then(|| {
        let what = "difference of values is the sign of a zero or the bits of a NaN";
        format!("Every {what}: with --atol 0 they compare equal.")
    })
}

/// The smallest tolerance that would pass, if a tolerance was given or the differences look like noise.
fn about_tolerance(diff: &Diff) -> Option<String> {
    let different = with_status(diff, Status::Different)?;
    let noise = || different.iter().all(|c| c.rel_l2.is_some_and(|rel_l2| rel_l2 < NOISE));
    let wanted = !diff.options.tolerance.is_bits() || noise();
    if different.is_empty() || !wanted || !only_values(diff) || about_bits(diff).is_some() {
        return None;
    }
    // Tensors that are close by another criterion must stay close.
    let judged: Vec<_> = different.into_iter().chain(with_status(diff, Status::Close)?).collect();
    let largest = |part: fn(&Comparison) -> Option<f64>| {
        let parts: Option<Vec<f64>> = judged.iter().map(|comparison| part(comparison)).collect();
        parts?.into_iter().reduce(f64::max).map(number::at_least)
    };
    let rtol = largest(|comparison| comparison.passes_at.rtol);
    let atol = largest(|comparison| comparison.passes_at.atol);
    let ulps: Option<Vec<u64>> = judged.iter().map(|comparison| comparison.max_ulp).collect();
    // If no atol passes, an element is not finite, and no number of ulps passes either.
    let by_ulp = diff.options.tolerance.ulp.is_some() && atol.is_some();
    let ulp = ulps.filter(|_| by_ulp).and_then(|ulps| ulps.into_iter().max());
    let options = [
        rtol.map(|rtol| format!("--rtol {rtol}")),
        atol.map(|atol| format!("--atol {atol}")),
        ulp.map(|ulp| format!("--ulp {ulp}")),
    ];
    let options: Vec<String> = options.into_iter().flatten().collect();
    Some(match options.is_empty() {
        true => "The comparison would not pass under any tolerance.".into(),
        false => format!("It would pass with {}.", options.join(" or with ")),
    })
}
