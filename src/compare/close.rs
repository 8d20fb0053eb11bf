//! The definition: when two elements are close.
//!
//! Every other file in this module computes the same faster, and is tested against this one.
//!
//! 1. Equal bits are equal, except for NaN under [`NanPolicy::Differ`].
//! 2. `atol`, `rtol` (0 where only another tolerance is given): `|rhs - lhs| <= atol + rtol * |lhs|` in `f64`, each operation
//!    rounded, none fused. An infinity is close only to itself, NaN to NaN as the policy says, both zeros to each other.
//! 3. `ulp`: both are finite, and at most this many representable values apart.

use super::pair::Pair;
use super::{NanPolicy, Tolerance};

/// A tolerance with its NaN policy, which decides whether a pair is close.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// `atol` and `rtol`; `None` without any tolerance, when values compare by bits.
    pub(super) absolute: Option<(f64, f64)>,
    pub(super) ulp: Option<u64>,
    pub(super) nan: NanPolicy,
}

impl Rule {
    pub(super) fn new(tolerance: &Tolerance, nan: NanPolicy) -> Self {
        // Adding 0.0 turns -0.0 into 0.0, whose bits order as numbers do.
        let part = |part: Option<f64>| part.unwrap_or_default() + 0.0;
        let absolute = (!tolerance.is_bits()).then(|| (part(tolerance.atol), part(tolerance.rtol)));
        Self { absolute, ulp: tolerance.ulp, nan }
    }

    /// The rule with the largest tolerance: a pair that is not close under it is close under none.
    pub(super) fn any(nan: NanPolicy) -> Self {
        Self { absolute: Some((f64::MAX, 0.0)), ulp: None, nan }
    }

    /// Whether the pair is close.
    pub(super) fn is_close(&self, pair: &Pair) -> bool {
        if !pair.differs {
            return !(pair.lhs.is_nan() && self.nan == NanPolicy::Differ);
        }
        let Some((atol, rtol)) = self.absolute else {
            return false;
        };
        if pair.both_nan() {
            return self.nan == NanPolicy::Equal;
        }
        if !pair.is_finite() {
            return pair.lhs == pair.rhs;
        }
        pair.abs_diff <= atol + rtol * pair.lhs_magnitude
            || self.ulp.is_some_and(|most| pair.ulps.is_some_and(|ulps| ulps <= most))
    }
}
