//! Groups of added or removed nodes that are connected.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;

use crate::diff::matching::graph::{MAX_SCOPES, PerNode};
use crate::diff::{BoundaryChange, NodeGroup};
use crate::graph::{Graph, NodeId};

/// Added and removed nodes, with the changes that follow from them.
#[derive(Debug)]
pub(super) struct ChangedGroups {
    /// Nodes that only lhs has.
    pub(super) removed: NodeGroups,
    /// Nodes that only rhs has.
    pub(super) added: NodeGroups,
}

/// A partition of the unmatched nodes of one side.
#[derive(Debug)]
pub(super) struct NodeGroups {
    is_unmatched: PerNode<bool>,
    /// The groups; each matched node is alone.
    sets: UnionFind<usize>,
    /// The boundary changes of each group, by its number.
    boundary: BTreeMap<usize, Vec<BoundaryChange>>,
}

impl NodeGroups {
    /// Groups of `unmatched` that are connected by edges, or fill a whole scope.
    pub(super) fn of(graph: &Graph<'_>, unmatched: &[NodeId]) -> Self {
        let mut is_unmatched = PerNode::new(graph);
        unmatched.iter().for_each(|&id| is_unmatched.set(id, true));
        let sets = UnionFind::new(graph.nodes().len());
        let mut groups = Self { is_unmatched, sets, boundary: BTreeMap::new() };
        for &id in unmatched {
            for input in graph.inputs_of(id) {
                if let Some(source) = input.source {
                    groups.join(id, source);
                }
            }
        }
        groups.join_scopes(graph, unmatched);
        groups
    }

    /// Joins the nodes of a scope whose nodes are all in `unmatched`.
    fn join_scopes(&mut self, graph: &Graph<'_>, unmatched: &[NodeId]) {
        let mut scopes = BTreeMap::<&str, Option<NodeId>>::new();
        for &id in unmatched {
            scopes.extend(scopes_of(graph.node(id).name).map(|scope| (scope, Some(id))));
        }
        if scopes.is_empty() {
            return;
        }
        for (id, node) in graph.iter() {
            if self.is_unmatched.get(id) {
                continue;
            }
            // A scope without unmatched nodes has no inner scopes with any.
            for scope in scopes_of(node.name) {
                let Some(first) = scopes.get_mut(scope) else { break };
                *first = None;
            }
        }
        for &id in unmatched {
            let outermost = scopes_of(graph.node(id).name).find_map(|scope| *scopes.get(scope)?);
            if let Some(first) = outermost {
                self.join(id, first);
            }
        }
    }

    /// The number of the group that a node is in; `None` for matched nodes.
    fn number(&mut self, id: NodeId) -> Option<usize> {
        if self.is_unmatched.get(id) { self.sets.try_find_mut(id.position()) } else { None }
    }

    /// Adds a change that follows from the group of a node.
    pub(super) fn add_boundary(&mut self, id: NodeId, rewired: BoundaryChange) {
        if let Some(group) = self.number(id) {
            self.boundary.entry(group).or_default().push(rewired);
        }
    }

    /// The groups in the order of their first nodes: their nodes and a description.
    pub(super) fn finish(mut self, graph: &Graph<'_>) -> Vec<(Vec<NodeId>, NodeGroup)> {
        let mut groups = BTreeMap::<usize, Vec<NodeId>>::new();
        for (id, _) in graph.iter() {
            if let Some(group) = self.number(id) {
                groups.entry(group).or_default().push(id);
            }
        }
        let mut boundary = self.boundary;
        let described = |(group, ids): (usize, Vec<NodeId>)| {
            let nodes = NodeGroup::of(graph, &ids, boundary.remove(&group).unwrap_or_default());
            (ids, nodes)
        };
        let mut groups: Vec<_> = groups.into_iter().map(described).collect();
        groups.sort_by_key(|(ids, _)| ids.first().copied());
        groups
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        if let (Some(a), Some(b)) = (self.number(a), self.number(b)) {
            self.sets.union(a, b);
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
        Self { names, ops, boundary, ..Self::default() }
    }
}
