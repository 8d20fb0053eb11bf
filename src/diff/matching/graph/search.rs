//! Matches the nodes that equal names leave, and chooses between two ways to match numbered names.

use super::consumers::BothConsumers;
use super::cost::{cost, differing, may_be_renumbered};
use super::extend::{self, Requirement};
use super::matching::Matching;
use super::renames::Renames;
use super::savers::Savers;
use super::structure::{self, Ties};
use super::{aligned, scopes};
use crate::graph::Graph;

/// Matches the nodes that are unmatched after `by_name`.
///
/// Swapping the sides swaps the pairs.
pub(super) fn match_others<'g, 'm>(
    by_name: Matching<'g, 'm>,
    savers: &mut Savers,
    threads: usize,
) -> Matching<'g, 'm> {
    // The choice among equally good pairs depends on the order of the sides, so the nodes decide the order.
    let nodes = |graph: &'g Graph<'m>| graph.nodes().iter().map(|node| node.bytes);
    if nodes(by_name.lhs).le(nodes(by_name.rhs)) {
        return match_in_order(by_name, savers, threads);
    }
    savers.flip();
    let matching = match_in_order(by_name.flipped(), savers, threads).flipped();
    savers.flip();
    matching
}

/// Matches the nodes that are unmatched after `by_name`.
///
/// Where nodes may have been numbered anew, they are also matched in the order of their definition, and the
/// matching with less to tell is chosen, or the one by name if both have equally much.
fn match_in_order<'g, 'm>(
    mut by_name: Matching<'g, 'm>,
    savers: &Savers,
    threads: usize,
) -> Matching<'g, 'm> {
    let is_renumbered = may_be_renumbered(&by_name);
    if !is_renumbered && !by_name.may_have_renames() {
        return by_name;
    }
    let users = BothConsumers::of(&by_name, threads);
    let sides = (by_name.lhs, by_name.rhs);
    let aligned = is_renumbered.then(|| aligned::by_order(sides, savers, &users)).flatten();
    let Some(mut aligned) = aligned else {
        find_renamed(&mut by_name, savers, &users);
        return by_name;
    };
    find_renamed(&mut aligned, savers, &users);
    let of_aligned = cost(&aligned, savers, &users);
    // The pairs that were found by name stay.
    if of_aligned < differing(&by_name, &users) {
        return aligned;
    }
    find_renamed(&mut by_name, savers, &users);
    if of_aligned < cost(&by_name, savers, &users) { aligned } else { by_name }
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
