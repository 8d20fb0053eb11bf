//! Movement by scope: which part of a model moved.

use std::collections::{BTreeMap, BTreeSet};

use super::movement::{Movement, movement};
use crate::diff::TensorDiff;

/// The maximum number of components of a scope.
const MAX_PARTS: usize = 16;

/// The fewest scopes worth showing.
const FEW: usize = 3;

/// The movement of the tensors below a scope.
#[derive(Debug, Clone, PartialEq)]
pub struct ScopeMovement {
    /// The first components of the names, without a slash at the end; empty for tensors outside of any scope.
    pub scope: String,
    /// The movement.
    pub movement: Movement,
}

/// The movement by scope, those with new NaN or infinities first, then the furthest. Uses the deepest level with at most `most`
/// scopes, but at least three if there are so many.
pub fn scopes(tensors: &[&TensorDiff], most: usize) -> Vec<ScopeMovement> {
    let names: Vec<String> = tensors.iter().map(|tensor| tensor.shown_name()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let scopes: Vec<_> = scopes_of_names(&names, most).into_iter().zip(tensors).collect();
    let mut groups = BTreeMap::<&str, Vec<&TensorDiff>>::new();
    // Neighbors are in one scope, most of the time.
    for neighbors in scopes.chunk_by(|(a, _), (b, _)| a == b) {
        let Some((scope, _)) = neighbors.first() else { continue };
        groups.entry(scope).or_default().extend(neighbors.iter().map(|(_, tensor)| *tensor));
    }
    let mut scopes: Vec<_> = groups
        .into_iter()
        .map(|(scope, tensors)| ScopeMovement {
            scope: scope.to_owned(),
            movement: movement(tensors),
        })
        .collect();
    // NaN first, as in the answer.
    scopes.sort_by(|a, b| {
        let is_broken = |of: &ScopeMovement| of.movement.non_finite > 0;
        let moved = |of: &ScopeMovement| of.movement.rel_l2.filter(|_| of.movement.changed > 0);
        let order = super::section::descending(moved(a), moved(b));
        let order = is_broken(b).cmp(&is_broken(a)).then(order);
        order.then_with(|| b.movement.changed.cmp(&a.movement.changed))
    });
    scopes
}

/// The scope of each name, at the deepest level with at most `most` scopes, but at least three if there are so many.
pub(crate) fn scopes_of_names<'n>(names: &[&'n str], most: usize) -> Vec<&'n str> {
    let paths: Vec<Vec<usize>> = names.iter().map(|name| ends_of_scopes(name)).collect();
    let at_depth = |depth: usize| {
        names.iter().zip(&paths).map(move |(name, ends)| {
            let end = ends.get(..depth.min(ends.len())).and_then(<[usize]>::last);
            name.get(..end.copied().unwrap_or_default()).unwrap_or_default()
        })
    };
    let longest = paths.iter().map(Vec::len).max().unwrap_or_default();
    let count = |depth: usize| {
        let mut scopes: Vec<_> = at_depth(depth).collect();
        scopes.dedup();
        scopes.into_iter().collect::<BTreeSet<_>>().len()
    };
    let few = (1..longest).find(|&depth| count(depth) >= FEW).unwrap_or(longest);
    let depth = (few..=longest).take_while(|&depth| count(depth) <= most).last().unwrap_or(few);
    at_depth(depth).collect()
}

/// The end of each component of a name but the last. Names without a slash have dots, as those of PyTorch.
fn ends_of_scopes(name: &str) -> Vec<usize> {
    let separator = if name.contains('/') { '/' } else { '.' };
    name.match_indices(separator).map(|(at, _)| at).filter(|&at| at > 0).take(MAX_PARTS).collect()
}
