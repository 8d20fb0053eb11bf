//! How the weights grow over a series, and which of them run away; see [`trend`](super::trend).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::drift::{Change, Tensor, TensorDrift};
use super::step::{Step, is_compared, is_weight};
use super::trend::{self, Point, Runaway, Track};

/// The trends of the weights.
pub(super) struct Growth {
    /// The weights that leave their trend, the furthest first.
    pub(super) runaways: Vec<(Arc<Tensor>, Runaway)>,
    /// The exponent of each weight that has a trend.
    pub(super) exponents: Vec<(Arc<Tensor>, f64)>,
}

/// The trends of the weights of a series.
pub(super) fn of(steps: &[Step]) -> Growth {
    let times = times(steps);
    let mut tracks = BTreeMap::<&Arc<Tensor>, Track>::new();
    for ((at, step), time) in steps.iter().enumerate().zip(&times) {
        let Some(drift) = &step.drift else { continue };
        let is_judged = |of: &&TensorDrift| {
            is_weight(&of.tensor) && !of.tensor.is_scalar && is_compared(of.change)
        };
        for of in drift.tensors.iter().filter(is_judged) {
            let track = tracks.entry(&of.tensor).or_default();
            match of.moved {
                _ if of.non_finite.is_some_and(|found| found.is_new) => {
                    track.ends_non_finite = true
                }
                Some(moved) if of.change == Change::Moved && moved.diff > 0.0 => {
                    track.points.push(Point { at, time: *time, distance: moved.diff.ln() });
                    (track.moved, track.ends_non_finite) = (moved.rel_l2, false);
                }
                _ => {}
            }
        }
    }
    let (tensors, tracks): (Vec<_>, Vec<_>) = tracks.into_iter().unzip();
    let exponents = tensors.iter().zip(&tracks);
    let exponents = exponents
        .filter_map(|(tensor, track)| Some((Arc::clone(tensor), trend::exponent(track)?)))
        .collect();
    let found = tensors.iter().zip(trend::runaways(&tracks));
    let mut runaways: Vec<_> =
        found.filter_map(|(tensor, found)| Some((Arc::clone(tensor), found?))).collect();
    runaways.sort_by(|(_, a), (_, b)| b.factor.total_cmp(&a.factor));
    Growth { runaways, exponents }
}

/// The logarithm of the time of each checkpoint since the one that the others are compared with: in steps, if all checkpoints have
/// steps; else in checkpoints. A baseline outside of the series counts as the checkpoint before the first.
fn times(steps: &[Step]) -> Vec<f64> {
    let baseline = steps.iter().position(|step| step.drift.is_none() && step.errors.is_empty());
    let numbers: Option<Vec<i64>> = steps.iter().map(|step| step.step).collect();
    let numbers = numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b));
    let time = |at: usize| {
        let Some(baseline) = baseline else { return (at + 1) as f64 };
        let number = |at: usize| numbers.as_ref()?.get(at).copied();
        match number(at).zip(number(baseline)) {
            Some((number, first)) => number.saturating_sub(first) as f64,
            None => at.saturating_sub(baseline) as f64,
        }
    };
    (0..steps.len()).map(|at| time(at).max(f64::MIN_POSITIVE).ln()).collect()
}
