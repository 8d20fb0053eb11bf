//! The limits of one tensor, from what all pairs of good runs had.

use super::observation::{GATES, ObservedTensor};
use crate::rules::gate::Gate;

/// The limit of each of [`GATES`], as a distance from equality; `None` for a gate that is useless or has no meaning.
pub(super) type Limits = [Option<f64>; GATES.len()];

/// What the pairs say of one tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TensorLimits {
    pub(super) expect: Learned,
    pub(super) limits: Limits,
    /// For each gate, the largest distance of a gate that is useless.
    pub(super) useless: Limits,
}

/// Whether a tensor changed between good runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Learned {
    /// In no pair.
    Unchanged,
    /// In every pair.
    Changed,
    /// In some pairs.
    Either,
}

impl TensorLimits {
    /// The limits of a tensor from its observations in some pairs.
    ///
    /// A limit is the largest distance that a pair had, times the margin, and at least what chance alone gives. Where two runs are
    /// near each other element by element, those gates say the most, and imply the rest; elsewhere only distributions can be judged.
    pub(super) fn new(observed: &[&ObservedTensor], margin: f64) -> Self {
        let changed = observed.iter().filter(|tensor| tensor.has_changed).count();
        let expect = match changed {
            0 => Learned::Unchanged,
            all if all == observed.len() => Learned::Changed,
            _ => Learned::Either,
        };
        let (mut limits, mut useless) = (Limits::default(), Limits::default());
        let elements = observed.first().map_or(0, |tensor| tensor.elements);
        let mut is_near = false;
        for (at, gate) in GATES.into_iter().enumerate() {
            let distances =
                observed.iter().filter_map(|tensor| tensor.distances.get(at).copied()?);
            let Some(largest) = distances.max_by(f64::total_cmp) else { continue };
            if expect == Learned::Unchanged {
                continue;
            }
            let limit = (largest * margin).max(by_chance(gate, elements));
            let by_elements = matches!(gate, Gate::RelL2 | Gate::MaxAbs);
            let is_useful = match gate {
                Gate::RelL2 => {
                    is_near = limit < USELESS_MOVEMENT;
                    is_near
                }
                Gate::MaxAbs => is_near,
                _ => limit < useless_from(gate),
            };
            let slot = match (by_elements, is_near, is_useful) {
                (true, _, true) | (false, false, true) => limits.get_mut(at),
                (true, _, false) if gate == Gate::RelL2 => useless.get_mut(at),
                (false, false, false) => useless.get_mut(at),
                // What follows from another gate on elements is neither.
                _ => None,
            };
            if let Some(slot) = slot {
                *slot = Some(limit);
            }
        }
        Self { expect, limits, useless }
    }
}

/// A tensor of zeros is at this distance (`rel_l2`), and an unrelated one beyond it. A larger limit would accept both.
const USELESS_MOVEMENT: f64 = 1.0;

/// The limit from which a gate accepts tensors that are certainly wrong: one of half or twice the scale, means a standard deviation
/// apart, half of the values elsewhere.
fn useless_from(gate: Gate) -> f64 {
    match gate {
        Gate::Mean => 1.0,
        Gate::Ks | Gate::Zeros => 0.5,
        _ => std::f64::consts::LN_2,
    }
}

/// The distance that chance alone gives to two tensors of so many elements with one distribution. It keeps limits from being tighter
/// than a few good runs can establish.
fn by_chance(gate: Gate, elements: u64) -> f64 {
    let n = elements.max(1) as f64;
    let (floor, per_root, per_element) = match gate {
        Gate::Norm | Gate::Std => (0.02, 1.0, 0.0),
        Gate::Mean => (0.02, 3.0, 0.0),
        // The 5 % point of the Kolmogorov-Smirnov distance of two samples.
        Gate::Ks => (0.02, 1.36 * std::f64::consts::SQRT_2, 0.0),
        Gate::Zeros => (0.01, 0.0, 2.0),
        // Quantiles come from bins a fifth of their value wide.
        Gate::AbsP50 => (0.05, 1.5, 0.0),
        Gate::AbsP99 => (0.05, 2.0, 0.0),
        _ => (0.0, 0.0, 0.0),
    };
    floor + per_root / n.sqrt() + per_element / n
}
