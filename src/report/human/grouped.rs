//! What a change stands for: the equal edits that are reported with it, and what follows from it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::Style;

use crate::diff::{Change, Detail, ReportedChange};

use super::table::{Align, Table};
use super::terminal_text::{plural, printable, short_of, wrapped_to};
use super::{ReportOptions, change_text, number};

/// The maximum number of rows whose columns are aligned. More rows are not seen at once, and would be in memory at once.
const ALIGNED: usize = 4_096;

/// The maximum number of names of equal edits.
const NAMES: usize = 3;

/// Writes a table of changes, whose rows `cells` makes. Below each row, what the change stands for.
pub(super) fn write_table(
    changes: &[ReportedChange<'_>],
    options: &ReportOptions,
    out: &mut dyn Write,
    cells: impl Fn(&Change) -> Vec<String>,
) -> io::Result<()> {
    for part in changes.chunk_by(|a, _| !a.is_group()) {
        for aligned in part.chunks(ALIGNED) {
            let mut table = Table::new(&[Align::Left]);
            aligned.iter().for_each(|reported| table.push(Style::new(), cells(reported.change)));
            table.write_fitted(options.columns, out)?;
        }
        if let Some(last) = part.last() {
            write(*last, options, out)?;
        }
    }
    Ok(())
}

/// Writes what a change stands for, if that is more than itself.
pub(super) fn write(
    reported: ReportedChange<'_>,
    options: &ReportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let parts = parts(reported);
    if parts.is_empty() {
        return Ok(());
    }
    let style = options.palette.faint;
    for line in wrapped_to(options.width(), "      ", &parts, "; ") {
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

/// What a change stands for in one line; `None` if it stands for itself.
pub(in crate::report) fn text(reported: ReportedChange<'_>) -> Option<String> {
    let parts = parts(reported);
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The equal edits, and what follows from them; empty if a change stands for itself.
fn parts(reported: ReportedChange<'_>) -> Vec<String> {
    [members(reported), follows(reported)].into_iter().flatten().collect()
}

/// For example `106 FusedBatchNormV3: conv1/bn, conv2/bn, conv3/bn, …`.
fn members(reported: ReportedChange<'_>) -> Option<String> {
    if reported.count() < 2 {
        return None;
    }
    let functions: BTreeSet<_> =
        reported.members().filter_map(|change| change.path.key_in("function")).collect();
    let in_functions = match functions.len() {
        0 | 1 => String::new(),
        n => format!(" in {}", plural(n as u64, "function")),
    };
    let names: Vec<_> =
        names(reported).into_iter().map(|name| printable(&short_of(name))).collect();
    let more = if names.len() > NAMES { ", …" } else { "" };
    let names = names.get(..NAMES.min(names.len())).unwrap_or_default().join(", ");
    let names = if names.is_empty() { names } else { format!(": {names}{more}") };
    Some(format!("{}{in_functions}{names}", places(reported)))
}

/// The number of equal edits, by what they are of.
fn places(reported: ReportedChange<'_>) -> String {
    let ops: Option<BTreeSet<&str>> = reported
        .members()
        .map(|change| match &change.detail {
            Detail::Op(op) => Some(&**op),
            _ => None,
        })
        .collect();
    match ops.as_ref().and_then(|ops| ops.first().filter(|_| ops.len() == 1)) {
        Some(op) => format!("{} {}", number::count(reported.count()), printable(&short_of(op))),
        None => format!("{} places", number::count(reported.count())),
    }
}

/// The first names of the nodes, objects or functions that have the edit, and one more.
fn names(reported: ReportedChange<'_>) -> Vec<&str> {
    let mut names = Vec::new();
    for change in reported.members() {
        let path = &change.path;
        let lists = ["node_def", "node", "nodes", "saves", "restores", "function"];
        let named = lists.into_iter().find_map(|list| Some((list, path.key_in(list)?)));
        let name = named.map(|(list, name)| match list {
            "function" => change_text::without_prefix(name),
            _ => name,
        });
        names.extend(name.filter(|name| !names.contains(name)));
        if names.len() > NAMES {
            break;
        }
    }
    names
}

/// For example `24 changes follow`.
fn follows(reported: ReportedChange<'_>) -> Option<String> {
    match reported.follows().count() as u64 {
        0 => None,
        1 => Some("1 change follows".into()),
        n => Some(format!("{} changes follow", number::count(n))),
    }
}
