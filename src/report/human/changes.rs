//! Changes of graphs and other messages: what came and went first, then what is another, by scope.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;

use crate::diff::{Change, ChangeKind, Detail, Diff, Nodes, Rewired, SideOf, Weight};

use super::table::{Align, Table};
use super::text::{cut_middle, plural, printable, wrapped};
use super::{View, change_text, number};

/// Columns that names keep; values are long, and both ends of them say little.
const NAME: usize = 56;

/// Inputs at a border that are told with the nodes that came or went.
const BORDER: usize = 3;

/// Ops that are told of many nodes.
const OPS: usize = 4;

/// A kind of change, from the worst on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Removed,
    Added,
    Renamed,
    Nodes,
    Functions,
    Saved,
    Rest,
}

impl Section {
    const ALL: [Self; 7] = [
        Self::Removed,
        Self::Added,
        Self::Renamed,
        Self::Nodes,
        Self::Functions,
        Self::Saved,
        Self::Rest,
    ];

    pub(super) fn of(change: &Change) -> Self {
        let path = &change.path;
        if path.key_in("function").is_some() {
            return Self::Functions;
        }
        if path.key_in("saves").or(path.key_in("restores")).is_some() {
            return Self::Saved;
        }
        let is_node = path.key_in("node").is_some();
        match (change.kind, &change.detail) {
            (ChangeKind::Removed, Detail::Nodes(_)) => Self::Removed,
            (ChangeKind::Added, Detail::Nodes(_)) => Self::Added,
            (ChangeKind::Renamed, Detail::Nodes(_)) => Self::Renamed,
            _ if is_node => Self::Nodes,
            _ => Self::Rest,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Removed => "Nodes removed: only in lhs",
            Self::Added => "Nodes added: only in rhs",
            Self::Renamed => "Nodes renamed",
            Self::Nodes => "Nodes changed",
            Self::Functions => "Functions",
            Self::Saved => "What is saved and restored",
            Self::Rest => "Beside the nodes",
        }
    }
}

/// Writes the changes that matter, and how many do not.
pub(super) fn write(diff: &Diff, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let semantic = |change: &&Change| change.weight == Weight::Semantic;
    let changes: Vec<&Change> = diff.changes.iter().filter(semantic).collect();
    let mut left = view.max_diffs;
    for section in Section::ALL {
        let mut all: Vec<&Change> =
            changes.iter().copied().filter(|change| Section::of(change) == section).collect();
        all.sort_by_cached_key(|change| change_text::order(change));
        let shown = all.get(..left.min(all.len())).unwrap_or_default();
        if shown.is_empty() {
            continue;
        }
        left -= shown.len();
        let style = view.palette.heading;
        writeln!(out, "\n{style}{} ({}){style:#}", section.title(), counted(section, &all))?;
        match section {
            Section::Removed | Section::Added => groups(shown, view, out)?,
            Section::Renamed => renamed(shown).write_fitted(out)?,
            _ => rows(shown, view, out)?,
        }
    }
    let style = view.palette.faint;
    let hidden = changes.len().saturating_sub(view.max_diffs);
    if hidden > 0 {
        let more = plural(hidden as u64, "more change");
        writeln!(out, "\n{style}… and {more}: -n {} lists all{style:#}", changes.len())?;
    }
    findings(diff, view, out)?;
    cosmetic(diff, view, out)
}

/// How many changes there are, and of which ops.
pub(super) fn counted(section: Section, changes: &[&Change]) -> String {
    let n = number::count(changes.len() as u64);
    let mut ops = BTreeMap::<&str, u64>::new();
    for change in changes {
        if let (Section::Nodes, Detail::Op(op)) = (section, &change.detail) {
            *ops.entry(op).or_default() += 1;
        }
        if let (Section::Nodes, Detail::Tensor(_)) = (section, &change.detail) {
            *ops.entry("Const").or_default() += 1;
        }
    }
    let ops: Vec<_> = ops.into_iter().map(|(op, count)| (op.to_owned(), count)).collect();
    if ops.is_empty() || changes.len() < 2 { n } else { format!("{n}: {}", most(ops)) }
}

/// The ops with the most nodes: `4 Const, 2 Mul, 3 more`.
fn most(mut ops: Vec<(String, u64)>) -> String {
    ops.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let mut parts: Vec<String> = ops
        .iter()
        .take(OPS)
        .map(|(op, count)| format!("{} {}", number::count(*count), printable(op)))
        .collect();
    let rest: u64 = ops.iter().skip(OPS).map(|(_, count)| count).sum();
    if rest > 0 {
        parts.push(format!("{} more", number::count(rest)));
    }
    parts.join(", ")
}

fn what(nodes: &Nodes) -> String {
    match (nodes.names.as_slice(), nodes.ops.as_slice()) {
        ([_], [(op, _)]) => printable(op),
        (names, _) => {
            format!("{}: {}", plural(names.len() as u64, "node"), most(nodes.ops.clone()))
        }
    }
}

/// Nodes that came or went together, and the inputs that changed because of it.
pub(super) fn groups(changes: &[&Change], view: &View, out: &mut dyn Write) -> io::Result<()> {
    for change in changes {
        let Detail::Nodes(nodes) = &change.detail else { continue };
        let mut table = Table::new(&[Align::Left]).keeping_names(NAME);
        table.push(Style::new(), vec![change_text::subject(change), what(nodes)]);
        table.write_fitted(out)?;
        let style = view.palette.faint;
        for Rewired { path, lhs, rhs } in nodes.boundary.iter().take(BORDER) {
            let input = change_text::place(path);
            let text = change_text::sides(lhs.as_deref(), rhs.as_deref());
            let line = cut_middle(&format!("{input}: {text}"), super::WIDTH - 6);
            writeln!(out, "{style}      {line}{style:#}")?;
        }
        let more = nodes.boundary.len().saturating_sub(BORDER);
        if more > 0 {
            writeln!(out, "{style}      … and {} more{style:#}", number::count(more as u64))?;
        }
    }
    Ok(())
}

pub(super) fn renamed(changes: &[&Change]) -> Table {
    let mut table = Table::new(&[Align::Left]).keeping_names(NAME);
    for change in changes {
        let Detail::Nodes(nodes) = &change.detail else { continue };
        let names = change_text::sides(change.lhs.as_deref(), change.rhs.as_deref());
        table.push(Style::new(), vec![names, plural(nodes.names.len() as u64, "node")]);
    }
    table
}

/// Changes one by one, under the scopes that several of them are in.
pub(super) fn rows(changes: &[&Change], view: &View, out: &mut dyn Write) -> io::Result<()> {
    for alike in changes.chunk_by(|a, b| change_text::scope(a) == change_text::scope(b)) {
        let scope = alike.first().map(|change| change_text::scope(change)).unwrap_or_default();
        let is_grouped = alike.len() > 1 && !scope.is_empty();
        if is_grouped {
            let style = view.palette.faint;
            writeln!(out, "  {style}{}{style:#}", cut_middle(&scope, super::WIDTH - 2))?;
        }
        let mut table = Table::new(&[Align::Left]).keeping_names(NAME);
        for change in alike {
            let whole = change_text::subject(change);
            let name = match whole.strip_prefix(&scope) {
                Some(rest) if is_grouped => format!("  {rest}"),
                _ => whole,
            };
            table.push(Style::new(), vec![name, change_text::text(change)]);
        }
        table.write_fitted(out)?;
    }
    Ok(())
}

/// What is wrong with a graph.
pub(super) fn findings(diff: &Diff, view: &View, out: &mut dyn Write) -> io::Result<()> {
    if diff.findings.is_empty() {
        return Ok(());
    }
    let mut findings = BTreeMap::<String, Vec<&str>>::new();
    for finding in &diff.findings {
        let text = printable(&format!("{}: {}", finding.path, finding.problem));
        findings.entry(text).or_default().extend(finding.side.map(SideOf::name));
    }
    let style = view.palette.heading;
    let n = number::count(findings.len() as u64);
    writeln!(out, "\n{style}Wrong in itself ({n}){style:#}")?;
    let style = view.palette.bad;
    for (text, sides) in findings.iter().take(view.max_diffs) {
        let side = match sides.as_slice() {
            [] => String::new(),
            [side] => format!("{side}: "),
            _ => "both: ".into(),
        };
        writeln!(out, "  {style}{side}{text}{style:#}")?;
    }
    let more = findings.len().saturating_sub(view.max_diffs);
    if more > 0 {
        writeln!(out, "  … and {} more", number::count(more as u64))?;
    }
    Ok(())
}

/// One line for all that does not matter.
pub(super) fn cosmetic(diff: &Diff, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut kinds = BTreeMap::<&str, u64>::new();
    for change in diff.changes.iter().filter(|change| change.weight == Weight::Cosmetic) {
        *kinds.entry(change_text::kind_of_detail(change)).or_default() += 1;
    }
    let total: u64 = kinds.values().sum();
    if total == 0 {
        return Ok(());
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let parts: Vec<String> =
        kinds.into_iter().map(|(kind, count)| format!("{} {kind}", number::count(count))).collect();
    let style = view.palette.faint;
    let start = format!("Cosmetic ({}): ", number::count(total));
    writeln!(out)?;
    for line in wrapped(&start, &parts) {
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}
