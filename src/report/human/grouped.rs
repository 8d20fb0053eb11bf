//! What a change stands for: the equal edits that are reported with it, and what follows from it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::Style;

use crate::diff::{Change, ChangeKind, Detail, ReportedChange};

use super::change_text::node;
use super::table::{Align, Table};
use super::terminal_text::{plural, printable, short_of, wrapped_to};
use super::{ReportOptions, change_text, node_group, number};

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

/// Writes the equal edits and the consequences of a change, if there are any.
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

/// The equal edits, what replaces the nodes of a change, and the number of changes that follow; empty if a change stands for itself.
fn parts(reported: ReportedChange<'_>) -> Vec<String> {
    [members(reported), replacement(reported), follows(reported)].into_iter().flatten().collect()
}

/// For example `106 FusedBatchNormV3: conv1/bn, conv2/bn, conv3/bn, …`.
fn members(reported: ReportedChange<'_>) -> Option<String> {
    if reported.count() < 2 {
        return None;
    }
    let functions: BTreeSet<_> =
        reported.members().filter_map(|change| change.path.key_in("function")).collect();
    let inside = match functions.len() {
        0 => only_scope(reported).map(|scope| format!(" in {scope}/")).unwrap_or_default(),
        1 => String::new(),
        n => format!(" in {}", plural(n as u64, "function")),
    };
    let renames = renames(reported);
    let names = match renames.is_empty() {
        true => names(reported).into_iter().map(|name| printable(&short_of(name))).collect(),
        false => renames,
    };
    let more = if names.len() > NAMES { ", …" } else { "" };
    let names = names.get(..NAMES.min(names.len())).unwrap_or_default().join(", ");
    let names = if names.is_empty() { names } else { format!(": {names}{more}") };
    Some(format!("{}{inside}{names}", places(reported)))
}

/// The number of equal edits, with their op if all have one; of renames, the number of nodes.
fn places(reported: ReportedChange<'_>) -> String {
    let (mut ops, mut nodes) = (BTreeSet::new(), BTreeSet::new());
    let (mut renamed, mut are_alone) = (0, true);
    for change in reported.members() {
        ops.insert(match &change.detail {
            Detail::Op(op) => Some(&**op),
            _ => None,
        });
        nodes.insert(node(change).map(|node| (change.path.key_in("function"), node)));
        if let Detail::Nodes(nodes) = &change.detail {
            are_alone &= nodes.names.len() == 1;
            renamed += nodes.names.len() * usize::from(change.kind == ChangeKind::Renamed);
        }
    }
    let count = reported.count();
    let only_op = ops.first().copied().flatten().filter(|_| ops.len() == 1);
    let noun = match only_op {
        _ if renamed > 0 => return plural(renamed as u64, "node"),
        Some(op) => printable(&short_of(op)),
        None if !are_alone => "groups of nodes".into(),
        None if nodes.len() as u64 == count && !nodes.contains(&None) => "nodes".into(),
        None => "places".into(),
    };
    format!("{} {noun}", number::count(count))
}

/// The outermost scope that all nodes are in.
fn only_scope(reported: ReportedChange<'_>) -> Option<String> {
    let scopes = reported.members().map(|change| Some(node(change)?.split_once('/')?.0));
    let scopes: Option<BTreeSet<&str>> = scopes.collect();
    let only = scopes?.into_iter().reduce(|_, _| "").filter(|scope| !scope.is_empty());
    only.map(|scope| printable(&short_of(scope)))
}

/// The first renames of scopes, and one more: `dense → dense_1`. Empty for other changes.
fn renames(reported: ReportedChange<'_>) -> Vec<String> {
    let mut renames = Vec::new();
    let members = reported.members().filter(|change| {
        change.kind == ChangeKind::Renamed && matches!(change.detail, Detail::Nodes(_))
    });
    for (from, to) in members.filter_map(|c| c.lhs.as_deref().zip(c.rhs.as_deref())) {
        let shared = from.char_indices().zip(to.chars()).take_while(|((_, a), b)| a == b);
        let scope = shared.filter(|((_, c), _)| *c == '/').last().map_or(0, |((at, _), _)| at + 1);
        let name = |text: &str| printable(&short_of(text.get(scope..).unwrap_or(text)));
        let rename = format!("{} → {}", name(from), name(to));
        if !renames.contains(&rename) {
            renames.push(rename);
        }
        if renames.len() > NAMES {
            break;
        }
    }
    renames
}

/// The nodes that came where others went, or the other way round: `replaced by dense/Elu, Elu`. Both have a neighbor in common.
fn replacement(reported: ReportedChange<'_>) -> Option<String> {
    let Detail::Nodes(own) = &reported.change.detail else { return None };
    let (other, verb) = match reported.change.kind {
        ChangeKind::Removed => (ChangeKind::Added, "replaced by"),
        ChangeKind::Added => (ChangeKind::Removed, "replaces"),
        _ => return None,
    };
    let are_alike = |a: &[String], b: &[String]| a.iter().any(|name| b.contains(name));
    reported.follows().filter(|change| change.kind == other).find_map(|change| {
        match &change.detail {
            Detail::Nodes(nodes)
                if are_alike(&own.inputs, &nodes.inputs)
                    || are_alike(&own.consumers, &nodes.consumers) =>
            {
                let name = printable(&short_of(node(change)?));
                Some(format!("{verb} {name}, {}", node_group::text(nodes)))
            }
            _ => None,
        }
    })
}

/// The first names of the nodes, objects or functions that have the edit, and one more.
fn names(reported: ReportedChange<'_>) -> Vec<&str> {
    let mut names = Vec::new();
    for change in reported.members() {
        let path = &change.path;
        let lists = ["nodes", "saves", "restores"];
        let name = node(change).or_else(|| lists.into_iter().find_map(|list| path.key_in(list)));
        let function = || path.key_in("function").map(change_text::without_prefix);
        let name = name.or_else(function);
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
