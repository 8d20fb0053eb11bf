//! Frozen tensors: those that never change.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::drift::{Change, Tensor};
use super::step::{Step, is_weight};

/// The weights that have the same bits in every comparison, if any other weight moved.
pub(super) fn tensors(steps: &[Step]) -> Vec<Arc<Tensor>> {
    let mut is_frozen = BTreeMap::<&Arc<Tensor>, bool>::new();
    for drift in steps.iter().filter_map(|step| step.drift.as_ref()) {
        for of in drift.tensors.iter().filter(|of| is_weight(&of.tensor)) {
            *is_frozen.entry(&of.tensor).or_insert(true) &= of.change == Change::Same;
        }
    }
    if is_frozen.values().all(|&is_frozen| is_frozen) {
        return Vec::new();
    }
    is_frozen
        .into_iter()
        .filter(|(_, is_frozen)| *is_frozen)
        .map(|(of, _)| Arc::clone(of))
        .collect()
}
