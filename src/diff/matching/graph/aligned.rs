//! Pairs nodes in the order of their definition, whatever the numbers in their names.
//!
//! ```text
//! op, name without numbers and attributes ─► longest common subsequence ─┐
//! op and name without numbers, between the pairs ────────────────────────┴─► proposals
//! proposals that keep scopes together and whose inputs agree ─► neighbors ─► the other proposals ─► equal names
//! ```

use std::hash::{DefaultHasher, Hash, Hasher};

use super::coherence::coherent;
use super::consumers::BothConsumers;
use super::extend::{self, Requirement};
use super::matching::Matching;
use super::node_hash::{NodeHashes, content_hash};
use super::numbers::family;
use super::per_node::PerNode;
use super::savers::Savers;
use super::sequence;
use super::structure::consumed_output;
use crate::graph::{Graph, Node, NodeId, NodeKind, data_count, is_constant};

/// Pairs of nodes that the order of their definition proposes.
pub(super) struct Proposals<'x, 'g, 'm> {
    sides: (&'g Graph<'m>, &'g Graph<'m>),
    savers: &'x Savers,
    users: &'x BothConsumers,
    pairs: Vec<(NodeId, NodeId)>,
}

/// Whether the neighbors of nodes decide before their order, where not both can be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbors {
    /// Neighbors decide: where nodes came and went, most neighbors stayed.
    First,
    /// The order decides: behind a new layer, each layer has the neighbors of another one.
    Last,
}

impl<'x, 'g, 'm> Proposals<'x, 'g, 'm> {
    /// Finds the proposals; `None` if they are pairs of equal names only.
    pub(super) fn new(
        (lhs, rhs): (&'g Graph<'m>, &'g Graph<'m>),
        savers: &'x Savers,
        users: &'x BothConsumers,
    ) -> Option<Self> {
        let (lhs_restoring, rhs_restoring) = savers.restoring();
        let (l, r) = (
            Row::of(lhs, &users.lhs_hashes, lhs_restoring),
            Row::of(rhs, &users.rhs_hashes, rhs_restoring),
        );
        let pairs = coherent(proposals(&l, &r), lhs, rhs);
        let is_renamed = |&(l, r): &(NodeId, NodeId)| lhs.node(l).name != rhs.node(r).name;
        let is_any = pairs.iter().any(is_renamed);
        is_any.then_some(Self { sides: (lhs, rhs), savers, users, pairs })
    }

    /// The matching that follows from the proposals.
    pub(super) fn matching(&self, neighbors: Neighbors) -> Matching<'g, 'm> {
        let (lhs, rhs) = self.sides;
        let mut matching = Matching::of_borders(lhs, rhs);
        let mut order = InOrder { proposed: PerNode::new(lhs), matching: &mut matching };
        self.pairs.iter().for_each(|&(l, r)| order.proposed.set(l, Some(r)));
        let (sure, others) = order.pair_agreeing(&self.pairs);
        if sure && neighbors == Neighbors::First {
            extend::extend(&mut matching, self.users, Requirement::NodeHash);
        }
        for (l, r) in others {
            if matching.are_free(l, r) {
                matching.pair(l, r);
            }
        }
        if !self.savers.is_reordered(&matching) {
            matching.pair_names(|_, _| true);
        } else {
            let (in_lhs, in_rhs) = self.savers.restoring();
            let is_in = |row: &[NodeId], id| row.binary_search(&id).is_ok();
            matching.pair_names(|l, r| !is_in(in_lhs, l) && !is_in(in_rhs, r));
        }
        matching
    }
}

/// The nodes of one side in the order of their definition.
struct Row {
    ids: Vec<NodeId>,
    families: Vec<u64>,
    contents: Vec<u64>,
}

impl Row {
    /// The nodes without those that pass restored tensors on, which are numbered in the order of keys.
    fn of(graph: &Graph<'_>, hashes: &NodeHashes, restoring: &[NodeId]) -> Self {
        let is_numbered_by_key = |id: &NodeId| restoring.binary_search(id).is_ok();
        let nodes = graph.iter().filter(|(_, node)| node.kind == NodeKind::Node);
        let ids: Vec<_> = nodes.map(|(id, _)| id).filter(|id| !is_numbered_by_key(id)).collect();
        let families: Vec<_> = ids.iter().map(|&id| family(graph.node(id))).collect();
        let content = |(&id, family): (&NodeId, &u64)| {
            let mut state = DefaultHasher::new();
            let content = content_hash(graph.node(id), hashes.of_node(graph, id));
            (family, content).hash(&mut state);
            state.finish()
        };
        let contents = ids.iter().zip(&families).map(content).collect();
        Self { ids, families, contents }
    }
}

/// Ascending pairs: of nodes with equal families and attributes, and between them of nodes with equal
/// families.
fn proposals(lhs: &Row, rhs: &Row) -> Vec<(NodeId, NodeId)> {
    let mut pairs = Vec::new();
    let (mut x, mut y) = (0, 0);
    let ends = [(lhs.ids.len(), rhs.ids.len())];
    for (x_end, y_end) in sequence::align(&lhs.contents, &rhs.contents).into_iter().chain(ends) {
        let (l, r) = (lhs.families.get(x..x_end), rhs.families.get(y..y_end));
        let between = sequence::align(l.unwrap_or_default(), r.unwrap_or_default());
        pairs.extend(between.into_iter().map(|(a, b)| (x + a, y + b)));
        pairs.push((x_end, y_end));
        (x, y) = (x_end + 1, y_end + 1);
    }
    let ids = |(x, y): (usize, usize)| Some((*lhs.ids.get(x)?, *rhs.ids.get(y)?));
    pairs.into_iter().filter_map(ids).collect()
}

struct InOrder<'x, 'g, 'm> {
    matching: &'x mut Matching<'g, 'm>,
    /// The proposed partners of the nodes of lhs.
    proposed: PerNode<Option<NodeId>>,
}

impl InOrder<'_, '_, '_> {
    /// Pairs the proposed nodes whose inputs agree; returns whether there are any, and the other proposals.
    fn pair_agreeing(&mut self, proposals: &[(NodeId, NodeId)]) -> (bool, Vec<(NodeId, NodeId)>) {
        let mut others = Vec::new();
        for &(l, r) in proposals {
            // A constant belongs to its first consumer.
            if !is_constant(self.matching.lhs.node(l).op) && self.agree(l, r) {
                self.pair(l, r);
            } else {
                others.push((l, r));
            }
        }
        (others.len() < proposals.len(), others)
    }

    fn pair(&mut self, l: NodeId, r: NodeId) {
        self.matching.pair(l, r);
        self.matching.pair_sources(l, r, may_be_one);
    }

    /// Whether the data inputs of both come from pairs, from constants and arguments without partners, or from nodes
    /// that come later.
    fn agree(&self, l: NodeId, r: NodeId) -> bool {
        let (lhs, rhs) = self.matching.inputs(l, r);
        data_count(lhs) == data_count(rhs)
            && lhs.iter().zip(rhs).filter(|(a, _)| !a.is_control).all(|(a, b)| {
                consumed_output(self.matching.lhs, a) == consumed_output(self.matching.rhs, b)
                    && match (a.source, b.source) {
                        (Some(a), Some(b)) => match self.matching.to_rhs(a) {
                            Some(partner) => partner == b,
                            None => {
                                self.may_follow(a, b) || a > l && self.proposed.get(a) == Some(b)
                            }
                        },
                        (None, None) => true,
                        _ => false,
                    }
            })
    }

    /// Whether two sources without partners will be paired with the nodes that use them.
    fn may_follow(&self, l: NodeId, r: NodeId) -> bool {
        let m = &*self.matching;
        m.are_free(l, r) && may_be_one(m.lhs.node(l), m.rhs.node(r))
    }
}

/// Whether two constants, or two arguments, have equal names without numbers.
fn may_be_one(lhs: &Node<'_>, rhs: &Node<'_>) -> bool {
    let are = |is: fn(&Node<'_>) -> bool| is(lhs) && is(rhs);
    (are(|node| is_constant(node.op)) || are(|node| matches!(node.kind, NodeKind::Argument(_))))
        && family(lhs) == family(rhs)
}
