//! Which node of lhs is which node of rhs.

use std::collections::BTreeMap;

use crate::graph::{Graph, NodeId, Role};

/// Two graphs, and the pairs of nodes that are the same one.
#[derive(Debug)]
pub(super) struct Matching<'g, 'm> {
    /// The baseline.
    pub(super) lhs: &'g Graph<'m>,
    /// The other.
    pub(super) rhs: &'g Graph<'m>,
    to_rhs: Partners,
    to_lhs: Partners,
    /// Of each node of rhs, whether its partner has another name: what is asked often, and names lie far apart in memory.
    is_renamed: Vec<bool>,
}

/// The partner of each node of one side, on the other.
#[derive(Debug)]
pub(super) struct Partners(Vec<Option<NodeId>>);

impl Partners {
    /// The partner of a node.
    pub(super) fn of(&self, id: NodeId) -> Option<NodeId> {
        self.0.get(id.position()).copied().flatten()
    }

    fn clear(&mut self, id: NodeId) {
        if let Some(slot) = self.0.get_mut(id.position()) {
            *slot = None;
        }
    }

    fn set(&mut self, id: NodeId, partner: NodeId) {
        if let Some(slot) = self.0.get_mut(id.position()) {
            *slot = Some(partner);
        }
    }
}

impl<'g, 'm> Matching<'g, 'm> {
    /// Pairs nodes of one name, and the arguments and results of a function by their place.
    pub(super) fn by_name(lhs: &'g Graph<'m>, rhs: &'g Graph<'m>) -> Self {
        let none = |graph: &Graph<'_>| Partners(vec![None; graph.nodes().len()]);
        let (to_rhs, to_lhs) = (none(lhs), none(rhs));
        let is_renamed = vec![false; rhs.nodes().len()];
        let mut found = Self { lhs, rhs, to_rhs, to_lhs, is_renamed };
        let is_first = |l, name| lhs.duplicates().is_empty() || lhs.find(name) == Some(l);
        let mut next = 0;
        for (l, node) in lhs.iter().filter(|(_, node)| node.role == Role::Node) {
            // Most graphs that are compared have their nodes in one order.
            if is_first(l, node.name)
                && let Some(r) = rhs.find_near(next..next + 1, node.name)
                && rhs.node(r).role == Role::Node
            {
                found.pair(l, r);
                next = r.position() + 1;
            }
        }
        found.pair_borders();
        found.pair_duplicates();
        found
    }

    /// Pairs arguments and results of functions.
    fn pair_borders(&mut self) {
        let borders = |graph: &Graph<'_>| {
            let mut borders: Vec<_> = graph
                .iter()
                .filter(|(_, node)| node.role != Role::Node)
                .map(|(id, node)| (node.role, id))
                .collect();
            borders.sort_unstable();
            borders
        };
        let rhs = borders(self.rhs);
        let mut control_results = BTreeMap::new();
        for (role, r) in &rhs {
            if let Role::ControlResult(_) = role {
                control_results.entry(self.rhs.node(*r).name).or_insert(*r);
            }
        }
        for (role, l) in borders(self.lhs) {
            let same = match role {
                // Their names are all that they have.
                Role::ControlResult(_) => control_results.get(self.lhs.node(l).name).copied(),
                _ => {
                    let at = rhs.binary_search_by_key(&role, |&(role, _)| role).ok();
                    at.and_then(|at| rhs.get(at)).map(|&(_, r)| r)
                }
            };
            if let Some(r) = same {
                self.pair(l, r);
            }
        }
    }

    /// Pairs the nodes whose name an earlier one has: the second of a name with the second, and so on.
    fn pair_duplicates(&mut self) {
        let sorted = |graph: &Graph<'m>| {
            let mut ids: Vec<_> =
                graph.duplicates().iter().map(|&id| (graph.node(id).name, id)).collect();
            ids.sort_unstable();
            ids
        };
        let (lhs, rhs) = (sorted(self.lhs), sorted(self.rhs));
        let mut others = rhs.iter().peekable();
        for (name, l) in lhs {
            while others.next_if(|(other, _)| *other < name).is_some() {}
            if let Some(&(_, r)) = others.next_if(|(other, _)| *other == name) {
                self.pair(l, r);
            }
        }
    }

    /// Makes the two one.
    pub(super) fn pair(&mut self, l: NodeId, r: NodeId) {
        self.to_rhs.set(l, r);
        self.to_lhs.set(r, l);
        if let Some(is_renamed) = self.is_renamed.get_mut(r.position()) {
            *is_renamed = self.lhs.node(l).name != self.rhs.node(r).name;
        }
    }

    /// Makes the pair that a node of lhs is in two again.
    pub(super) fn part(&mut self, l: NodeId) {
        if let Some(r) = self.to_rhs.of(l) {
            self.to_rhs.clear(l);
            self.to_lhs.clear(r);
        }
    }

    /// The node of rhs that a node of lhs is.
    pub(super) fn to_rhs(&self, l: NodeId) -> Option<NodeId> {
        self.to_rhs.of(l)
    }

    /// The node of lhs that a node of rhs is.
    pub(super) fn to_lhs(&self, r: NodeId) -> Option<NodeId> {
        self.to_lhs.of(r)
    }

    /// Every pair, in the order of rhs.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.rhs.iter().filter_map(|(r, _)| Some((self.to_lhs(r)?, r)))
    }

    /// The pairs of unequal names, in the order of rhs.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.pairs().filter(|&(_, r)| self.is_renamed(r))
    }

    /// The pairs of one name, in the order of rhs.
    pub(super) fn same_names(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.pairs().filter(|&(_, r)| !self.is_renamed(r))
    }

    fn is_renamed(&self, r: NodeId) -> bool {
        self.is_renamed.get(r.position()) == Some(&true)
    }

    /// The nodes of lhs without a partner.
    pub(super) fn left_in_lhs(&self) -> Vec<NodeId> {
        self.lhs.iter().map(|(id, _)| id).filter(|&id| self.to_rhs(id).is_none()).collect()
    }

    /// The nodes of rhs without a partner.
    pub(super) fn left_in_rhs(&self) -> Vec<NodeId> {
        self.rhs.iter().map(|(id, _)| id).filter(|&id| self.to_lhs(id).is_none()).collect()
    }

    /// Whether a node of lhs takes data from a node that has a partner; what is restored says nothing of who takes it.
    pub(super) fn is_beside_pair(&self, l: NodeId) -> bool {
        let inputs = self.lhs.inputs(self.lhs.node(l)).iter();
        let data = inputs.filter(|input| !input.is_control && !self.lhs.is_restored(input));
        data.filter_map(|input| input.source).any(|source| self.to_rhs(source).is_some())
    }

    /// Whether there may be nodes with another name.
    pub(super) fn may_have_renames(&self) -> bool {
        let left =
            |graph: &Graph<'_>, is: &dyn Fn(NodeId) -> bool| graph.iter().any(|(id, _)| is(id));
        left(self.lhs, &|id| self.to_rhs(id).is_none())
            && left(self.rhs, &|id| self.to_lhs(id).is_none())
    }
}
