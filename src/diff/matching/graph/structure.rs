//! Pairs unmatched nodes by the structure around them.
//!
//! Each node gets two hashes: of everything upstream (its op, its attributes, and the nodes that it consumes)
//! and of everything downstream. A matched node counts as its pair, so the hashes build on known pairs. Nodes
//! with equal hashes differ in their names only.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::consumers::BothConsumers;
use super::matching::Matching;
use super::node_hash::NodeHashes;
use super::per_node::PerNode;
use crate::diff::join::join;
use crate::graph::{Action, Consumer, Consumers, Graph, Input, NodeId, SaveOp};

/// The treatment of nodes with equal hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    /// They stay unmatched; later pairs may distinguish them.
    Leave,
    /// They are paired in the order of their names, which pairs the parts of equal towers.
    ByName,
    /// They are paired likewise even if one side has more of them, if they consume a matched node.
    ByNameUneven,
}

/// Pairs all nodes with equal hashes.
pub(super) fn pair_alike(matching: &mut Matching<'_, '_>, users: &BothConsumers, ties: Ties) {
    let (lhs, lhs_known) = (matching.unmatched_in_lhs(), |l| matching.to_rhs(l).map(|_| l));
    let side = (matching.lhs, &users.lhs, &users.lhs_hashes);
    let lhs = StructureHashes::of_side(side, lhs, &lhs_known).sorted();
    let (rhs, rhs_known) = (matching.unmatched_in_rhs(), |r| matching.to_lhs(r));
    let side = (matching.rhs, &users.rhs, &users.rhs_hashes);
    let rhs = StructureHashes::of_side(side, rhs, &rhs_known).sorted();
    let (lhs, rhs) = (lhs.chunk_by(|a, b| a.0 == b.0), rhs.chunk_by(|a, b| a.0 == b.0));
    let hash = |alike: &&[HashedNode<'_>]| alike.first().map(|node| node.0);
    for pair in join(lhs, rhs, |l, r| hash(l).cmp(&hash(r))) {
        let (Some(alike), Some(other)) = pair else { continue };
        let is_decided = match ties {
            Ties::Leave => alike.len() == 1 && other.len() == 1,
            Ties::ByName => alike.len() == other.len(),
            Ties::ByNameUneven => {
                alike.first().is_some_and(|&(.., l)| matching.has_paired_source(l))
            }
        };
        if is_decided {
            for (l, r) in in_order(alike, other) {
                matching.pair(l, r);
            }
        }
    }
}

/// Pairs nodes of equal hashes: first those with the same numbers in their names, then the others in order.
fn in_order(lhs: &[HashedNode<'_>], rhs: &[HashedNode<'_>]) -> Vec<(NodeId, NodeId)> {
    if lhs.len() == rhs.len() {
        return lhs.iter().zip(rhs).map(|(l, r)| (l.2, r.2)).collect();
    }
    let (mut pairs, mut unmatched) = (Vec::new(), Vec::new());
    let mut by_numbers = BTreeMap::<_, VecDeque<usize>>::new();
    for (at, (_, name, _)) in rhs.iter().enumerate() {
        by_numbers.entry(numbers(name)).or_default().push_back(at);
    }
    let mut others: Vec<_> = rhs.iter().map(|&(.., r)| Some(r)).collect();
    for &(_, name, l) in lhs {
        let same = by_numbers.get_mut(&numbers(name)).and_then(VecDeque::pop_front);
        match same.and_then(|at| others.get_mut(at)?.take()) {
            Some(r) => pairs.push((l, r)),
            None => unmatched.push(l),
        }
    }
    pairs.extend(unmatched.into_iter().zip(others.into_iter().flatten()));
    pairs
}

/// The digits in a name.
fn numbers(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
}

/// A node with its hashes and its name.
type HashedNode<'m> = ((u64, u64), &'m str, NodeId);

/// The hashes of the unmatched nodes of one graph.
struct StructureHashes<'h, 'g, 'm> {
    graph: &'g Graph<'m>,
    hashes: &'h NodeHashes,
    known: &'h dyn Fn(NodeId) -> Option<NodeId>,
    /// The hashes of the nodes in `unmatched`, at their positions in the graph.
    upstream: PerNode<u64>,
    downstream: PerNode<u64>,
    unmatched: Vec<NodeId>,
}

impl<'h, 'g, 'm> StructureHashes<'h, 'g, 'm> {
    /// Computes the hashes of `unmatched`; `known` yields the pair of a node.
    fn of_side(
        (graph, consumers, hashes): (&'g Graph<'m>, &Consumers, &'h NodeHashes),
        unmatched: Vec<NodeId>,
        known: &'h dyn Fn(NodeId) -> Option<NodeId>,
    ) -> Self {
        let (upstream, downstream) = (PerNode::new(graph), PerNode::new(graph));
        let mut hashes = Self { graph, hashes, known, upstream, downstream, unmatched };
        let order = hashes.order(consumers);
        for &id in &order {
            let value = hashes.hash_upstream(id);
            hashes.upstream.set(id, value);
        }
        for &id in order.iter().rev() {
            let value = hashes.hash_downstream(id, consumers);
            hashes.downstream.set(id, value);
        }
        hashes
    }

    /// The hash of a node in `values`; of a matched node, the hash of its pair.
    fn of_node(&self, values: &PerNode<u64>, id: NodeId) -> u64 {
        match (self.known)(id) {
            Some(pair) => hash(&("pair", pair)),
            None => values.get(id),
        }
    }

    /// The nodes, sorted by hash and name.
    fn sorted(self) -> Vec<HashedNode<'m>> {
        let hashes = |id| (self.upstream.get(id), self.downstream.get(id));
        let nodes = self.unmatched.iter();
        let mut sorted: Vec<HashedNode<'m>> =
            nodes.map(|&id| (hashes(id), self.graph.node(id).name, id)).collect();
        sorted.sort_unstable();
        sorted
    }

    /// The nodes in topological order. Back edges of loops do not count, and nodes in other cycles are left
    /// out.
    fn order(&self, consumers: &Consumers) -> Vec<NodeId> {
        let mut waiting = PerNode::new(self.graph);
        for &id in &self.unmatched {
            let inputs = self.graph.inputs_of(id);
            let counted = inputs.iter().filter(|input| self.waits_for(input)).count();
            waiting.set(id, u32::try_from(counted).unwrap_or(u32::MAX));
        }
        let is_free = |id: &NodeId| waiting.get(*id) == 0u32;
        let mut order: Vec<NodeId> = self.unmatched.iter().copied().filter(is_free).collect();
        let mut next = 0;
        while let Some(&id) = order.get(next) {
            next += 1;
            if !self.gives_order(id) {
                continue;
            }
            for found in consumers.of_node(id) {
                if (self.known)(found.by).is_some() {
                    continue;
                }
                let count = waiting.get(found.by).saturating_sub(1);
                waiting.set(found.by, count);
                if count == 0 {
                    order.push(found.by);
                }
            }
        }
        order
    }

    fn waits_for(&self, input: &Input<'_>) -> bool {
        input
            .source
            .is_some_and(|source| (self.known)(source).is_none() && self.gives_order(source))
    }

    /// Whether the consumers of a node come after it; those of a loop's next iteration come before.
    fn gives_order(&self, id: NodeId) -> bool {
        !self.graph.node(id).op.ends_with("NextIteration")
    }

    fn hash_upstream(&self, id: NodeId) -> u64 {
        let node = self.graph.node(id);
        let mut state = DefaultHasher::new();
        self.hashes.of_node(self.graph, id).hash(&mut state);
        let mut controls = Vec::new();
        for input in self.graph.inputs(node) {
            let source = match input.source {
                Some(source) => self.of_node(&self.upstream, source),
                None => hash(&("nothing", input.source_name())),
            };
            if input.is_control {
                controls.push(source);
            } else {
                (source, consumed_output(self.graph, input)).hash(&mut state);
            }
        }
        controls.sort_unstable();
        controls.hash(&mut state);
        state.finish()
    }

    fn hash_downstream(&self, id: NodeId, consumers: &Consumers) -> u64 {
        let mut uses: Vec<_> = consumers
            .of_node(id)
            .iter()
            .filter_map(|found| {
                let by = self.of_node(&self.downstream, found.by);
                Some((by, input_index(self.graph, *found)?, port_of(self.graph, *found)?))
            })
            .collect();
        uses.sort_unstable();
        hash(&(self.upstream.get(id), uses))
    }
}

/// The output that an input consumes; empty for a restore node, whose outputs are in the order of keys.
pub(super) fn consumed_output<'m>(graph: &Graph<'m>, input: &Input<'m>) -> &'m str {
    if graph.is_restored(input) { "" } else { input.port }
}

/// The position of an input; that of control inputs and of saved tensors means nothing.
pub(super) fn input_index(graph: &Graph<'_>, found: Consumer) -> Option<usize> {
    let node = graph.node(found.by);
    let input = graph.inputs(node).get(found.input_index)?;
    let is_set = input.is_control || SaveOp::is(node.op, Action::Save);
    Some(if is_set { usize::MAX } else { found.input_index })
}

/// The output of the source that a consumer takes.
fn port_of<'m>(graph: &Graph<'m>, found: Consumer) -> Option<&'m str> {
    Some(consumed_output(graph, graph.inputs_of(found.by).get(found.input_index)?))
}

/// A hash that is the same in every run.
pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut state = DefaultHasher::new();
    value.hash(&mut state);
    state.finish()
}
