//! The changes of graphs and other messages: by kind and scope, with their texts.

use std::io::{self, Write};

use askama::Template;

use super::page;
use crate::diff::{Change, ChangedPart, Detail, Diff, LineTag, ReportedChange, TextDiff, TextView};
use crate::report::ReportOptions;
use crate::report::human::change_text::{self, Scope};
use crate::report::human::changes::{Section as Kind, counted};
use crate::report::human::grouped;
use crate::report::human::node_group;
use crate::report::human::number;
use crate::report::human::terminal_text::{plural, printable};
use crate::report::human::text_view::fitted;

/// The most parts that are written, and the most lines of each. The JSON report has every change.
const MOST: usize = 2_000;
const LINES: usize = 100;

/// The most changes that are described below a text.
const WORDS: usize = 8;

/// With more parts, scopes are folded.
const OPEN: usize = 60;

#[derive(Template)]
#[template(path = "changes.html", config = "src/report/html/askama.toml")]
struct Changes {
    title: String,
    kinds: Vec<OfKind>,
    is_open: bool,
    hidden: Option<String>,
}

/// The changes of a kind.
struct OfKind {
    title: String,
    scopes: Vec<InScope>,
}

/// The changes of nodes in a scope.
struct InScope {
    /// The scope; empty for the graph as a whole.
    name: String,
    count: String,
    parts: Vec<Part>,
}

/// A changed part.
struct Part {
    subject: String,
    words: Vec<String>,
    lines: Vec<(&'static str, char, String)>,
    notes: Vec<String>,
}

/// Changes that are shown together, with their text.
struct Unit<'a> {
    changes: Vec<ReportedChange<'a>>,
    part: Option<&'a ChangedPart<'a>>,
}

/// The number of changes that are written.
pub(super) fn total(diff: &Diff) -> usize {
    diff.reported().filter(|reported| diff.options.counts(reported.change)).count()
}

/// Writes the changes.
pub(super) fn write(
    diff: &Diff,
    texts: Option<&TextView<'_>>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut units = units(diff, texts);
    units.sort_by_cached_key(|unit| {
        let first = unit.changes.first().map(|reported| reported.change);
        first.map(|first| (Kind::of(first), change_text::order(first)))
    });
    let all = units.len();
    let hidden = all.saturating_sub(MOST) as u64;
    let shown = units.get(..MOST).unwrap_or(&units);
    let kind = |unit: &Unit<'_>| unit.changes.first().map(|first| Kind::of(first.change));
    let kinds = shown.chunk_by(|a, b| kind(a) == kind(b));
    let of_kind = |units: &[Unit<'_>]| {
        let kind = kind(units.first()?)?;
        let changes: Vec<_> = units.iter().flat_map(|unit| unit.changes.iter().copied()).collect();
        let title = format!("{} ({})", kind.title(), counted(kind, &changes));
        Some(OfKind { title, scopes: by_scope(units, options.context) })
    };
    let page = Changes {
        title: number::count(total(diff) as u64),
        kinds: kinds.filter_map(of_kind).collect(),
        is_open: all <= OPEN,
        hidden: Some(hidden).filter(|&n| n > 0).map(number::count),
    };
    page::write(&page, out)
}

/// The parts of the texts; without texts, each change.
fn units<'a>(diff: &'a Diff, texts: Option<&'a TextView<'a>>) -> Vec<Unit<'a>> {
    let Some(texts) = texts else {
        let changes = diff.reported().filter(|reported| diff.options.counts(reported.change));
        return changes.map(|reported| Unit { changes: vec![reported], part: None }).collect();
    };
    let unit = |part: &'a ChangedPart<'a>| {
        let mut changes: Vec<_> =
            part.changes().iter().filter_map(|&at| diff.reported_at(at)).collect();
        change_text::sort(&mut changes);
        Unit { changes, part: Some(part) }
    };
    texts.parts().iter().map(unit).collect()
}

/// Units in the order of their scopes, by scope.
fn by_scope(units: &[Unit<'_>], context: usize) -> Vec<InScope> {
    let scope = |unit: &Unit<'_>| match unit.changes.first() {
        // A group of nodes is a scope of its own, as a rule.
        Some(ReportedChange { change, .. }) if !matches!(change.detail, Detail::Nodes(_)) => {
            Scope::of(change).text()
        }
        _ => String::new(),
    };
    let mut scopes: Vec<InScope> = Vec::new();
    for unit in units {
        let name = scope(unit);
        let part = Part::of(unit, &name, context);
        match scopes.last_mut().filter(|last| last.name == name) {
            Some(last) => last.parts.push(part),
            None => scopes.push(InScope { name, count: String::new(), parts: vec![part] }),
        }
    }
    for scope in &mut scopes {
        scope.count = number::count(scope.parts.len() as u64);
    }
    scopes
}

impl Part {
    fn of(unit: &Unit<'_>, scope: &str, context: usize) -> Self {
        let text = unit.part.filter(|part| part.has_text()).map(|part| part.text(context));
        let text = text.filter(|text| !text.hunks.is_empty());
        let mut notes = Vec::new();
        let is_cut = text.as_ref().is_some_and(|text| text.is_cut);
        if is_cut {
            notes.push("The text is long, and was not compared to its end.".to_owned());
        }
        let more = unit.part.map_or(0, ChangedPart::more);
        if more > 0 {
            notes.push(format!("… and {}", plural(more, "more node")));
        }
        let lines = text.as_ref().map(|text| lines(text, &mut notes)).unwrap_or_default();
        let words = unit
            .changes
            .iter()
            .filter(|reported| !is_in_text(reported.change, text.is_some() && !is_cut));
        notes.extend(unit.changes.iter().filter_map(|reported| grouped::text(*reported)));
        Self {
            subject: subject(unit, scope),
            words: words.take(WORDS).map(|reported| words_of(reported.change, unit)).collect(),
            lines,
            notes,
        }
    }
}

/// Whether the text shows what a change says.
fn is_in_text(change: &Change, is_whole: bool) -> bool {
    match &change.detail {
        Detail::Tensor(comparison) if comparison.elements > 1 => false,
        Detail::Nodes(_) => false,
        _ => is_whole,
    }
}

/// A change in words; with its place, if it is one of several.
fn words_of(change: &Change, unit: &Unit<'_>) -> String {
    match &change.detail {
        Detail::Nodes(nodes) if change.lhs.is_some() && change.rhs.is_some() => {
            plural(nodes.names.len() as u64, "node")
        }
        Detail::Nodes(nodes) => node_group::text(nodes),
        _ if unit.changes.len() > 1 => {
            format!("{}: {}", change_text::subject(change), change_text::text(change))
        }
        _ => change_text::text(change),
    }
}

/// The name of a unit, without the scope that is written above it.
fn subject(unit: &Unit<'_>, scope: &str) -> String {
    let Some(ReportedChange { change: first, .. }) = unit.changes.first() else {
        return String::new();
    };
    let name = match (&first.detail, unit.part) {
        (Detail::Nodes(_), _) if first.lhs.is_some() && first.rhs.is_some() => {
            return change_text::rename(first);
        }
        (Detail::Nodes(_), _) | (_, None) => change_text::subject(first),
        (_, Some(part)) => {
            let rhs = change_text::short_path(part.path());
            let lhs = part.path().in_lhs().map(|path| change_text::short_path(&path));
            match lhs.filter(|lhs| *lhs != rhs) {
                Some(lhs) => return format!("{lhs} → {rhs}"),
                None => rhs,
            }
        }
    };
    name.strip_prefix(scope).map(str::to_owned).unwrap_or(name)
}

/// The lines of a text: class, sign and text.
fn lines(text: &TextDiff, notes: &mut Vec<String>) -> Vec<(&'static str, char, String)> {
    let mut lines = Vec::new();
    for hunk in &text.hunks {
        if hunk.lhs_start > 1 || hunk.rhs_start > 1 {
            let (l, r) = (hunk.lhs_start, hunk.rhs_start);
            let place = format!("@@ -{l},{} +{r},{} @@", hunk.lhs_len, hunk.rhs_len);
            lines.push(("hunk", ' ', place));
        }
        for (line, text) in hunk.lines.iter().zip(fitted(&hunk.lines)) {
            let (class, sign) = match line.tag {
                LineTag::Same => ("same", ' '),
                LineTag::Removed => ("del", '-'),
                LineTag::Added => ("ins", '+'),
            };
            lines.push((class, sign, printable(&text)));
        }
    }
    let hidden = lines.len().saturating_sub(LINES) as u64;
    if hidden > 0 {
        notes.push(format!("… and {}", plural(hidden, "more line")));
        lines.truncate(LINES);
    }
    lines
}
