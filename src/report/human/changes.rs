//! Changes of graphs and other messages: first removed and added nodes, then modifications by scope.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::Style;

use crate::diff::{BoundaryChange, Change, ChangeKind, Detail, Diff, ReportedChange, Side, Weight};

use super::change_text::Scope;
use super::table::{Align, Table};
use super::terminal_text::{cut_middle, plural, printable, short_of, wrapped};
use super::{ReportOptions, Verbosity, change_text, grouped, lines, node_group, number};

/// The maximum number of rewired inputs that are listed below a group of nodes.
const BORDER: usize = 3;

/// A kind of change, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::report) enum Section {
    Signatures,
    Removed,
    Added,
    Renamed,
    Nodes,
    Functions,
    Saved,
    Objects,
    Rest,
}

impl Section {
    pub(in crate::report) fn of(change: &Change) -> Self {
        let path = &change.path;
        if change.is_of_signature() {
            return Self::Signatures;
        }
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
            (_, Detail::Objects(_)) => Self::Objects,
            _ => Self::Rest,
        }
    }

    pub(in crate::report) fn title(self) -> &'static str {
        match self {
            Self::Signatures => "Signatures",
            Self::Removed => "Nodes removed: only in lhs",
            Self::Added => "Nodes added: only in rhs",
            Self::Renamed => "Nodes renamed",
            Self::Nodes => "Nodes changed",
            Self::Functions => "Functions",
            Self::Saved => "Saved and restored tensors",
            Self::Objects => "Objects added and removed",
            Self::Rest => "Other changes",
        }
    }
}

/// The changes of one weight by section, in the order of the report: the title of each section, and its changes.
pub(in crate::report) fn by_section(
    diff: &Diff,
    weight: Weight,
) -> Vec<(String, Vec<ReportedChange<'_>>)> {
    let mut sections = BTreeMap::<Section, Vec<ReportedChange<'_>>>::new();
    for reported in diff.reported_of(weight) {
        sections.entry(Section::of(reported.change)).or_default().push(reported);
    }
    let titled = |(section, mut all): (Section, Vec<_>)| {
        change_text::sort(&mut all);
        (format!("{} ({})", section.title(), counted(section, &all)), all)
    };
    sections.into_iter().map(titled).collect()
}

/// Writes the semantic changes, and the number of cosmetic ones.
pub(super) fn write(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let changes: Vec<_> = diff.reported_of(Weight::Semantic).collect();
    let mut sections = BTreeMap::<Section, Vec<ReportedChange<'_>>>::new();
    for &reported in &changes {
        sections.entry(Section::of(reported.change)).or_default().push(reported);
    }
    let mut left = options.max_rows;
    for (section, mut all) in sections {
        change_text::sort(&mut all);
        let shown = all.get(..left.min(all.len())).unwrap_or_default();
        if shown.is_empty() {
            continue;
        }
        left -= shown.len();
        let title = format!("{} ({})", section.title(), counted(section, &all));
        lines::heading(&title, options, out)?;
        match section {
            Section::Removed | Section::Added => groups(shown, options, out)?,
            Section::Renamed => renamed(shown, options, out)?,
            _ => rows(shown, options, out)?,
        }
    }
    lines::rest(changes.len(), "change", options, out)?;
    findings(diff, options, out)?;
    cosmetic(diff, options, out)
}

/// The number of changes, and their ops.
pub(in crate::report) fn counted(section: Section, changes: &[ReportedChange<'_>]) -> String {
    let n = number::count(changes.len() as u64);
    let mut ops = BTreeMap::<&str, u64>::new();
    for ReportedChange { change, .. } in changes {
        if let (Section::Nodes, Detail::Op(op)) = (section, &change.detail) {
            *ops.entry(op).or_default() += 1;
        }
        if let (Section::Nodes, Detail::Tensor(_)) = (section, &change.detail) {
            *ops.entry("Const").or_default() += 1;
        }
    }
    let ops: Vec<_> = ops.into_iter().map(|(op, count)| (op.to_owned(), count)).collect();
    if ops.is_empty() || changes.len() < 2 { n } else { format!("{n}: {}", node_group::ops(ops)) }
}

/// Groups of added or removed nodes, and the inputs that were rewired because of them.
pub(super) fn groups(
    changes: &[ReportedChange<'_>],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    for &reported in changes {
        let change = reported.change;
        let Detail::Nodes(nodes) = &change.detail else { continue };
        let mut table = Table::new(&[Align::Left]);
        table.push(Style::new(), vec![change_text::subject(change), node_group::text(nodes)]);
        table.write_fitted(options.columns, out)?;
        let style = options.palette.faint;
        for BoundaryChange { path, lhs, rhs } in nodes.boundary.iter().take(BORDER) {
            let input = change_text::short_path(path);
            let text = change_text::sides(lhs.as_deref(), rhs.as_deref());
            let room = options.columns.map_or(usize::MAX, |columns| columns.saturating_sub(6));
            let line = cut_middle(&format!("{input}: {text}"), room);
            writeln!(out, "{style}      {line}{style:#}")?;
        }
        let hidden = nodes.boundary.len().saturating_sub(BORDER);
        lines::more(hidden as u64, "", "      ", style, out)?;
        grouped::write(reported, options, out)?;
    }
    Ok(())
}

/// Renamed nodes and scopes.
pub(super) fn renamed(
    changes: &[ReportedChange<'_>],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    grouped::write_table(changes, options, out, |change| {
        let count = match &change.detail {
            Detail::Nodes(nodes) => plural(nodes.names.len() as u64, "node"),
            _ => String::new(),
        };
        vec![change_text::rename(change), count]
    })
}

/// Changes one by one, under the scopes that several of them share.
pub(super) fn rows(
    changes: &[ReportedChange<'_>],
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    for alike in changes.chunk_by(|a, b| Scope::of(a.change) == Scope::of(b.change)) {
        let scope =
            alike.first().map(|reported| Scope::of(reported.change).text()).unwrap_or_default();
        let is_grouped = alike.len() > 1 && !scope.is_empty();
        if is_grouped {
            let style = options.palette.faint;
            writeln!(out, "  {style}{}{style:#}", scope.trim_end())?;
        }
        grouped::write_table(alike, options, out, |change| {
            let rest = is_grouped.then(|| change_text::subject_in(change, &scope)).flatten();
            let name = rest.map(|rest| format!("  {rest}"));
            let name = name.unwrap_or_else(|| change_text::subject(change));
            vec![name, change_text::text(change)]
        })?;
    }
    Ok(())
}

/// The findings about each side.
pub(super) fn findings(
    diff: &Diff,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let findings = finding_lines(diff);
    if findings.is_empty() {
        return Ok(());
    }
    let n = number::count(findings.len() as u64);
    lines::heading(&format!("Findings ({n})"), options, out)?;
    let style = options.palette.bad;
    for text in findings.iter().take(options.max_rows) {
        writeln!(out, "  {style}{text}{style:#}")?;
    }
    let hidden = findings.len().saturating_sub(options.max_rows);
    lines::more(hidden as u64, "", "  ", Style::new(), out)
}

/// A line for each finding, with its side.
pub(in crate::report) fn finding_lines(diff: &Diff) -> Vec<String> {
    let mut findings = BTreeMap::<(&str, &str), Vec<&str>>::new();
    for finding in &diff.findings {
        let text = (&*finding.path, &*finding.problem);
        findings.entry(text).or_default().extend(finding.side.map(Side::name));
    }
    let line = |((path, problem), sides): ((&str, &str), Vec<&str>)| {
        let text = printable(&format!("{}: {}", short_of(path), short_of(problem)));
        match sides.as_slice() {
            [] => text,
            [side] => format!("{side}: {text}"),
            _ => format!("both: {text}"),
        }
    };
    findings.into_iter().map(line).collect()
}

/// One line for all cosmetic changes; on request also a line for each.
pub(super) fn cosmetic(
    diff: &Diff,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if options.verbosity == Verbosity::Everything {
        each_cosmetic(diff, options, out)?;
    }
    let (total, parts) = cosmetic_kinds(diff);
    if total == 0 {
        return Ok(());
    }
    let style = options.palette.faint;
    let start = format!("Cosmetic ({}): ", number::count(total));
    writeln!(out)?;
    for line in wrapped(&start, &parts) {
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

/// The number of cosmetic changes, and how many there are of each kind.
pub(in crate::report) fn cosmetic_kinds(diff: &Diff) -> (u64, Vec<String>) {
    let mut kinds = BTreeMap::<[&str; 2], u64>::new();
    for change in diff.changes.iter().filter(|change| change.weight == Weight::Cosmetic) {
        *kinds.entry(change_text::cosmetic_kind(change)).or_default() += 1;
    }
    let total: u64 = kinds.values().sum();
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|&([_, many], count)| (Reverse(count), many));
    let part = |([one, many], count): ([&str; 2], u64)| {
        format!("{} {}", number::count(count), if count == 1 { one } else { many })
    };
    (total, kinds.into_iter().map(part).collect())
}

/// A line for each cosmetic change.
fn each_cosmetic(diff: &Diff, options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut all: Vec<_> = diff.reported_of(Weight::Cosmetic).collect();
    if all.is_empty() {
        return Ok(());
    }
    change_text::sort(&mut all);
    let title = format!("Cosmetic changes ({})", number::count(all.len() as u64));
    lines::heading(&title, options, out)?;
    let shown = all.get(..options.max_rows.min(all.len())).unwrap_or_default();
    rows(shown, options, out)?;
    lines::more((all.len() - shown.len()) as u64, "change", "  ", Style::new(), out)
}
