//! Matches the nodes that have no partner of the same name, and chooses between two ways to match numbered names.

use super::aligned::{Neighbors, Proposals};
use super::consumers::BothConsumers;
use super::cost::{cost, may_be_renumbered};
use super::extend::{self, Requirement};
use super::matching::Matching;
use super::outer_renames::OuterRenames;
use super::renames::Renames;
use super::savers::Savers;
use super::scopes;
use super::structure::{self, Ties};
use crate::graph::Graph;

/// Matches the nodes that are unmatched after `by_name`.
///
/// Swapping the sides swaps the pairs.
pub(super) fn match_others<'g, 'm>(
    by_name: Matching<'g, 'm>,
    savers: &mut Savers,
    outer: OuterRenames<'_>,
    threads: usize,
) -> Matching<'g, 'm> {
    // The choice among equally good pairs depends on the order of the sides, so the nodes decide the order.
    let nodes = |graph: &'g Graph<'m>| graph.nodes().iter().map(|node| node.bytes);
    if nodes(by_name.lhs).le(nodes(by_name.rhs)) {
        return match_in_order(by_name, savers, outer, threads);
    }
    savers.flip();
    let matching = match_in_order(by_name.flipped(), savers, outer.flipped(), threads).flipped();
    savers.flip();
    matching
}

/// Matches the nodes that are unmatched after `by_name`.
///
/// Where nodes may have been numbered anew, they are also matched in the order of their definition, and in
/// functions by the renames of their callers. The matching with the least to tell is chosen, or the one by name
/// if others have as much.
fn match_in_order<'g, 'm>(
    mut by_name: Matching<'g, 'm>,
    savers: &Savers,
    outer: OuterRenames<'_>,
    threads: usize,
) -> Matching<'g, 'm> {
    let is_renumbered = may_be_renumbered(&by_name);
    if !is_renumbered && !by_name.may_have_renames() {
        return by_name;
    }
    let users = BothConsumers::of(&by_name, threads);
    let sides = (by_name.lhs, by_name.rhs);
    if !is_renumbered {
        find_renamed(&mut by_name, savers, &users);
        return by_name;
    }
    let search = |mut matching: Matching<'g, 'm>| {
        find_renamed(&mut matching, savers, &users);
        (cost(&matching, savers, &users, outer), matching)
    };
    let (of_names, by_name) = search(by_name);
    // Any other matching renames at least one node.
    if of_names <= usize::from(outer.is_empty()) {
        return by_name;
    }
    let proposals = Proposals::new(sides, savers, &users);
    let in_order = |neighbors| Some(proposals.as_ref()?.matching(neighbors));
    let best_below = |found: [Option<Matching<'g, 'm>>; 2], most: usize| {
        let best = found.into_iter().flatten().map(search).min_by_key(|(cost, _)| *cost);
        best.filter(|(cost, _)| *cost < most)
    };
    let best = best_below([outer.matching(sides.0, sides.1), in_order(Neighbors::First)], of_names)
        // Against the neighbors, the order has to halve the number of changes to win.
        .or_else(|| best_below([in_order(Neighbors::Last), None], of_names / 2));
    best.map_or(by_name, |(_, matching)| matching)
}

/// Pairs renamed nodes, from the most to the least reliable criterion, since each builds on the pairs found
/// before.
fn find_renamed(matching: &mut Matching<'_, '_>, savers: &Savers, users: &BothConsumers) {
    type Search = fn(&mut Matching<'_, '_>, &BothConsumers);
    let searches: [Search; 8] = [
        |m, users| structure::pair_alike(m, users, Ties::Leave),
        |m, users| extend::extend(m, users, Requirement::NodeHash),
        |m, users| structure::pair_alike(m, users, Ties::ByName),
        |m, users| extend::extend(m, users, Requirement::NodeHash),
        |m, _| scopes::pair_scopes(m),
        |m, users| extend::extend(m, users, Requirement::Op),
        |m, users| structure::pair_alike(m, users, Ties::ByNameUneven),
        |m, users| extend::extend(m, users, Requirement::NodeHash),
    ];
    for find in searches {
        if !matching.may_have_renames() {
            return;
        }
        find(matching, users);
    }
    if matching.may_have_renames() {
        Renames::of(matching, |r| savers.is_restoring(r)).pair_by_renames(matching);
    }
}
