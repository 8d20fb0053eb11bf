//! Changed tensors by kind of change, the most important first.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::Style;

use crate::compare::{Comparison, Sides};
use crate::diff::{Diff, Status, TensorDiff, TensorRole};
use crate::error::Error;
use crate::tensor::{Facts, Name};

use super::table::{Align, NONE, Table};
use super::terminal_text::{cut_middle, printable, shown_name};
use super::{Options, lines, number};

/// The maximum number of columns of an index, and of two values.
const INDEX_WIDTH: usize = 20;
const PAIR_WIDTH: usize = 32;

/// A kind of change, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Unreadable,
    Type,
    Removed,
    Added,
    NonFinite,
    Values,
}

impl Section {
    fn of(tensor: &TensorDiff) -> Option<Self> {
        match tensor.status {
            Status::Identical | Status::Close => None,
            Status::Error => Some(Self::Unreadable),
            Status::Shape | Status::Dtype => Some(Self::Type),
            Status::Removed => Some(Self::Removed),
            Status::Added => Some(Self::Added),
            Status::Different if has_new_non_finite(tensor) => Some(Self::NonFinite),
            Status::Different => Some(Self::Values),
        }
    }

    fn heading(self, of: Option<TensorRole>, tensors: usize, renamed: usize) -> String {
        let n = number::count(tensors as u64);
        let of = of.map(|of| format!(", {}", role(of))).unwrap_or_default();
        let title = self.title();
        match self {
            Self::Removed | Self::Added if renamed > 0 => {
                let renamed = number::count(renamed as u64);
                format!("{title}{of} ({n}, and {renamed} that may be renamed)")
            }
            _ => format!("{title}{of} ({n})"),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Unreadable => "Unreadable",
            Self::Type => "Different shape or dtype",
            Self::Removed => "Removed: only in lhs",
            Self::Added => "Added: only in rhs",
            Self::NonFinite => "New NaN or infinity",
            Self::Values => "Different values",
        }
    }
}

/// Whether a tensor has NaN or infinities where the baseline has finite numbers.
pub(super) fn has_new_non_finite(tensor: &TensorDiff) -> bool {
    let Some(comparison) = &tensor.comparison else {
        return false;
    };
    comparison.nan_new.is_some_and(|n| n > 0) || comparison.inf.is_some_and(|inf| inf.rhs > inf.lhs)
}

/// The name of a role.
pub(super) fn role(role: TensorRole) -> &'static str {
    match role {
        TensorRole::Weight => "weights",
        TensorRole::Optimizer => "optimizer",
        TensorRole::Counter => "counters",
    }
}

/// A tensor that changed, and its section.
struct Changed<'a> {
    section: Section,
    /// Its role in the model, if the tensors have different roles.
    role: Option<TensorRole>,
    tensor: &'a TensorDiff,
}

impl Changed<'_> {
    fn group(&self) -> (Section, Option<TensorRole>) {
        (self.section, self.role)
    }
}

/// Writes the changed tensors, the most important first, and the number of those that are not listed.
pub(super) fn write(diff: &Diff, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    damage(diff, options, out)?;
    let changed = sorted(diff);
    let mut left = options.max_rows;
    let mut before = None;
    for group in changed.chunk_by(|a, b| a.group() == b.group()) {
        let Some(&Changed { section, role, .. }) = group.first().filter(|_| left > 0) else {
            break;
        };
        let all: Vec<&TensorDiff> = group.iter().map(|changed| changed.tensor).collect();
        let shown = all.get(..left.min(all.len())).unwrap_or_default();
        left -= shown.len();
        let renamed = if before == Some(section) { 0 } else { diff.renames.len() };
        lines::heading(&section.heading(role, all.len(), renamed), options, out)?;
        before = Some(section);
        match section {
            Section::Unreadable => unreadable(shown, options, out)?,
            Section::Type => types(shown).write_fitted(out)?,
            Section::Removed => unmatched(shown, |tensor| tensor.lhs.as_ref()).write_fitted(out)?,
            Section::Added => unmatched(shown, |tensor| tensor.rhs.as_ref()).write_fitted(out)?,
            Section::NonFinite => non_finite(shown, options).write_fitted(out)?,
            Section::Values => values(shown, diff, options).write_fitted(out)?,
        }
    }
    let mut hidden = changed.iter().skip(options.max_rows);
    let has_unreadable = hidden.any(|changed| changed.section == Section::Unreadable);
    let noun = if has_unreadable { "tensor" } else { "changed tensor" };
    lines::rest(changed.len(), noun, options, out)
}

/// The changed tensors in the order of the report, without those for which a rename is suggested.
fn sorted(diff: &Diff) -> Vec<Changed<'_>> {
    let has_roles = !diff.roles().is_empty();
    let from: BTreeSet<&Name> = diff.renames.iter().map(|rename| &rename.from).collect();
    let to: BTreeSet<&Name> = diff.renames.iter().map(|rename| &rename.to).collect();
    let renamed = |tensor: &TensorDiff| match tensor.status {
        Status::Removed => from.contains(&tensor.name),
        Status::Added => to.contains(&tensor.name),
        _ => false,
    };
    let mut changed: Vec<_> = diff
        .tensors
        .iter()
        .filter(|tensor| !renamed(tensor))
        .filter_map(|tensor| {
            let role = tensor.role.filter(|_| has_roles);
            Some(Changed { section: Section::of(tensor)?, role, tensor })
        })
        .collect();
    changed.sort_by(|a, b| {
        let worst = || descending(max_rel(a.tensor), max_rel(b.tensor));
        let order = a.group().cmp(&b.group()).then_with(worst);
        order.then_with(|| a.tensor.name.cmp(&b.tensor.name))
    });
    changed
}

fn max_rel(tensor: &TensorDiff) -> Option<f64> {
    tensor.comparison.as_ref()?.max_rel
}

fn descending(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn damage(diff: &Diff, options: &Options, out: &mut dyn Write) -> io::Result<()> {
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
fn unreadable(tensors: &[&TensorDiff], options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let message = |tensor: &TensorDiff| tensor.error.as_ref().map(without_tensor);
    let style = options.palette.bad;
    for alike in tensors.chunk_by(|a, b| message(a) == message(b)) {
        let mut table = Table::new(&[]);
        for tensor in alike {
            table.push(Style::new(), vec![shown_name(&tensor.name)]);
        }
        table.write_fitted(out)?;
        if let Some(message) = alike.first().and_then(|tensor| message(tensor)) {
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

fn types(tensors: &[&TensorDiff]) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for tensor in tensors {
        let (change, note) = match (&tensor.lhs, &tensor.rhs) {
            (Some(l), Some(r)) if l.shape != r.shape && l.dtype != r.dtype => {
                (format!("{} {} → {} {}", l.dtype, l.shape, r.dtype, r.shape), String::new())
            }
            (Some(l), Some(r)) if l.shape != r.shape => {
                (format!("{} → {}", l.shape, r.shape), l.dtype.to_string())
            }
            (Some(l), Some(r)) => (format!("{} → {}", l.dtype, r.dtype), values_note(tensor)),
            _ => (String::new(), String::new()),
        };
        table.push(Style::new(), vec![shown_name(&tensor.name), cut_middle(&change, 44), note]);
    }
    table
}

/// The result of comparing values of different dtypes.
fn values_note(tensor: &TensorDiff) -> String {
    match &tensor.comparison {
        None => String::new(),
        Some(comparison) if comparison.differing == 0 => "same values".into(),
        Some(comparison) if comparison.mismatched == 0 => "values are close".into(),
        Some(comparison) => {
            let max_rel = comparison.max_rel.map(|max| format!(", max rel {}", number::short(max)));
            format!("{} values differ{}", share(comparison), max_rel.unwrap_or_default())
        }
    }
}

fn unmatched(tensors: &[&TensorDiff], facts: impl Fn(&TensorDiff) -> Option<&Facts>) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for tensor in tensors {
        let mut cells = vec![shown_name(&tensor.name)];
        if let Some(facts) = facts(tensor) {
            cells.extend([facts.dtype.to_string(), cut_middle(&facts.shape.to_string(), 32)]);
        }
        table.push(Style::new(), cells);
    }
    table
}

fn non_finite(tensors: &[&TensorDiff], options: &Options) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Right, Right, Right, Left]);
    table.header(
        options.palette.faint,
        &["tensor", "new NaN", "NaN", "infinite", "changed", "first at"],
    );
    let counts = |sides: Option<Sides<u64>>| match sides {
        Some(n) if n.lhs + n.rhs > 0 => {
            format!("{} → {}", number::short_count(n.lhs), number::short_count(n.rhs))
        }
        _ => NONE.into(),
    };
    for tensor in tensors {
        let Some(comparison) = &tensor.comparison else {
            continue;
        };
        let new = comparison.nan_new.filter(|&n| n > 0).map(number::short_count);
        let cells = vec![
            shown_name(&tensor.name),
            new.unwrap_or_else(|| NONE.into()),
            counts(comparison.nan),
            counts(comparison.inf),
            share(comparison),
            comparison.first.map(|first| index(tensor, first)).unwrap_or_default(),
        ];
        table.push(options.palette.bad, cells);
    }
    table
}

fn values(tensors: &[&TensorDiff], diff: &Diff, options: &Options) -> Table {
    use Align::{Left, Right};
    let by_ulp = diff.options.tolerance.ulp.is_some();
    let mut table = Table::new(&[Right, Right, Right, Left, Left]);
    let size = if by_ulp { "max ulp" } else { "rel l2" };
    table.header(
        options.palette.faint,
        &["tensor", "changed", size, "max rel", "worst at", "lhs → rhs"],
    );
    for tensor in tensors {
        let mut cells = vec![shown_name(&tensor.name)];
        match &tensor.comparison {
            Some(comparison) => cells.extend(numbers(tensor, comparison, by_ulp)),
            None => cells.push("checksum".into()),
        }
        table.push(Style::new(), cells);
    }
    table
}

/// The cells of a tensor after its name. The largest difference has no cell, since its two elements are shown.
fn numbers(tensor: &TensorDiff, comparison: &Comparison, by_ulp: bool) -> [String; 5] {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
    let size = if by_ulp {
        comparison.max_ulp.map(number::short_count)
    } else {
        comparison.rel_l2.map(number::short)
    };
    // Only finite pairs have a largest difference. Where it is 0, the first mismatch is shown.
    let finite = comparison.mismatched == 0 || comparison.max_abs.is_some_and(|max| max != 0.0);
    let worst = comparison.worst.as_ref().filter(|_| finite);
    let (at, pair) = match (worst, &tensor.lhs, &tensor.rhs) {
        (Some(worst), Some(l), Some(r)) => {
            let pair = number::pair((worst.lhs, l.dtype), (worst.rhs, r.dtype), PAIR_WIDTH);
            (Some(worst.position), Some(cut_middle(&pair, PAIR_WIDTH)))
        }
        _ => (comparison.first, beyond_numbers(comparison)),
    };
    [
        share(comparison),
        or_none(size),
        or_none(comparison.max_rel.map(number::short)),
        or_none(at.map(|at| index(tensor, at))),
        or_none(pair),
    ]
}

/// A description of mismatches in which no finite number changed.
fn beyond_numbers(comparison: &Comparison) -> Option<String> {
    let sides = |sides: Option<Sides<u64>>| sides.filter(|n| n.lhs + n.rhs > 0);
    let moved = |what, n: Option<Sides<u64>>| {
        let n = sides(n).filter(|n| n.lhs != n.rhs)?;
        Some(format!("{what} {} → {}", number::short_count(n.lhs), number::short_count(n.rhs)))
    };
    let some = |what: &str, n: Option<u64>| n.filter(|&n| n > 0).map(|_| what.to_owned());
    moved("NaN", comparison.nan)
        .or_else(|| moved("inf", comparison.inf))
        .or_else(|| some("other NaN bits", comparison.nan_payload))
        .or_else(|| some("sign of 0", comparison.zero_sign))
        .or_else(|| sides(comparison.inf).map(|_| "inf".into()))
        .or_else(|| sides(comparison.nan).map(|_| "NaN".into()))
}

/// The number of elements that mismatch, or their share if it is large.
fn share(comparison: &Comparison) -> String {
    const FEW: u64 = 1000;
    let (mismatched, elements) = (comparison.mismatched, comparison.elements);
    if mismatched == elements {
        format!("all {}", number::short_count(elements))
    } else if mismatched < FEW {
        format!("{mismatched} of {}", number::short_count(elements))
    } else {
        // A part is not rounded up to 100%.
        number::share((mismatched as f64 / elements as f64).min(0.999))
    }
}

fn index(tensor: &TensorDiff, position: u64) -> String {
    let index = tensor.lhs.as_ref().map(|facts| facts.shape.unravel(position)).unwrap_or_default();
    if index.is_empty() { String::new() } else { cut_middle(&format!("{index:?}"), INDEX_WIDTH) }
}
