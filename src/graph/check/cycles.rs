//! Finds cycles in a directed graph.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// The groups of vertices that reach each other, including vertices with an edge to themselves. Groups are sorted, and ordered by
/// their first vertex.
///
/// `edges` are pairs of vertices below `len`.
pub(super) fn cycles(len: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), (), usize>::with_capacity(len, edges.len());
    for _ in 0..len {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(*from), NodeIndex::new(*to), ());
    }
    let mut found = Vec::new();
    for group in kosaraju_scc(&graph) {
        if group.len() > 1 || group.iter().any(|vertex| graph.contains_edge(*vertex, *vertex)) {
            let mut group: Vec<_> = group.into_iter().map(NodeIndex::index).collect();
            group.sort_unstable();
            found.push(group);
        }
    }
    found.sort_unstable();
    found
}
