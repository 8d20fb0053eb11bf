//! Nodes that came or went together: parts of a graph that hang together.

use std::collections::BTreeMap;

use crate::diff::{Nodes, Rewired};
use crate::graph::{Graph, NodeId};

/// Scopes in each other that are looked at; names are as long as a file wants.
pub(super) const MOST_SCOPES: usize = 64;

/// Which of the nodes without a partner belong together.
#[derive(Debug)]
pub(super) struct Groups {
    /// For each node of the graph the first of its group; `None` for nodes with a partner.
    first: Vec<Option<NodeId>>,
    /// The inputs at the border of each group that changed with it.
    boundary: BTreeMap<NodeId, Vec<Rewired>>,
}

impl Groups {
    /// Groups of `left`, which are connected by edges among them, or are all that is in a scope.
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
        groups.join_scopes(graph, left);
        groups
    }

    /// Joins what is in one scope, where all of it is in `left`.
    fn join_scopes(&mut self, graph: &Graph<'_>, left: &[NodeId]) {
        let mut scopes = BTreeMap::<&str, Option<NodeId>>::new();
        for &id in left {
            scopes.extend(scopes_of(graph.node(id).name).map(|scope| (scope, Some(id))));
        }
        if scopes.is_empty() {
            return;
        }
        for (id, node) in graph.iter() {
            if self.first.get(id.position()) != Some(&None) {
                continue;
            }
            // Of a scope that is not known, none inside is.
            for scope in scopes_of(node.name) {
                let Some(first) = scopes.get_mut(scope) else { break };
                *first = None;
            }
        }
        for &id in left {
            let outermost = scopes_of(graph.node(id).name).find_map(|scope| *scopes.get(scope)?);
            if let Some(first) = outermost {
                self.join(id, first);
            }
        }
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

/// The scopes that a name is in, the outermost first; as many as a person would nest.
fn scopes_of(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').take(MOST_SCOPES).filter_map(|(at, _)| name.get(..at))
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
