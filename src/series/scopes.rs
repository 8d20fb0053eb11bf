//! The movement of the weights by scope, over all checkpoints.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::drift::{Change, Tensor, TensorDrift};
use super::step::{Step, is_weight};
use crate::summary::{Movement, Norms, scopes_of_names};

/// The most scopes that a series is divided into.
const MOST: usize = 12;

/// The movement of the weights below a scope, over all checkpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct ScopeTrack {
    /// The first components of the names, without a slash at the end; empty for tensors outside of any scope.
    pub scope: String,
    /// The movement at each checkpoint; `None` where it was not compared.
    pub movements: Vec<Option<Movement>>,
}

/// The movement of the weights by scope. The scopes are the deepest level of which there are at most twelve, but at least three if there are so
/// many; by name.
pub(super) fn tracks(steps: &[Step]) -> Vec<ScopeTrack> {
    let drifts = || steps.iter().map(|step| step.drift.as_deref());
    let weights = |of: &&TensorDrift| is_weight(&of.tensor);
    let tensors = drifts().flatten().flat_map(|drift| drift.tensors.iter().filter(weights));
    let mut names: BTreeMap<&Arc<Tensor>, String> =
        tensors.map(|of| (&of.tensor, String::new())).collect();
    let shown: Vec<&str> = names.keys().map(|tensor| &*tensor.shown).collect();
    let scopes = scopes_of_names(&shown, MOST);
    for (scope, name) in names.values_mut().zip(scopes) {
        *scope = name.to_owned();
    }
    let mut tracks = BTreeMap::<&str, Vec<Option<Movement>>>::new();
    for scope in names.values() {
        tracks.entry(scope).or_insert_with(|| vec![None; steps.len()]);
    }
    for (at, drift) in drifts().enumerate() {
        let mut groups = BTreeMap::<&str, Vec<&TensorDrift>>::new();
        for of in drift.into_iter().flat_map(|drift| drift.tensors.iter().filter(weights)) {
            groups.entry(names.get(&of.tensor).map_or("", String::as_str)).or_default().push(of);
        }
        for (scope, tensors) in groups {
            if let Some(place) = tracks.get_mut(scope).and_then(|track| track.get_mut(at)) {
                *place = Some(movement(&tensors));
            }
        }
    }
    let track = |(scope, movements): (&str, _)| ScopeTrack { scope: scope.to_owned(), movements };
    tracks.into_iter().map(track).collect()
}

/// The movement of some tensors together.
fn movement(tensors: &[&TensorDrift]) -> Movement {
    let is_changed = |of: &&&TensorDrift| !matches!(of.change, Change::Same | Change::Error);
    let is_non_finite = |of: &&&TensorDrift| of.non_finite.is_some_and(|found| found.is_new);
    let mut norms = Norms::default();
    for moved in tensors.iter().filter_map(|of| of.moved) {
        norms.add(moved.diff, moved.lhs, Some(moved.rel_l2));
    }
    Movement {
        changed: tensors.iter().filter(is_changed).count() as u64,
        total: tensors.len() as u64,
        non_finite: tensors.iter().filter(is_non_finite).count() as u64,
        rel_l2: norms.rel_l2(),
    }
}
