//! The nodes of two graphs that save and restore.

use super::matching::Matching;
use super::renames::Renames;
use crate::diff::ChangeKind;
use crate::graph::{Action, Graph, Input, NodeId, SaveNode, SavedTensor, output_number, restored};
use crate::threads;

/// The save and restore nodes of two graphs.
#[derive(Debug)]
pub(in crate::diff) struct Savers {
    pub(in crate::diff) lhs: SaverSide,
    pub(in crate::diff) rhs: SaverSide,
}

/// The save and restore nodes of a graph.
#[derive(Debug)]
pub(in crate::diff) struct SaverSide {
    pub(in crate::diff) nodes: Vec<SaveNode>,
    /// Nodes that pass restored tensors on, sorted.
    restoring: Vec<NodeId>,
    /// Constants with the names of saved tensors, sorted.
    constants: Vec<NodeId>,
}

impl SaverSide {
    fn of(graph: &Graph<'_>) -> Self {
        let nodes = graph.save_nodes();
        let restoring = if nodes.is_empty() { Vec::new() } else { graph.restoring(&nodes) };
        let mut constants: Vec<_> =
            nodes.iter().flat_map(|node| node.constants.iter().copied()).collect();
        constants.sort_unstable();
        Self { nodes, restoring, constants }
    }

    /// The restored tensors, in order.
    fn restored(&self) -> impl Iterator<Item = &SavedTensor> {
        let restores = self.nodes.iter().filter(|node| node.action == Action::Restore);
        restores.flat_map(|node| node.tensors.iter().flatten())
    }

    /// The restored tensor that an input consumes, if known.
    fn brought(&self, input: &Input<'_>) -> Option<&SavedTensor> {
        restored(&self.nodes, input.source?, output_number(input)?)
    }

    /// Whether a node passes this input on to a variable, so that differences are reported by variable.
    fn passes_on(&self, graph: &Graph<'_>, id: NodeId, input: &Input<'_>) -> bool {
        self.restoring.binary_search(&id).is_ok() && graph.passed_on(id) == Some(input)
    }
}

impl Savers {
    pub(super) fn of(lhs: &Graph<'_>, rhs: &Graph<'_>, threads: usize) -> Self {
        let (lhs, rhs) = threads::both(threads, || SaverSide::of(lhs), || SaverSide::of(rhs));
        Self { lhs, rhs }
    }

    /// Exchanges the sides.
    pub(super) fn flip(&mut self) {
        std::mem::swap(&mut self.lhs, &mut self.rhs);
    }

    /// Whether the order of restored tensors differs, so that numbered names have another meaning.
    pub(super) fn is_reordered(&self, matching: &Matching<'_, '_>) -> bool {
        let in_rhs = |tensor: &SavedTensor| tensor.variable.and_then(|l| matching.to_rhs(l));
        let paired = |r: &NodeId| matching.to_lhs(*r).is_some();
        let lhs = self.lhs.restored().map(|l| (&l.key, &l.slice, in_rhs(l)));
        let rhs = self.rhs.restored().map(|r| (&r.key, &r.slice, r.variable.filter(paired)));
        !lhs.eq(rhs)
    }

    /// The nodes of each side that pass restored tensors on.
    pub(super) fn restoring(&self) -> (&[NodeId], &[NodeId]) {
        (&self.lhs.restoring, &self.rhs.restoring)
    }

    /// Whether unmatched nodes only restore; their tensors are reported by variable.
    pub(in crate::diff) fn only_restore(&self, ids: &[NodeId], kind: ChangeKind) -> bool {
        let side = if kind == ChangeKind::Added { &self.rhs } else { &self.lhs };
        side.nodes.iter().all(|node| node.tensors.is_some())
            && ids.iter().all(|id| side.restoring.binary_search(id).is_ok())
    }

    /// Whether a node of rhs passes a restored tensor on; such nodes have numbered names.
    pub(super) fn is_restoring(&self, r: NodeId) -> bool {
        self.rhs.restoring.binary_search(&r).is_ok()
    }

    /// Whether both nodes are constants with the names of saved tensors.
    pub(in crate::diff) fn are_keys(&self, l: NodeId, r: NodeId) -> bool {
        self.lhs.constants.binary_search(&l).is_ok() && self.rhs.constants.binary_search(&r).is_ok()
    }

    /// Whether two inputs from restore nodes consume the same tensor. Inputs that are passed on to a variable
    /// are reported by variable and count as equal. `None` if the tensors are unknown.
    pub(in crate::diff) fn bring_same(
        &self,
        matching: &Matching<'_, '_>,
        keys: &Renames,
        (l, r): (NodeId, NodeId),
        (lhs, rhs): (&Input<'_>, &Input<'_>),
    ) -> Option<bool> {
        if self.lhs.passes_on(matching.lhs, l, lhs) && self.rhs.passes_on(matching.rhs, r, rhs) {
            return Some(true);
        }
        let (a, b) = (self.lhs.brought(lhs)?, self.rhs.brought(rhs)?);
        let is_key = a.key == b.key || keys.is_rename(&a.key, &b.key);
        let is_node = lhs.source.and_then(|source| matching.to_rhs(source)) == rhs.source;
        Some(is_node && is_key && (&a.slice, a.dtype) == (&b.slice, b.dtype))
    }

    /// Whether both nodes save or restore known tensors.
    pub(in crate::diff) fn are_savers(&self, l: NodeId, r: NodeId) -> bool {
        let is = |nodes: &[SaveNode], id| {
            let found = nodes.binary_search_by_key(&id, |node| node.node).ok();
            found.and_then(|at| nodes.get(at)).is_some_and(|node| node.tensors.is_some())
        };
        is(&self.lhs.nodes, l) && is(&self.rhs.nodes, r)
    }
}
