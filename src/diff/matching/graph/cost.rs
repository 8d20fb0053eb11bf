//! Estimates how many changes a matching would report, in linear time.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use petgraph::unionfind::UnionFind;

use super::consumers::BothConsumers;
use super::matching::Matching;
use super::node_hash::{content_hash, node_hash};
use super::numbers::{family, hash_last_word, is_numbered, renumbered_part, shift};
use super::outer_renames::OuterRenames;
use super::per_node::PerNode;
use super::savers::Savers;
use super::structure::consumed_output;
use crate::graph::{Action, Graph, NodeId, NodeKind, SaveOp, data_count};

/// The number of renamed nodes that weigh as much as one change: a few nodes that came and went are less to tell than
/// a new number of all nodes.
const RENAMED: usize = 64;

/// Whether some nodes matched by name may have been numbered anew.
///
/// That is so if nodes that are alike except for numbers are unmatched, or differ from the nodes of their names: one of
/// them came, went, or took the place of another.
pub(super) fn may_be_renumbered(matching: &Matching<'_, '_>) -> bool {
    let families = |graph: &Graph<'_>, ids: Vec<NodeId>| -> BTreeSet<u64> {
        let nodes = ids.into_iter().map(|id| graph.node(id));
        nodes.filter(|node| node.kind == NodeKind::Node).map(family).collect()
    };
    let removed = families(matching.lhs, matching.unmatched_in_lhs());
    let added = families(matching.rhs, matching.unmatched_in_rhs());
    if removed.iter().any(|family| added.contains(family)) {
        return true;
    }
    let (mut from, mut to) = (BTreeSet::new(), BTreeSet::new());
    let (mut last, mut is_in_order, mut is_any) = (None, true, false);
    for (l, r) in matching.same_names() {
        is_in_order &= last < Some(l);
        last = Some(l);
        let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
        if lhs.bytes == rhs.bytes || lhs.kind != NodeKind::Node || !is_numbered(lhs.name) {
            continue;
        }
        let contents = [lhs, rhs].map(|node| content_hash(node, node_hash(node)));
        if contents[0] == contents[1] && !is_rewired(matching, l, r) {
            continue;
        }
        is_any = true;
        let families = [lhs, rhs].map(family);
        if families.iter().any(|family| removed.contains(family) || added.contains(family)) {
            return true;
        }
        if contents[0] != contents[1] {
            from.insert((families[0], contents[0]));
            to.insert((families[1], contents[1]));
        }
    }
    is_any && !is_in_order || from.iter().any(|node| to.contains(node))
}

/// The number of pairs that differ in more than their names.
fn differing(matching: &Matching<'_, '_>, users: &BothConsumers) -> usize {
    let differs = |(l, r): (NodeId, NodeId)| {
        let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
        if lhs.kind != NodeKind::Node || lhs.bytes == rhs.bytes {
            return is_rewired(matching, l, r);
        }
        let l_content = content_hash(lhs, users.lhs_hashes.of_node(matching.lhs, l));
        let r_content = content_hash(rhs, users.rhs_hashes.of_node(matching.rhs, r));
        l_content != r_content || is_rewired(matching, l, r)
    };
    matching.pairs().filter(|&pair| differs(pair)).count()
}

/// The number of changes that there are to tell, more or less.
pub(super) fn cost(
    matching: &Matching<'_, '_>,
    savers: &Savers,
    users: &BothConsumers,
    outer: OuterRenames<'_>,
) -> usize {
    let (lhs_restoring, rhs_restoring) = savers.restoring();
    let without = |mut ids: Vec<NodeId>, restoring: &[NodeId]| {
        ids.retain(|id| restoring.binary_search(id).is_err());
        ids
    };
    let removed = without(matching.unmatched_in_lhs(), lhs_restoring);
    let added = without(matching.unmatched_in_rhs(), rhs_restoring);
    // Nodes that could have been paired.
    let replaced = removed.len().min(added.len());
    let groups = connected(matching.lhs, &removed) + connected(matching.rhs, &added);
    let (mut renames, mut renamed) = (BTreeSet::new(), 0);
    for (l, r) in matching.renamed().filter(|&(_, r)| !savers.is_restoring(r)) {
        let (lhs, rhs) = (matching.lhs.node(l), matching.rhs.node(r));
        if rhs.kind == NodeKind::Node && !outer.has(lhs.name, rhs.name) {
            renames.insert(rename(lhs.name, rhs.name));
            renamed += 1;
        }
    }
    replaced + groups + renames.len() + renamed / RENAMED + differing(matching, users)
}

/// The number of groups of nodes that are connected.
fn connected(graph: &Graph<'_>, ids: &[NodeId]) -> usize {
    let mut numbers = PerNode::new(graph);
    ids.iter().zip(1..).for_each(|(&id, number)| numbers.set(id, number));
    let mut sets = UnionFind::<usize>::new(ids.len() + 1);
    let mut groups = ids.len();
    for &id in ids {
        for source in graph.inputs_of(id).iter().filter_map(|input| input.source) {
            let number = numbers.get(source);
            groups -= usize::from(number > 0 && sets.union(numbers.get(id), number));
        }
    }
    groups
}

/// What the renames of one kind have in common: the shift of a number, or the parts that differ.
fn rename(lhs: &str, rhs: &str) -> u64 {
    let mut state = DefaultHasher::new();
    match renumbered_part(lhs, rhs) {
        Some((from, to)) => {
            // What belongs to a layer has its name at the end: `update_dense_1`.
            hash_last_word(from, &mut state);
            shift(from, to).hash(&mut state);
        }
        None => {
            let same = lhs.bytes().rev().zip(rhs.bytes().rev()).take_while(|(l, r)| l == r).count();
            let start = |name: &str| name.len() - same;
            let same = lhs.bytes().zip(rhs.bytes()).take_while(|(l, r)| l == r).count();
            for name in [lhs, rhs] {
                name.as_bytes().get(same..start(name)).hash(&mut state);
            }
        }
    }
    state.finish()
}

/// Whether two nodes have data inputs from other nodes that have partners.
fn is_rewired(matching: &Matching<'_, '_>, l: NodeId, r: NodeId) -> bool {
    if SaveOp::is(matching.lhs.node(l).op, Action::Save) {
        return false;
    }
    let (lhs, rhs) = matching.inputs(l, r);
    let is_resized = data_count(lhs) != data_count(rhs);
    let mut data = lhs.iter().zip(rhs).filter(|(a, b)| !a.is_control && !b.is_control);
    is_resized
        || data.any(|(a, b)| match (a.source, b.source) {
            (Some(l), Some(r)) => {
                let partners = (matching.to_rhs(l), matching.to_lhs(r));
                let is_other =
                    partners.0 != Some(r) && partners.0.is_some() && partners.1.is_some();
                let ports = (consumed_output(matching.lhs, a), consumed_output(matching.rhs, b));
                is_other || partners.0 == Some(r) && ports.0 != ports.1
            }
            (a, b) => a.is_some() != b.is_some(),
        })
}
