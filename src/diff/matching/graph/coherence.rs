//! Keeps the nodes of a scope together when scopes are numbered anew.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::numbers::renumbered_part;
use super::per_node::PerNode;
use super::scopes::MAX_SCOPES;
use crate::graph::{Graph, NodeId};

/// The proposals after each renumbered scope has been given the partner that most of its nodes suggest; the other
/// nodes of such scopes are paired by their names inside.
pub(super) fn coherent(
    proposals: Vec<(NodeId, NodeId)>,
    lhs: &Graph<'_>,
    rhs: &Graph<'_>,
) -> Vec<(NodeId, NodeId)> {
    let names = |(l, r): (NodeId, NodeId)| (lhs.node(l).name, rhs.node(r).name);
    let (mut from, mut to) = (BTreeSet::new(), BTreeSet::new());
    for (l, r) in proposals.iter().copied().map(names).filter(|(l, r)| l != r) {
        if let Some((l, r)) = renumbered_scopes(l, r) {
            from.insert(l);
            to.insert(r);
        }
    }
    if from.is_empty() {
        return proposals;
    }
    let suggested = |pair| {
        let (l, r) = names(pair);
        scopes(l).zip(scopes(r)).find(|(l, r)| from.contains(l) || to.contains(r))
    };
    let partners = partners(proposals.iter().filter_map(|&pair| suggested(pair)));
    let mut is_taken = (PerNode::new(lhs), PerNode::new(rhs));
    let mut coherent = proposals;
    coherent.retain(|&(l, r)| {
        let is_kept = suggested((l, r)).is_none_or(|(l, r)| partners.get(l) == Some(&r));
        if is_kept {
            is_taken.0.set(l, true);
            is_taken.1.set(r, true);
        }
        is_kept
    });
    for (l, node) in lhs.iter().filter(|(l, _)| !is_taken.0.get(*l)) {
        let moved = scopes(node.name).find_map(|scope| Some((scope, partners.get(scope)?)));
        let Some((scope, partner)) = moved else { continue };
        let inside = node.name.get(scope.len()..).unwrap_or_default();
        if let Some(r) = rhs.find(&format!("{partner}{inside}"))
            && !is_taken.1.get(r)
            && rhs.node(r).op == node.op
            && rhs.node(r).kind == node.kind
        {
            is_taken.1.set(r, true);
            coherent.push((l, r));
        }
    }
    coherent.sort_unstable();
    coherent
}

/// The partner of each scope of lhs: scopes with most common nodes meet first.
fn partners<'n>(suggested: impl Iterator<Item = (&'n str, &'n str)>) -> BTreeMap<&'n str, &'n str> {
    let mut votes = BTreeMap::<_, usize>::new();
    for scopes in suggested {
        *votes.entry(scopes).or_default() += 1;
    }
    let mut votes: Vec<_> = votes.into_iter().collect();
    votes.sort_by_key(|&(scopes, count)| (Reverse(count), scopes));
    let (mut partners, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for ((l, r), _) in votes {
        if !partners.contains_key(l) && taken.insert(r) {
            partners.insert(l, r);
        }
    }
    partners
}

/// The outermost scopes in which the names differ by a number.
fn renumbered_scopes<'n>(lhs: &'n str, rhs: &'n str) -> Option<(&'n str, &'n str)> {
    renumbered_part(lhs, rhs)?;
    scopes(lhs).zip(scopes(rhs)).find(|(l, r)| l != r)
}

/// The scopes of a name, the outermost first.
fn scopes(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').take(MAX_SCOPES).filter_map(|(at, _)| name.get(..at))
}
