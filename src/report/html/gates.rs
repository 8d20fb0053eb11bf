//! The broken rules, each with the found value beside the allowed ones.

use std::io::{self, Write};

use askama::Template;

use super::page;
use super::rows::id_of;
use crate::report::human::judgement::{found, limit};
use crate::report::human::number;
use crate::report::human::terminal_text::{printable, short_of};
use crate::rules::{Check, CheckSubject, Found, Judgement, Limit};

/// The most checks of a list. The JSON report has all.
const MOST: usize = 1_000;

/// The width of a bar, in its own units.
const WIDTH: f64 = 120.0;

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
}

/// Whether there is anything to write.
pub(super) fn has_any(judgement: &Judgement) -> bool {
    !(judgement.failures.is_empty()
        && judgement.undecided.is_empty()
        && judgement.passed.is_empty())
}

/// Writes the broken rules, those that are undecided, and those that accept a difference.
pub(super) fn write(judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let lists = [
        list("rules", "Broken rules", true, &judgement.failures),
        list("undecided", "Undecided: the report lacks the statistics", true, &judgement.undecided),
        list("passed", "Passed because of a rule", false, &judgement.passed),
    ];
    page::write(&Gates { lists: lists.into_iter().flatten().collect() }, out)
}

fn list(id: &'static str, title: &'static str, is_open: bool, checks: &[Check]) -> Option<List> {
    let hidden = Some(checks.len().saturating_sub(MOST) as u64).filter(|&n| n > 0);
    (!checks.is_empty()).then(|| List {
        id,
        title,
        is_open,
        count: number::count(checks.len() as u64),
        rows: checks.iter().take(MOST).map(row).collect(),
        hidden: hidden.map(number::count),
    })
}

fn row(check: &Check) -> Row {
    let target = match &check.subject {
        CheckSubject::Tensor(name, _) => Some(id_of(name)),
        CheckSubject::Change(_) | CheckSubject::Op(_) => None,
    };
    Row {
        subject: short_of(&printable(check.subject.shown())).into_owned(),
        target,
        gate: check.gate,
        found: found(check),
        allowed: limit(check),
        rule: printable(&check.rule.to_string()),
        bar: bar(check),
    }
}

/// The bar of a check of numbers; `None` for other checks, and where a number is not finite.
fn bar(check: &Check) -> Option<Bar> {
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
    let (low, high) = (from.min(found), to.max(found));
    let room = (high - low) / 20.0;
    let low = if low == 0.0 { 0.0 } else { low - room };
    let span = high + room - low;
    if !(span.is_finite() && span > 0.0) {
        return None;
    }
    let at = |value: f64| (value - low) / span * WIDTH;
    let text = |x: f64| format!("{x:.1}");
    // Not `clamp`, which panics if a range is empty.
    let edge = found.max(from).min(to);
    Some(Bar {
        allowed_from: text(at(from)),
        allowed_width: text((at(to) - at(from)).max(3.0)),
        found: text(at(found)),
        edge: text(at(edge)),
    })
}
