//! Nodes without a partner that stand in the same place of the same structure.
//!
//! Each gets two hashes: what lies before it (its op, its attributes, and in turn the nodes that it takes from), and what
//! lies behind it. A node with a partner counts as that pair, so structure hangs on what is known. Of two nodes with the
//! same hashes neither the name nor anything else tells a difference.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::consumers::{Consumers, Use, Users};
use super::fingerprint::Fingerprints;
use super::matching::Matching;
use crate::graph::{Graph, Input, NodeId};

/// What becomes of nodes that are alike in everything but their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    /// They stay: what lies around them may tell once more is known.
    Leave,
    /// They are paired in the order of their names, which brings the parts of equal towers together.
    ByName,
    /// They are paired so where one side has more of them too, if they stand beside a pair.
    AsFarAsTheyGo,
}

/// Pairs all nodes whose surroundings are the same, as far as they reach.
pub(super) fn pair_alike(matching: &mut Matching<'_, '_>, users: &Users, ties: Ties) {
    let lhs = {
        let known = |l: NodeId| matching.to_rhs(l).map(|_| l);
        Hashes::of_side(
            (matching.lhs, &users.lhs, &users.lhs_prints),
            matching.left_in_lhs(),
            &known,
        )
        .sorted()
    };
    let rhs = {
        let known = |r: NodeId| matching.to_lhs(r);
        Hashes::of_side(
            (matching.rhs, &users.rhs, &users.rhs_prints),
            matching.left_in_rhs(),
            &known,
        )
        .sorted()
    };
    let mut others = rhs.chunk_by(|a, b| a.0 == b.0).peekable();
    for alike in lhs.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(hash, ..)) = alike.first() else { continue };
        let before = |other: &&[Entry<'_>]| other.first().is_some_and(|entry| entry.0 < hash);
        while others.next_if(before).is_some() {}
        let same = |other: &&[Entry<'_>]| other.first().is_some_and(|entry| entry.0 == hash);
        let Some(other) = others.next_if(same) else { continue };
        let is_told = match ties {
            Ties::Leave => alike.len() == 1 && other.len() == 1,
            Ties::ByName => alike.len() == other.len(),
            Ties::AsFarAsTheyGo => alike.first().is_some_and(|&(.., l)| matching.is_beside_pair(l)),
        };
        if is_told {
            for (l, r) in in_order(alike, other) {
                matching.pair(l, r);
            }
        }
    }
}

/// Pairs nodes that are alike: those with the same numbers in their names, and the others in their order.
fn in_order(lhs: &[Entry<'_>], rhs: &[Entry<'_>]) -> Vec<(NodeId, NodeId)> {
    if lhs.len() == rhs.len() {
        return lhs.iter().zip(rhs).map(|(l, r)| (l.2, r.2)).collect();
    }
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    let mut by_numbers = BTreeMap::<_, VecDeque<usize>>::new();
    for (at, (_, name, _)) in rhs.iter().enumerate() {
        by_numbers.entry(numbers(name)).or_default().push_back(at);
    }
    let mut others: Vec<_> = rhs.iter().map(|&(.., r)| Some(r)).collect();
    for &(_, name, l) in lhs {
        let same = by_numbers.get_mut(&numbers(name)).and_then(VecDeque::pop_front);
        match same.and_then(|at| others.get_mut(at)?.take()) {
            Some(r) => pairs.push((l, r)),
            None => left.push(l),
        }
    }
    pairs.extend(left.into_iter().zip(others.into_iter().flatten()));
    pairs
}

/// The digits in a name.
fn numbers(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
}

/// A node by its hashes, then by its name.
type Entry<'m> = ((u64, u64), &'m str, NodeId);

/// The hashes of the nodes of one graph that have no partner.
struct Hashes<'h, 'g, 'm> {
    graph: &'g Graph<'m>,
    prints: &'h Fingerprints,
    known: &'h dyn Fn(NodeId) -> Option<NodeId>,
    /// Of the nodes in `left`, at their positions in the graph.
    before: Vec<u64>,
    behind: Vec<u64>,
    left: Vec<NodeId>,
}

impl<'h, 'g, 'm> Hashes<'h, 'g, 'm> {
    /// The hashes of `left`; `known` says which pair a node belongs to.
    fn of_side(
        (graph, consumers, prints): (&'g Graph<'m>, &Consumers, &'h Fingerprints),
        left: Vec<NodeId>,
        known: &'h dyn Fn(NodeId) -> Option<NodeId>,
    ) -> Self {
        let none = vec![0; graph.nodes().len()];
        let mut hashes = Self { graph, prints, known, before: none.clone(), behind: none, left };
        let order = hashes.order(consumers);
        for &id in &order {
            let value = hashes.hash_before(id);
            if let Some(slot) = hashes.before.get_mut(id.position()) {
                *slot = value;
            }
        }
        for &id in order.iter().rev() {
            let value = hashes.hash_behind(id, consumers);
            if let Some(slot) = hashes.behind.get_mut(id.position()) {
                *slot = value;
            }
        }
        hashes
    }

    /// The hash of what lies before a node, or behind it, in `values`; of one with a partner that of the pair.
    fn of_node(&self, values: &[u64], id: NodeId) -> u64 {
        match (self.known)(id) {
            Some(pair) => hash(&("pair", pair)),
            None => values.get(id.position()).copied().unwrap_or_default(),
        }
    }

    /// The nodes by hash and name.
    fn sorted(self) -> Vec<Entry<'m>> {
        let at =
            |values: &[u64], id: NodeId| values.get(id.position()).copied().unwrap_or_default();
        let mut sorted: Vec<Entry<'m>> = self
            .left
            .iter()
            .map(|&id| ((at(&self.before, id), at(&self.behind, id)), self.graph.node(id).name, id))
            .collect();
        sorted.sort_unstable();
        sorted
    }

    /// The nodes, each behind those that it takes from; what a loop brings back does not count, nor do other cycles end.
    fn order(&self, consumers: &Consumers) -> Vec<NodeId> {
        let mut waiting = vec![0u32; self.graph.nodes().len()];
        for &id in &self.left {
            let inputs = self.graph.inputs(self.graph.node(id));
            let counted = inputs.iter().filter(|input| self.waits_for(input)).count();
            if let Some(slot) = waiting.get_mut(id.position()) {
                *slot = u32::try_from(counted).unwrap_or(u32::MAX);
            }
        }
        let is_free = |id: &NodeId| waiting.get(id.position()) == Some(&0);
        let mut order: Vec<NodeId> = self.left.iter().copied().filter(is_free).collect();
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
                if let Some(slot) = waiting.get_mut(found.by.position()) {
                    *slot = slot.saturating_sub(1);
                    if *slot == 0 {
                        order.push(found.by);
                    }
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

    /// Whether what a node gives is taken after it; a loop's next turn is taken before.
    fn gives_order(&self, id: NodeId) -> bool {
        !self.graph.node(id).op.ends_with("NextIteration")
    }

    fn hash_before(&self, id: NodeId) -> u64 {
        let node = self.graph.node(id);
        let mut state = DefaultHasher::new();
        self.prints.of_node(self.graph, id).hash(&mut state);
        let mut controls = Vec::new();
        for input in self.graph.inputs(node) {
            let source = match input.source {
                Some(source) => self.of_node(&self.before, source),
                None => hash(&("nothing", input.source_name())),
            };
            if input.is_control {
                controls.push(source);
            } else {
                (source, place(self.graph, input)).hash(&mut state);
            }
        }
        controls.sort_unstable();
        controls.hash(&mut state);
        state.finish()
    }

    fn hash_behind(&self, id: NodeId, consumers: &Consumers) -> u64 {
        let mut uses: Vec<_> = consumers
            .of_node(id)
            .iter()
            .filter_map(|found| {
                let by = self.of_node(&self.behind, found.by);
                Some((by, slot(self.graph, *found)?, port_of(self.graph, *found)?))
            })
            .collect();
        uses.sort_unstable();
        hash(&(self.before.get(id.position()), uses))
    }
}

/// Which output an input comes from; of a restore node that says nothing, since it gives tensors in the order of their keys.
pub(super) fn place<'m>(graph: &Graph<'m>, input: &Input<'m>) -> &'m str {
    if graph.is_restored(input) { "" } else { input.port }
}

/// Which of its inputs a node takes something by; the place of a control input says nothing, nor that of what is saved.
pub(super) fn slot(graph: &Graph<'_>, found: Use) -> Option<usize> {
    let node = graph.node(found.by);
    let input = graph.inputs(node).get(found.slot)?;
    let is_set = input.is_control || crate::graph::is_save(node.op);
    Some(if is_set { usize::MAX } else { found.slot })
}

/// Which output of its source a node takes.
fn port_of<'m>(graph: &Graph<'m>, found: Use) -> Option<&'m str> {
    Some(place(graph, graph.inputs(graph.node(found.by)).get(found.slot)?))
}

/// A hash that is the same in every run.
pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut state = DefaultHasher::new();
    value.hash(&mut state);
    state.finish()
}
