//! The order of names, in which the nodes of every scope are next to each other.

use std::cmp::Ordering;

use crate::graph::{Graph, Node, NodeId, NodeKind};

/// The nodes sorted by the parts of their names, so that the nodes of every scope are next to each other. The arguments of a
/// function are first, and its results last.
pub(super) fn by_name(graph: &Graph<'_>) -> Vec<NodeId> {
    let mut order: Vec<NodeId> = graph.iter().map(|(id, _)| id).collect();
    order.sort_by(|&a, &b| compare(graph.node(a), graph.node(b)).then(a.cmp(&b)));
    order
}

fn compare(a: &Node<'_>, b: &Node<'_>) -> Ordering {
    let rank = |node: &Node<'_>| match node.kind {
        NodeKind::Node => (node.kind.rank(), 0),
        NodeKind::Argument(at) | NodeKind::Result(at) | NodeKind::ControlResult(at) => {
            (node.kind.rank(), at)
        }
    };
    rank(a).cmp(&rank(b)).then_with(|| a.name.split('/').cmp(b.name.split('/')))
}

/// The part of a name after that of a scope of this length; the whole name outside of scopes. `None` for a node that has the name of
/// the scope itself.
pub(super) fn below(name: &str, scope: Option<usize>) -> Option<&str> {
    match scope {
        None => Some(name),
        Some(len) => name.get(len + 1..),
    }
}
