//! The matched nodes of two graphs.

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::numbers::family;
use super::per_node::PerNode;
use super::sequence;
use crate::diff::join::join;
use crate::graph::{Graph, Input, Node, NodeId, NodeKind};

/// Two graphs and their matched nodes.
#[derive(Debug)]
pub(in crate::diff) struct Matching<'g, 'm> {
    /// The baseline.
    pub(in crate::diff) lhs: &'g Graph<'m>,
    /// The other.
    pub(in crate::diff) rhs: &'g Graph<'m>,
    to_rhs: PerNode<Option<NodeId>>,
    to_lhs: PerNode<Option<NodeId>>,
    /// For each node of rhs, whether its partner has another name. Looking names up each time would be slow,
    /// since they are far apart in memory.
    is_renamed: PerNode<bool>,
    /// The arguments of each side, if their numbers differ: one that came or went moves those behind it.
    moved_arguments: [Vec<NodeId>; 2],
}

impl<'g, 'm> Matching<'g, 'm> {
    /// Pairs nodes by name, and results of functions by position; arguments too, unless one came or went.
    pub(super) fn by_name(lhs: &'g Graph<'m>, rhs: &'g Graph<'m>) -> Self {
        let mut found = Self::of_borders(lhs, rhs);
        found.pair_names(|_, _| true);
        found
    }

    /// Pairs results of functions by position, also arguments unless one came or went, and nothing else.
    pub(super) fn of_borders(lhs: &'g Graph<'m>, rhs: &'g Graph<'m>) -> Self {
        let (to_rhs, to_lhs) = (PerNode::new(lhs), PerNode::new(rhs));
        let is_renamed = PerNode::new(rhs);
        let moved_arguments = Default::default();
        let mut found = Self { lhs, rhs, to_rhs, to_lhs, is_renamed, moved_arguments };
        found.pair_borders();
        found
    }

    /// Pairs the unmatched nodes of equal names that `may_be_one` allows.
    pub(super) fn pair_names(&mut self, may_be_one: impl Fn(NodeId, NodeId) -> bool) {
        let (lhs, rhs) = (self.lhs, self.rhs);
        let is_first = |l, name| lhs.duplicates().is_empty() || lhs.find(name) == Some(l);
        let mut next = 0;
        for (l, node) in lhs.iter().filter(|(_, node)| is_named(node.kind)) {
            // In most comparisons the nodes have the same order.
            if self.to_rhs(l).is_none()
                && is_first(l, node.name)
                && let Some(r) = rhs.find_among(next..next + 1, node.name)
                && discriminant(&rhs.node(r).kind) == discriminant(&node.kind)
                && self.to_lhs(r).is_none()
                && may_be_one(l, r)
            {
                self.pair(l, r);
                next = r.position() + 1;
            }
        }
        self.pair_duplicates();
        self.pair_arguments();
    }

    /// Pairs the other arguments in their order, whatever the numbers in their names.
    fn pair_arguments(&mut self) {
        let unmatched = |ids: &[NodeId], partners: &PerNode<Option<NodeId>>, graph: &Graph<'_>| {
            let ids = ids.iter().copied().filter(|&id| partners.get(id).is_none());
            let ids: Vec<_> = ids.collect();
            let families: Vec<_> = ids.iter().map(|&id| family(graph.node(id))).collect();
            (ids, families)
        };
        let [l, r] = &self.moved_arguments;
        let (l, of_lhs) = unmatched(l, &self.to_rhs, self.lhs);
        let (r, of_rhs) = unmatched(r, &self.to_lhs, self.rhs);
        for (x, y) in sequence::align(&of_lhs, &of_rhs) {
            if let (Some(&l), Some(&r)) = (l.get(x), r.get(y)) {
                self.pair(l, r);
            }
        }
    }

    /// The matching with the sides exchanged.
    pub(super) fn flipped(self) -> Self {
        let Self { lhs, rhs, to_rhs, to_lhs, moved_arguments: [of_lhs, of_rhs], .. } = self;
        let mut is_renamed = PerNode::new(lhs);
        for (l, node) in lhs.iter() {
            if let Some(r) = to_rhs.get(l) {
                is_renamed.set(l, node.name != rhs.node(r).name);
            }
        }
        let moved_arguments = [of_rhs, of_lhs];
        Self { lhs: rhs, rhs: lhs, to_rhs: to_lhs, to_lhs: to_rhs, is_renamed, moved_arguments }
    }

    /// Pairs arguments and results of functions.
    fn pair_borders(&mut self) {
        let borders = |graph: &Graph<'_>| {
            let mut borders: Vec<_> = graph
                .iter()
                .filter(|(_, node)| node.kind != NodeKind::Node)
                .map(|(id, node)| (node.kind, id))
                .collect();
            borders.sort_unstable();
            borders
        };
        let (lhs, rhs) = (borders(self.lhs), borders(self.rhs));
        let arguments = |borders: &[(NodeKind, NodeId)]| -> Vec<NodeId> {
            let is_argument = |kind: &NodeKind| matches!(kind, NodeKind::Argument(_));
            borders.iter().filter(|(kind, _)| is_argument(kind)).map(|(_, id)| *id).collect()
        };
        let both = [arguments(&lhs), arguments(&rhs)];
        let have_moved = both[0].len() != both[1].len();
        if have_moved {
            self.moved_arguments = both;
        }
        let mut control_results = BTreeMap::new();
        for (kind, r) in &rhs {
            if let NodeKind::ControlResult(_) = kind {
                control_results.entry(self.rhs.node(*r).name).or_insert(*r);
            }
        }
        for (kind, l) in lhs {
            let same = match kind {
                // Control results have only a name.
                NodeKind::ControlResult(_) => control_results.get(self.lhs.node(l).name).copied(),
                NodeKind::Argument(_) if have_moved => None,
                _ => {
                    let at = rhs.binary_search_by_key(&kind, |&(kind, _)| kind).ok();
                    at.and_then(|at| rhs.get(at)).map(|&(_, r)| r)
                }
            };
            if let Some(r) = same {
                self.pair(l, r);
            }
        }
    }

    /// Pairs nodes with duplicate names in order: the second with the second, and so on.
    fn pair_duplicates(&mut self) {
        let sorted = |graph: &Graph<'m>| {
            let mut ids: Vec<_> =
                graph.duplicates().iter().map(|&id| (graph.node(id).name, id)).collect();
            ids.sort_unstable();
            ids
        };
        let (lhs, rhs) = (sorted(self.lhs), sorted(self.rhs));
        for pair in join(lhs, rhs, |(l, _), (r, _)| l.cmp(r)) {
            if let (Some((_, l)), Some((_, r))) = pair
                && self.to_rhs(l).is_none()
                && self.to_lhs(r).is_none()
            {
                self.pair(l, r);
            }
        }
    }

    /// Pairs two nodes.
    pub(super) fn pair(&mut self, l: NodeId, r: NodeId) {
        self.to_rhs.set(l, Some(r));
        self.to_lhs.set(r, Some(l));
        self.is_renamed.set(r, self.lhs.node(l).name != self.rhs.node(r).name);
    }

    /// Pairs the sources of the inputs of two nodes that have no partners and may be one.
    pub(super) fn pair_sources(
        &mut self,
        l: NodeId,
        r: NodeId,
        may_be_one: impl Fn(&Node<'_>, &Node<'_>) -> bool,
    ) {
        let (lhs, rhs) = self.inputs(l, r);
        for (a, b) in lhs.iter().zip(rhs) {
            if let (Some(a), Some(b)) = (a.source, b.source)
                && self.are_free(a, b)
                && may_be_one(self.lhs.node(a), self.rhs.node(b))
            {
                self.pair(a, b);
            }
        }
    }

    /// Whether neither of two nodes has a partner.
    pub(super) fn are_free(&self, l: NodeId, r: NodeId) -> bool {
        self.to_rhs(l).is_none() && self.to_lhs(r).is_none()
    }

    /// Separates a node of lhs from its partner.
    pub(super) fn unpair(&mut self, l: NodeId) {
        if let Some(r) = self.to_rhs.get(l) {
            self.to_rhs.set(l, None);
            self.to_lhs.set(r, None);
        }
    }

    /// The inputs of a node of each side.
    pub(in crate::diff) fn inputs(
        &self,
        l: NodeId,
        r: NodeId,
    ) -> (&'g [Input<'m>], &'g [Input<'m>]) {
        (self.lhs.inputs_of(l), self.rhs.inputs_of(r))
    }

    /// The partner of a node of lhs.
    pub(in crate::diff) fn to_rhs(&self, l: NodeId) -> Option<NodeId> {
        self.to_rhs.get(l)
    }

    /// The partner of a node of rhs.
    pub(in crate::diff) fn to_lhs(&self, r: NodeId) -> Option<NodeId> {
        self.to_lhs.get(r)
    }

    /// Every pair, in the order of rhs.
    pub(in crate::diff) fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.rhs.iter().filter_map(|(r, _)| Some((self.to_lhs(r)?, r)))
    }

    /// The pairs with different names, in the order of rhs.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.pairs().filter(|&(_, r)| self.is_renamed.get(r))
    }

    /// The pairs with equal names, in the order of rhs.
    pub(super) fn same_names(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.pairs().filter(|&(_, r)| !self.is_renamed.get(r))
    }

    /// The unmatched nodes of lhs.
    pub(in crate::diff) fn unmatched_in_lhs(&self) -> Vec<NodeId> {
        self.lhs.iter().map(|(id, _)| id).filter(|&id| self.to_rhs(id).is_none()).collect()
    }

    /// The unmatched nodes of rhs.
    pub(in crate::diff) fn unmatched_in_rhs(&self) -> Vec<NodeId> {
        self.rhs.iter().map(|(id, _)| id).filter(|&id| self.to_lhs(id).is_none()).collect()
    }

    /// Whether a data input of a node of lhs comes from a matched node. Restored tensors say nothing about
    /// their consumers and do not count.
    pub(super) fn has_paired_source(&self, l: NodeId) -> bool {
        let inputs = self.lhs.inputs(self.lhs.node(l)).iter();
        let data = inputs.filter(|input| !input.is_control && !self.lhs.is_restored(input));
        data.filter_map(|input| input.source).any(|source| self.to_rhs(source).is_some())
    }

    /// Whether there may be renamed nodes: both sides have unmatched ones.
    pub(super) fn may_have_renames(&self) -> bool {
        self.lhs.iter().any(|(l, _)| self.to_rhs(l).is_none())
            && self.rhs.iter().any(|(r, _)| self.to_lhs(r).is_none())
    }
}

/// Whether names tell nodes of this kind apart; results only have positions.
fn is_named(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Node | NodeKind::Argument(_))
}
