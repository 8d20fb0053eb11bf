//! Groups of added or removed nodes that are connected.

use std::collections::BTreeMap;

use super::per_node::PerNode;
use crate::diff::{BoundaryChange, NodeGroup};
use crate::graph::{Graph, NodeId};

/// The maximum number of nested scopes of a name that are looked up; the length of names is up to the file.
pub(super) const MAX_SCOPES: usize = 64;

/// A partition of the unmatched nodes of one side.
#[derive(Debug)]
pub(super) struct NodeGroups {
    /// For each node, a node of its group closer to the first one; `None` for matched nodes.
    first: PerNode<Option<NodeId>>,
    /// The boundary changes of each group, by its first node.
    boundary: BTreeMap<NodeId, Vec<BoundaryChange>>,
}

impl NodeGroups {
    /// Groups of `left` that are connected by edges, or fill a whole scope.
    pub(super) fn of(graph: &Graph<'_>, left: &[NodeId]) -> Self {
        let mut first = PerNode::new(graph);
        left.iter().for_each(|&id| first.set(id, Some(id)));
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

    /// Joins the nodes of a scope whose nodes are all in `left`.
    fn join_scopes(&mut self, graph: &Graph<'_>, left: &[NodeId]) {
        let mut scopes = BTreeMap::<&str, Option<NodeId>>::new();
        for &id in left {
            scopes.extend(scopes_of(graph.node(id).name).map(|scope| (scope, Some(id))));
        }
        if scopes.is_empty() {
            return;
        }
        for (id, node) in graph.iter() {
            if self.first.get(id).is_some() {
                continue;
            }
            // A scope without unmatched nodes has no inner scopes with any.
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
        while let Some(up) = self.first.get(root) {
            if up == root {
                // Shorten the chain for the next lookup.
                let mut at = id;
                while at != root {
                    let next = self.first.get(at).unwrap_or(root);
                    self.first.set(at, Some(root));
                    at = next;
                }
                return Some(root);
            }
            root = up;
        }
        None
    }

    /// Adds a change that follows from the group of a node.
    pub(super) fn add_boundary(&mut self, id: NodeId, rewired: BoundaryChange) {
        if let Some(group) = self.of_node(id) {
            self.boundary.entry(group).or_default().push(rewired);
        }
    }

    /// The groups: their nodes and a description.
    pub(super) fn finish(mut self, graph: &Graph<'_>) -> Vec<(Vec<NodeId>, NodeGroup)> {
        let mut groups = BTreeMap::<NodeId, Vec<NodeId>>::new();
        for (id, _) in graph.iter() {
            if let Some(group) = self.of_node(id) {
                groups.entry(group).or_default().push(id);
            }
        }
        let mut boundary = self.boundary;
        let described = |(group, ids): (NodeId, Vec<NodeId>)| {
            let nodes = NodeGroup::of(graph, &ids, boundary.remove(&group).unwrap_or_default());
            (ids, nodes)
        };
        groups.into_iter().map(described).collect()
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        if let (Some(a), Some(b)) = (self.of_node(a), self.of_node(b)) {
            // The first node of both groups becomes the first.
            self.first.set(a.max(b), Some(a.min(b)));
        }
    }
}

/// The scopes of a name, the outermost first, up to a limit.
fn scopes_of(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').take(MAX_SCOPES).filter_map(|(at, _)| name.get(..at))
}

impl NodeGroup {
    /// A description of nodes of a graph.
    pub(super) fn of(graph: &Graph<'_>, ids: &[NodeId], boundary: Vec<BoundaryChange>) -> Self {
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
