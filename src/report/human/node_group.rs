//! The text of a group of added or removed nodes: what they are, and what they are between.

use std::collections::BTreeSet;

use crate::diff::NodeGroup;

use super::number;
use super::terminal_text::{plural, printable, short_of};

/// The maximum number of ops or variables that are listed for a group.
const LISTED: usize = 4;

/// The maximum length of a title of several scopes, in bytes.
const TITLE: usize = 20;

/// The ops with the most nodes: `4 Const, 2 Mul, 3 more`.
pub(super) fn ops(mut ops: Vec<(String, u64)>) -> String {
    ops.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let mut parts: Vec<String> = ops
        .iter()
        .take(LISTED)
        .map(|(op, count)| format!("{} {}", number::count(*count), name_text(op)))
        .collect();
    let rest: u64 = ops.iter().skip(LISTED).map(|(_, count)| count).sum();
    if rest > 0 {
        parts.push(format!("{} more", number::count(rest)));
    }
    parts.join(", ")
}

fn name_text(op: &str) -> String {
    printable(&short_of(op))
}

/// What a group of nodes is: `Dense 20 → 20, 51 nodes between x and dense_1/MatMul: kernel [20, 20], bias [20]`, or
/// `2 nodes: 1 Mul, 1 Sub`.
pub(in crate::report) fn text(nodes: &NodeGroup) -> String {
    if let ([_], [(op, _)]) = (nodes.names.as_slice(), nodes.ops.as_slice()) {
        return name_text(op);
    }
    let count = plural(nodes.names.len() as u64, "node");
    let layer = nodes.layer.as_ref().map(|layer| format!("{}, ", name_text(layer)));
    let inside = listed(&nodes.variables).unwrap_or_else(|| ops(nodes.ops.clone()));
    format!("{}{count}{}: {inside}", layer.unwrap_or_default(), between(nodes))
}

/// The title of a group that is in several scopes: the outermost ones, as in `conv1/, bn1/, … (12 scopes)`. `None` if `key`, their
/// scope or the first node, says as much.
pub(super) fn title(nodes: &NodeGroup, key: &str) -> Option<String> {
    let is_inside = |name: &String| {
        name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if key.ends_with('/') || nodes.names.iter().all(is_inside) {
        return None;
    }
    let mut seen = BTreeSet::new();
    let scopes = nodes.names.iter().filter_map(|name| Some(name.split_once('/')?.0));
    let scopes: Vec<&str> = scopes.filter(|scope| seen.insert(*scope)).collect();
    if scopes.len() < 2 {
        return None;
    }
    let mut title = String::new();
    for (at, scope) in scopes.iter().enumerate() {
        let text = name_text(scope) + "/";
        if at > 0 && title.len() + text.len() > TITLE {
            return Some(format!("{title}, … ({} scopes)", number::count(scopes.len() as u64)));
        }
        title += if at > 0 { ", " } else { "" };
        title += &text;
    }
    Some(title)
}

/// The nodes that a group is between; the first of each side.
fn between(nodes: &NodeGroup) -> String {
    let first = |names: &[String]| names.first().map(|name| name_text(name));
    match (first(&nodes.inputs), first(&nodes.consumers)) {
        (Some(input), Some(consumer)) => format!(" between {input} and {consumer}"),
        (Some(input), None) => format!(" behind {input}"),
        (None, Some(consumer)) => format!(" in front of {consumer}"),
        (None, None) => String::new(),
    }
}

/// The first variables; `None` if there are none.
pub(super) fn listed(variables: &[String]) -> Option<String> {
    if variables.is_empty() {
        return None;
    }
    let more = if variables.len() > LISTED { ", …" } else { "" };
    let first: Vec<_> = variables.iter().take(LISTED).map(|name| name_text(name)).collect();
    Some(first.join(", ") + more)
}
