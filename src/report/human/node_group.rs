//! The text of a group of added or removed nodes: what they are, and what they are between.

use crate::diff::NodeGroup;

use super::number;
use super::terminal_text::{plural, printable, short_of};

/// The maximum number of ops or variables that are listed for a group.
const LISTED: usize = 4;

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

/// What a group of nodes is: `51 nodes between x and dense_1/MatMul: kernel [20, 20], bias [20]`, or `2 nodes: 1 Mul, 1 Sub`.
pub(in crate::report) fn text(nodes: &NodeGroup) -> String {
    if let ([_], [(op, _)]) = (nodes.names.as_slice(), nodes.ops.as_slice()) {
        return name_text(op);
    }
    let count = plural(nodes.names.len() as u64, "node");
    let inside = match nodes.variables.as_slice() {
        [] => ops(nodes.ops.clone()),
        variables => listed(variables),
    };
    format!("{count}{}: {inside}", between(nodes))
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

/// The first variables.
pub(super) fn listed(variables: &[String]) -> String {
    let more = if variables.len() > LISTED { ", …" } else { "" };
    let first: Vec<_> = variables.iter().take(LISTED).map(|name| name_text(name)).collect();
    first.join(", ") + more
}
