//! Nodes that came or went together: parts of a graph that hang together.

use std::collections::BTreeMap;

use crate::diff::{Nodes, Rewired};
use crate::graph::{Graph, NodeId};

/// Which of the nodes without a partner belong together.
#[derive(Debug)]
pub(super) struct Groups {
    /// For each node of the graph the first of its group; `None` for nodes with a partner.
    first: Vec<Option<NodeId>>,
    /// The inputs at the border of each group that changed with it.
    boundary: BTreeMap<NodeId, Vec<Rewired>>,
}

impl Groups {
    /// Groups of `left`, which are connected by edges among them.
    pub(super) fn of(graph: &Graph<'_>, left: &[NodeId]) -> Self {
        let mut first = vec![None; graph.nodes().len()];
        for &id in left {
            if let Some(slot) = first.get_mut(id.position()) {
                *slot = Some(id);
            }
        }
        let mut groups = Self { first, boundary: BTreeMap::new() };
        for &id in left {
            for input in graph.inputs(graph.node(id)) {
                if let Some(source) = input.source {
                    groups.join(id, source);
                }
            }
        }
        groups
    }

    /// The first node of the group that a node is in.
    pub(super) fn of_node(&mut self, id: NodeId) -> Option<NodeId> {
        let mut root = id;
        while let Some(&Some(up)) = self.first.get(root.position()) {
            if up == root {
                // The way is shorter next time.
                let mut at = id;
                while at != root {
                    let Some(slot) = self.first.get_mut(at.position()) else { break };
                    at = slot.replace(root).unwrap_or(root);
                }
                return Some(root);
            }
            root = up;
        }
        None
    }

    /// Notes an input that changed because this group came or went.
    pub(super) fn border(&mut self, id: NodeId, rewired: Rewired) {
        if let Some(group) = self.of_node(id) {
            self.boundary.entry(group).or_default().push(rewired);
        }
    }

    /// Every group: the numbers of its nodes, and what there is to tell of them.
    pub(super) fn finish(mut self, graph: &Graph<'_>) -> Vec<(Vec<NodeId>, Nodes)> {
        let mut groups = BTreeMap::<NodeId, Vec<NodeId>>::new();
        for (id, _) in graph.iter() {
            if let Some(group) = self.of_node(id) {
                groups.entry(group).or_default().push(id);
            }
        }
        let mut boundary = self.boundary;
        let described = |(group, ids): (NodeId, Vec<NodeId>)| {
            let nodes = Nodes::of(graph, &ids, boundary.remove(&group).unwrap_or_default());
            (ids, nodes)
        };
        groups.into_iter().map(described).collect()
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        if let (Some(a), Some(b)) = (self.of_node(a), self.of_node(b)) {
            // The first of both stays the first.
            if let Some(slot) = self.first.get_mut(a.max(b).position()) {
                *slot = Some(a.min(b));
            }
        }
    }
}

impl Nodes {
    /// What there is to tell of some nodes of a graph.
    pub(super) fn of(graph: &Graph<'_>, ids: &[NodeId], boundary: Vec<Rewired>) -> Self {
        let mut ops = BTreeMap::<&str, u64>::new();
        for &id in ids {
            *ops.entry(graph.node(id).op).or_default() += 1;
        }
        let mut ops: Vec<_> = ops.into_iter().map(|(op, nodes)| (op.to_owned(), nodes)).collect();
        ops.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        let names = ids.iter().map(|&id| graph.node(id).name.to_owned()).collect();
        Self { names, ops, boundary }
    }
}
