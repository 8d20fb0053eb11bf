//! The broken rules, each with the found value beside the allowed ones.

use std::io::{self, Write};

use askama::Template;

use super::curves::round_up;
use super::page;
use super::rows::{id_of, percent};
use crate::report::human::judgement::{check_lists, found, limit};
use crate::report::human::number;
use crate::report::human::terminal_text::{printable, short_of};
use crate::rules::{Check, CheckSubject, Found, Judgement, Limit};

/// The most checks of a list. The JSON report has all.
const MOST: usize = 1_000;

/// The width of a bar, and the least of its allowed range, in its own units.
const WIDTH: f64 = 120.0;
const NARROWEST: f64 = 3.0;

#[derive(Template)]
#[template(path = "gates.html", config = "src/report/html/askama.toml")]
struct Gates {
    lists: Vec<List>,
}

/// A list of checks.
struct List {
    id: &'static str,
    title: &'static str,
    /// Whether it is shown without a click.
    is_open: bool,
    count: String,
    rows: Vec<Row>,
    /// Whether a row has a bar.
    has_bars: bool,
    /// The number of checks that are not shown.
    hidden: Option<String>,
}

struct Row {
    subject: String,
    /// The id of the row of the tensor.
    target: Option<String>,
    gate: &'static str,
    found: String,
    allowed: String,
    rule: String,
    bar: Option<Bar>,
}

/// A lane with the allowed range and what was found; from 0 to [`WIDTH`].
struct Bar {
    allowed_from: String,
    allowed_width: String,
    found: String,
    /// The end of the allowed range that is closest to what was found.
    edge: String,
    /// The ends of the scale.
    low: String,
    high: String,
}

/// Whether there is anything to write.
pub(super) fn has_any(judgement: &Judgement) -> bool {
    !(judgement.failures.is_empty()
        && judgement.undecided.is_empty()
        && judgement.passed.is_empty())
}

/// Writes the broken rules, those that are undecided, and those that accept a difference.
pub(super) fn write(judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    // Those that are accepted are folded.
    let looks = [("rules", true), ("undecided", true), ("passed", false)];
    let lists = looks.into_iter().zip(check_lists(judgement));
    let lists =
        lists.filter_map(|((id, is_open), (title, checks))| list(id, title, is_open, checks));
    page::write(&Gates { lists: lists.collect() }, out)
}

fn list(id: &'static str, title: &'static str, is_open: bool, checks: &[Check]) -> Option<List> {
    let hidden = Some(checks.len().saturating_sub(MOST) as u64).filter(|&n| n > 0);
    let rows: Vec<Row> = checks.iter().take(MOST).map(row).collect();
    (!checks.is_empty()).then(|| List {
        id,
        title,
        is_open,
        count: number::count(checks.len() as u64),
        has_bars: rows.iter().any(|row| row.bar.is_some()),
        rows,
        hidden: hidden.map(number::count),
    })
}

fn row(check: &Check) -> Row {
    let target = match &check.subject {
        CheckSubject::Tensor(name, _) => Some(id_of(name)),
        CheckSubject::Change(_) | CheckSubject::Op(_) => None,
    };
    let found = found(check);
    Row {
        subject: short_of(&printable(check.subject.shown())).into_owned(),
        target,
        gate: check.gate,
        allowed: limit(check),
        rule: printable(&check.rule.to_string()),
        bar: bar(check, &found),
        found,
    }
}

/// The bar of a check of numbers; `None` for other checks, and where a number is not finite.
///
/// Each bar has its own scale, whose ends are written below it. They are round numbers, so that found numbers far from each other are
/// at different places. They are percentages where the found number is written as one.
fn bar(check: &Check, found_text: &str) -> Option<Bar> {
    let (Limit::Range(least, most), Found::Number(found)) = (check.limit, &check.found) else {
        return None;
    };
    let found = Some(*found).filter(|found| found.is_finite())?;
    let (from, to) = match (least, most) {
        (None, None) => return None,
        // Distances and shares begin at 0, a cosine ends at 1.
        (None, Some(most)) => (0f64.min(most), most),
        (Some(least), None) => (least, 1f64.max(least)),
        (Some(least), Some(most)) => (least, most),
    };
    let low = match (least, most) {
        (Some(least), None) => below(found.min(least)),
        _ => from.min(found),
    };
    let high = if found > to { round_up(found).max(to) } else { to };
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return None;
    }
    let at = |value: f64| (value - low) / span * WIDTH;
    let text = |x: f64| format!("{x:.1}");
    let end = if found_text.ends_with('%') { percent } else { number::short };
    // Not `clamp`, which panics if a range is empty.
    let edge = found.max(from).min(to);
    let start = at(from).min(WIDTH - NARROWEST);
    Some(Bar {
        allowed_from: text(start),
        allowed_width: text((at(to) - start).max(NARROWEST)),
        found: text(at(found)),
        edge: text(at(edge)),
        low: end(low),
        high: end(high),
    })
}

/// The closest round number below one that is at most 1.
fn below(value: f64) -> f64 {
    let round = [0.9999, 0.999, 0.99, 0.9, 0.5, -1.0];
    round.into_iter().find(|&round| round < value).unwrap_or(value)
}
