//! Notes on the comparison, and options that would change its result.

use std::io::{self, Write};

use anstyle::Style;

use crate::diff::{Diff, Status};
use crate::summary::{only_bits_differ, passing, rename_rules};

use super::terminal_text::{plural, shell_quoted};
use super::{ReportOptions, lines, number};

/// A change below this share of a tensor's norm counts as noise, for which a tolerance is suggested.
const NOISE: f64 = 1e-3;

/// The maximum number of renames that are listed on a terminal, above the tables.
const RENAMES: usize = 4;

/// Writes notes on how tensors were compared, and options that would change the answer.
pub(super) fn write(diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    notes(diff).into_iter().try_for_each(|text| writeln!(out, "\n{text}"))
}

/// The notes, each a sentence.
pub(in crate::report) fn notes(diff: &Diff) -> Vec<String> {
    let notes = [by_checksum(diff), about_bits(diff), about_tolerance(diff)];
    notes.into_iter().flatten().collect()
}

/// Writes the tensors that seem renamed, as options that compare them.
pub(in crate::report) fn renames(
    diff: &Diff,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if diff.renames.is_empty() {
        return Ok(());
    }
    let n = diff.renames.len() as u64;
    lines::heading(&format!("Possibly renamed ({})", number::count(n)), options, out)?;
    let same = "equal dtype, shape and bytes under another name; to compare them, add";
    writeln!(out, "  {same}")?;
    let style = options.palette.command;
    let suggestions = rename_rules(diff);
    let most = options.columns.map_or(options.max_rows, |_| options.max_rows.min(RENAMES));
    let shown = suggestions.get(..most.max(1)).unwrap_or(&suggestions);
    for suggestion in shown {
        let many = match suggestion.tensors {
            1 => String::new(),
            n => format!("  ({n} tensors)"),
        };
        writeln!(out, "  {style}--rename {}{style:#}{many}", shell_quoted(&suggestion.rule))?;
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
    if diff.counts().of(Status::Uncompared) > 0 {
        return None;
    }
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

/// A suggestion for differences that disappear with a tolerance of 0.
fn about_bits(diff: &Diff) -> Option<String> {
    only_bits_differ(diff).then(|| {
        let what = "difference of values is the sign of a zero or the bits of a NaN";
        format!("Every {what}: with --atol 0 they compare equal.")
    })
}

/// The smallest tolerance that would pass, and the smallest limit: each if one of its kind was given, or if the differences
/// look like noise.
fn about_tolerance(diff: &Diff) -> Option<String> {
    let passing = passing(diff).filter(|_| !only_bits_differ(diff))?;
    let is_noise = passing.rel_l2.is_some_and(|moved| moved < NOISE);
    let has_limit = diff.options.criteria.max_rel_l2.is_some();
    let has_tolerance = !diff.options.compare.tolerance.is_bits() || is_noise && !has_limit;
    if !has_tolerance && !has_limit {
        return None;
    }
    let of_elements = [
        passing.rtol.map(|rtol| format!("--rtol {}", number::at_least(rtol))),
        passing.atol.map(|atol| format!("--atol {}", number::at_least(atol))),
        passing.ulp.map(|ulp| format!("--ulp {ulp}")),
    ];
    let of_elements: Vec<String> = of_elements.into_iter().flatten().collect();
    let elements =
        Some(of_elements.join(" or with ")).filter(|options| has_tolerance && !options.is_empty());
    let of_tensors = passing.rel_l2.filter(|_| has_limit);
    let tensors = of_tensors.map(|moved| format!("--max-rel-l2 {}", number::at_least(moved)));
    // Where both were given, both must hold.
    let options = match (elements, tensors) {
        (Some(elements), Some(tensors)) => Some(format!("{tensors}, and with {elements}")),
        (elements, tensors) if !(has_tolerance && has_limit) => elements.or(tensors),
        _ => None,
    };
    Some(match options {
        None => "The comparison would not pass under any tolerance.".into(),
        Some(options) => format!("It would pass with {options}."),
    })
}
