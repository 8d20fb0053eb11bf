//! The tolerances under which a comparison would pass.

use crate::compare::{Comparison, NanPolicy};
use crate::diff::{Diff, Status};

/// The smallest tolerances under which all tensors would be close. Each would pass by itself; `None` if no value does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// The relative tolerance, with an absolute one of 0.
    pub rtol: Option<f64>,
    /// The absolute tolerance, with a relative one of 0.
    pub atol: Option<f64>,
    /// The distance in representable values, if tensors were compared by it.
    pub ulp: Option<u64>,
    /// How far any tensor moved as a whole; `None` if an element became NaN or infinite, or if a tensor has no numbers.
    pub rel_l2: Option<f64>,
}

/// The tolerances that would pass; `None` if no tolerance can, because something other than values differs, or nothing differs.
/// Tolerances of some tensors stay in force whatever else is given, so with them none is known.
pub fn passing(diff: &Diff) -> Option<Passing> {
    let counts = diff.counts();
    let others = [Status::Added, Status::Removed, Status::Dtype, Status::Shape, Status::Error];
    if others.iter().any(|&status| counts.of(status) > 0) || diff.weights().semantic > 0 {
        return None;
    }
    let different = with_status(diff, Status::Different)?;
    if different.is_empty() || diff.options.criteria.bounds().next().is_some() {
        return None;
    }
    // Tensors that are close by another criterion must stay close.
    let judged: Vec<_> = different.into_iter().chain(with_status(diff, Status::Close)?).collect();
    let largest = |part: fn(&Comparison) -> Option<f64>| {
        let parts: Option<Vec<f64>> = judged.iter().map(|comparison| part(comparison)).collect();
        parts?.into_iter().reduce(f64::max)
    };
    let rtol = largest(|comparison| comparison.passes_at.rtol);
    let atol = largest(|comparison| comparison.passes_at.atol);
    let ulps: Option<Vec<u64>> = judged.iter().map(|comparison| comparison.max_ulp).collect();
    // If no atol passes, an element is not finite, and no number of ulps passes either.
    let by_ulp = diff.options.compare.tolerance.ulp.is_some() && atol.is_some();
    let ulp = ulps.filter(|_| by_ulp).and_then(|ulps| ulps.into_iter().max());
    let rel_l2 = largest(|comparison| comparison.rel_l2).filter(|_| atol.is_some());
    Some(Passing { rtol, atol, ulp, rel_l2: rel_l2.filter(|moved| moved.is_finite()) })
}

/// Whether every difference of values is the sign of a zero or the bits of a NaN.
pub fn only_bits_differ(diff: &Diff) -> bool {
    let options = &diff.options.compare;
    let is_bits = |comparison: &&Comparison| {
        let zero_sign = comparison.zero_sign.unwrap_or(0);
        comparison.differing == zero_sign + comparison.nan_payload.unwrap_or(0)
    };
    options.tolerance.is_bits()
        && options.nan == NanPolicy::Equal
        && with_status(diff, Status::Different)
            .is_some_and(|different| !different.is_empty() && different.iter().all(is_bits))
}

/// The comparisons of tensors with this status; `None` if one was not compared by value.
fn with_status(diff: &Diff, status: Status) -> Option<Vec<&Comparison>> {
    let tensors = diff.tensors.iter().filter(|tensor| tensor.status == status);
    tensors.map(|tensor| tensor.comparison.as_deref()).collect()
}
