//! Finds renamed scopes by their nodes.

use std::collections::BTreeMap;

use super::matching::Matching;
use super::structure::hash;
use crate::graph::{Graph, NodeId};

/// The maximum number of nested scopes of a name that are looked up; a file may have names of any length.
pub(in crate::diff) const MAX_SCOPES: usize = 64;

/// The fewest common nodes of two scopes.
const MIN_NODES: usize = 3;

/// Pairs the nodes of scopes with mostly equal nodes by their names in the scope, whatever else changed in
/// them.
pub(super) fn pair_scopes(matching: &mut Matching<'_, '_>) {
    let mut votes: Vec<(Scopes, Vec<(NodeId, NodeId)>)> = votes(matching).into_iter().collect();
    votes.sort_by(|(a, x), (b, y)| y.len().cmp(&x.len()).then_with(|| a.cmp(b)));
    let (lhs, rhs) = {
        let sorted = |ids: Vec<NodeId>, graph: &Graph<'_>| {
            let mut names: Vec<_> =
                ids.into_iter().map(|id| graph.node(id).name.to_owned()).collect();
            names.sort_unstable();
            names
        };
        (
            sorted(matching.unmatched_in_lhs(), matching.lhs),
            sorted(matching.unmatched_in_rhs(), matching.rhs),
        )
    };
    for (scopes, pairs) in votes {
        let pairs: Vec<_> = pairs
            .into_iter()
            .filter(|&(l, r)| matching.to_rhs(l).is_none() && matching.to_lhs(r).is_none())
            .collect();
        let share = |unmatched: usize| pairs.len() >= MIN_NODES && pairs.len() * 2 >= unmatched;
        if share(inside(&lhs, &scopes.from))
            && share(inside(&rhs, &scopes.to))
            && fits(matching, &pairs)
        {
            for (l, r) in pairs {
                matching.pair(l, r);
            }
        }
    }
}

/// A scope of lhs and one of rhs, each with its last slash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Scopes {
    from: String,
    to: String,
}

/// The pairs of nodes that suggest each pair of scopes: nodes whose longest common end of the name is unique
/// on both sides.
fn votes(matching: &Matching<'_, '_>) -> BTreeMap<Scopes, Vec<(NodeId, NodeId)>> {
    let mut ends: Vec<(u64, bool, usize, NodeId)> = Vec::new();
    for (ids, is_rhs) in [(matching.unmatched_in_lhs(), false), (matching.unmatched_in_rhs(), true)]
    {
        let graph = if is_rhs { matching.rhs } else { matching.lhs };
        for id in ids {
            let node = graph.node(id);
            let slashes = node.name.match_indices('/').map(|(at, _)| at + 1).take(MAX_SCOPES);
            for start in std::iter::once(0).chain(slashes) {
                let end = node.name.get(start..).unwrap_or_default();
                ends.push((hash(&(end, node.op)), is_rhs, start, id));
            }
        }
    }
    ends.sort_unstable();
    let mut best = BTreeMap::<NodeId, (usize, usize, NodeId)>::new();
    for alike in ends.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, false, from, l), (_, true, to, r)] = alike {
            let known = best.entry(*l).or_insert((*from, *to, *r));
            if *from < known.0 {
                *known = (*from, *to, *r);
            }
        }
    }
    let mut votes = BTreeMap::<Scopes, Vec<_>>::new();
    for (l, (from, to, r)) in best {
        let start = |name: &str, len| name.get(..len).unwrap_or_default().to_owned();
        let scopes = Scopes {
            from: start(matching.lhs.node(l).name, from),
            to: start(matching.rhs.node(r).name, to),
        };
        votes.entry(scopes).or_default().push((l, r));
    }
    votes
}

/// The number of names in a scope; the names are sorted.
fn inside(names: &[String], scope: &str) -> usize {
    let from = names.partition_point(|name| name.as_str() < scope);
    let behind = names.get(from..).unwrap_or_default();
    behind.partition_point(|name| name.starts_with(scope))
}

/// Whether at least half of the edges that leave the scopes lead to matched nodes.
fn fits(matching: &Matching<'_, '_>, pairs: &[(NodeId, NodeId)]) -> bool {
    let (mut same, mut all) = (0usize, 0usize);
    for &(l, r) in pairs {
        let (lhs, rhs) = matching.inputs(l, r);
        for (a, b) in lhs.iter().zip(rhs) {
            if let (Some(partner), Some(source)) =
                (a.source.and_then(|id| matching.to_rhs(id)), b.source)
            {
                all += 1;
                same += usize::from(partner == source);
            }
        }
    }
    same * 2 >= all
}
