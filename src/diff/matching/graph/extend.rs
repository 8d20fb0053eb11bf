//! Pairs neighbors of pairs, even if not everything around them is equal.

use super::consumers::BothConsumers;
use super::matching::Matching;
use super::node_hash::NodeHashes;
use super::per_node::PerNode;
use super::structure::{consumed_output, input_index};
use crate::diff::join::join;
use crate::graph::{Consumer, Consumers, Graph, NodeId, data_count};

/// The property that two nodes in the same place must have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirement {
    /// The op and the attributes.
    NodeHash,
    /// The op.
    Op,
}

/// Extends pairs to their neighbors until no more can be paired; takes linear time in the edges of each
/// level.
pub(super) fn extend(matching: &mut Matching<'_, '_>, users: &BothConsumers, common: Requirement) {
    let failures = (PerNode::new(matching.lhs), PerNode::new(matching.rhs));
    let mut extension = Extension { matching, common, users, failures };
    let mut queue: Vec<(NodeId, NodeId)> = extension.border();
    while let Some((l, r)) = queue.pop() {
        extension.sources(l, r, &mut queue);
        extension.consumers(l, r, &mut queue);
    }
}

struct Extension<'x, 'g, 'm> {
    matching: &'x mut Matching<'g, 'm>,
    common: Requirement,
    users: &'x BothConsumers,
    /// The number of failed attempts for each node of either side.
    failures: (PerNode<u8>, PerNode<u8>),
}

/// The maximum number of attempts for a node. A node for which its neighbors propose different partners has none.
const ATTEMPTS: u8 = 16;

impl Extension<'_, '_, '_> {
    /// The pairs with an unmatched neighbor on both sides; the last is extended first.
    fn border(&self) -> Vec<(NodeId, NodeId)> {
        let m = &*self.matching;
        let lhs = neighbors(m.lhs, &self.users.lhs, m.unmatched_in_lhs());
        let rhs = neighbors(m.rhs, &self.users.rhs, m.unmatched_in_rhs());
        let pairs = rhs.into_iter().filter_map(|r| Some((m.to_lhs(r)?, r)));
        pairs.filter(|(l, _)| lhs.binary_search(l).is_ok()).collect()
    }

    /// Pairs the data sources of two nodes.
    fn sources(&mut self, l: NodeId, r: NodeId, queue: &mut Vec<(NodeId, NodeId)>) {
        let (lhs, rhs) = (self.matching.lhs, self.matching.rhs);
        let (lhs_inputs, rhs_inputs) = self.matching.inputs(l, r);
        if data_count(lhs_inputs) != data_count(rhs_inputs) {
            return;
        }
        for (a, b) in lhs_inputs.iter().zip(rhs_inputs) {
            if let (false, Some(a_source), Some(b_source)) = (a.is_control, a.source, b.source)
                && consumed_output(lhs, a) == consumed_output(rhs, b)
            {
                self.attempt(a_source, b_source, queue);
            }
        }
    }

    /// Pairs the consumers of two nodes that are unique of their kind.
    fn consumers(&mut self, l: NodeId, r: NodeId, queue: &mut Vec<(NodeId, NodeId)>) {
        let (lhs, rhs) = (self.matching.lhs, self.matching.rhs);
        let users = self.users;
        let lhs = self.unpaired((lhs, &users.lhs_hashes), users.lhs.of_node(l), |id| {
            self.matching.to_rhs(id).is_none()
        });
        let rhs = self.unpaired((rhs, &users.rhs_hashes), users.rhs.of_node(r), |id| {
            self.matching.to_lhs(id).is_none()
        });
        let (lhs, rhs) = (lhs.chunk_by(|a, b| a.0 == b.0), rhs.chunk_by(|a, b| a.0 == b.0));
        let kind = |l: &[(ConsumerKind<'_>, NodeId)], r: &[(ConsumerKind<'_>, NodeId)]| {
            l.first().map(|(kind, _)| kind).cmp(&r.first().map(|(kind, _)| kind))
        };
        for pair in join(lhs, rhs, |l, r| kind(l, r)) {
            if let (Some([(_, a)]), Some([(_, b)])) = pair {
                self.attempt(*a, *b, queue);
            }
        }
    }

    /// The unmatched consumers of a node by kind, sorted.
    fn unpaired<'u>(
        &self,
        (graph, hashes): (&Graph<'u>, &NodeHashes),
        uses: &[Consumer],
        is_free: impl Fn(NodeId) -> bool,
    ) -> Vec<(ConsumerKind<'u>, NodeId)> {
        let mut found: Vec<_> = uses
            .iter()
            .filter(|found| is_free(found.by))
            .filter_map(|found| {
                let node = graph.node(found.by);
                let input = graph.inputs(node).get(found.input_index)?;
                if graph.is_restored(input) {
                    // The position says nothing here: the only consumer of a kind may belong to another
                    // variable.
                    return None;
                }
                let input_index = input_index(graph, *found)?;
                let print = match self.common {
                    Requirement::NodeHash => hashes.of_node(graph, found.by),
                    Requirement::Op => 0,
                };
                Some(((print, node.op, input_index, input.port), found.by))
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Pairs two nodes if their neighbors agree.
    fn attempt(&mut self, l: NodeId, r: NodeId, queue: &mut Vec<(NodeId, NodeId)>) {
        let m = &*self.matching;
        let failed = (self.failures.0.get(l), self.failures.1.get(r));
        if m.to_rhs(l).is_some() || m.to_lhs(r).is_some() || failed.0.max(failed.1) >= ATTEMPTS {
            return;
        }
        let (a, b) = (m.lhs.node(l), m.rhs.node(r));
        let alike = a.op == b.op
            && a.kind == b.kind
            && (self.common == Requirement::Op
                || self.users.lhs_hashes.of_node(m.lhs, l)
                    == self.users.rhs_hashes.of_node(m.rhs, r));
        if alike && self.agree_on_sources(l, r) && self.agree_on_consumers(l, r) {
            self.matching.pair(l, r);
            queue.push((l, r));
        } else {
            self.failures.0.set(l, failed.0 + 1);
            self.failures.1.set(r, failed.1 + 1);
        }
    }

    /// Whether the data inputs of both come from pairs, or from nodes that may be paired.
    fn agree_on_sources(&self, l: NodeId, r: NodeId) -> bool {
        let m = &*self.matching;
        let (lhs, rhs) = m.inputs(l, r);
        data_count(lhs) == data_count(rhs)
            && lhs.iter().zip(rhs).filter(|(a, _)| !a.is_control).all(|(a, b)| {
                consumed_output(m.lhs, a) == consumed_output(m.rhs, b)
                    && match (a.source, b.source) {
                        (Some(a), Some(b)) => self.may_be_one(a, b),
                        (None, None) => true,
                        _ => false,
                    }
            })
    }

    /// Whether every matched node that consumes one of the two consumes the other in the same place.
    fn agree_on_consumers(&self, l: NodeId, r: NodeId) -> bool {
        let m = &*self.matching;
        consumers_agree((m.rhs, r), (m.lhs, l), &self.users.rhs, |id| m.to_lhs(id))
            && consumers_agree((m.lhs, l), (m.rhs, r), &self.users.lhs, |id| m.to_rhs(id))
    }

    fn may_be_one(&self, l: NodeId, r: NodeId) -> bool {
        match (self.matching.to_rhs(l), self.matching.to_lhs(r)) {
            (Some(partner), _) => partner == r,
            (None, partner) => partner.is_none(),
        }
    }
}

/// Whether the partner of every matched consumer of `source` has `expected` as the same input.
fn consumers_agree(
    (graph, source): (&Graph<'_>, NodeId),
    (other, expected): (&Graph<'_>, NodeId),
    consumers: &Consumers,
    partner: impl Fn(NodeId) -> Option<NodeId>,
) -> bool {
    consumers.of_node(source).iter().all(|found| {
        let Some(by) = partner(found.by) else { return true };
        let has_place = input_index(graph, *found).is_some_and(|index| index != usize::MAX);
        let input = other.inputs_of(by).get(found.input_index);
        !has_place || input.is_some_and(|input| input.source == Some(expected))
    })
}

/// The neighbors of nodes, in graph order.
fn neighbors(graph: &Graph<'_>, consumers: &Consumers, of: Vec<NodeId>) -> Vec<NodeId> {
    let beside = |id| {
        let sources = graph.inputs_of(id).iter().filter_map(|input| input.source);
        sources.chain(consumers.of_node(id).iter().map(|found| found.by))
    };
    let mut found: Vec<_> = of.into_iter().flat_map(beside).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The kind of a consumer: hash, op, position of the input, and output of the source.
type ConsumerKind<'u> = (u64, &'u str, usize, &'u str);
