//! Statistics as far as they are known: exactly after a comparison, within bounds from a saved report.

use crate::compare::{Comparison, NanPolicy, Sides, Tolerance, ValueHistogram};
use crate::tensor::{Scalar, power_of_two};

/// A statistic of two tensors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Measured {
    /// Within these bounds; known exactly if they are equal.
    Within(f64, f64),
    /// Not known, because the comparison had no histogram of values.
    Unknown,
    /// The tensor has no such statistic.
    Meaningless,
}

impl Measured {
    pub(super) fn exact(value: f64) -> Self {
        Self::Within(value, value)
    }

    /// A statistic of the histograms of values; `of_equal` where the two sides are equal.
    pub(super) fn of_values(
        of: &Comparison,
        statistic: impl Fn(&Sides<ValueHistogram>) -> Option<f64>,
        of_equal: f64,
    ) -> Self {
        match &of.values {
            _ if of.norm.is_none() => Self::Meaningless,
            _ if of.differing == 0 => Self::exact(of_equal),
            Some(values) => statistic(values).into(),
            None => Self::Unknown,
        }
    }
}

/// The value; a missing one has no meaning for the dtype.
impl From<Option<f64>> for Measured {
    fn from(value: Option<f64>) -> Self {
        value.filter(|value| !value.is_nan()).map_or(Self::Meaningless, Self::exact)
    }
}

/// The share of the elements that are not close under `tolerance`. `under` has the tolerance of the comparison, and how it
/// compared NaN.
pub(super) fn mismatched_share(
    of: &Comparison,
    under: (Tolerance, NanPolicy),
    tolerance: Tolerance,
) -> Measured {
    let (least, most) = mismatched(of, under, tolerance);
    let share = |count: u64| if of.elements == 0 { 0.0 } else { count as f64 / of.elements as f64 };
    Measured::Within(share(least), share(most))
}

/// The least and the largest number of elements that may not be close under `tolerance`.
fn mismatched(
    of: &Comparison,
    (under, nan): (Tolerance, NanPolicy),
    tolerance: Tolerance,
) -> (u64, u64) {
    if of.zero_lhs.is_none() {
        // Elements that are no numbers are equal or not, under any tolerance.
        return (of.mismatched, of.mismatched);
    }
    // NaN of equal bits do not differ, and still mismatch if no NaN is close to another.
    let equal_nan = match nan {
        NanPolicy::Equal => 0,
        NanPolicy::Differ => of.nan.map_or(0, |nan| nan.lhs.min(nan.rhs)),
    };
    let counted = [(under, of.mismatched)].into_iter().chain(of.tolerances.iter().copied());
    let (mut least, mut most) = (0, of.elements.min(of.differing.saturating_add(equal_nan)));
    for (other, count) in counted {
        if other == tolerance {
            return (count, count);
        }
        if is_within(other, tolerance) {
            most = most.min(count);
        }
        if is_within(tolerance, other) {
            least = least.max(count);
        }
    }
    if tolerance.is_bits() {
        return (least.max(of.differing), most);
    }
    if passes(of, tolerance) {
        return (0, 0);
    }
    if fails(of, tolerance) {
        least = least.max(1);
    }
    if let Some(histogram) = &of.histogram
        && tolerance.ulp.is_none()
    {
        let atol = tolerance.atol.unwrap_or_default();
        let certainly_within = histogram.abs.iter().filter(|(p, _)| power(**p + 1) <= atol);
        let within: u64 = certainly_within.map(|(_, count)| count).sum();
        most = most.min(of.differing.saturating_sub(within).saturating_add(equal_nan));
        if tolerance.rtol.unwrap_or_default() == 0.0 {
            let beyond = histogram.abs.iter().filter(|(p, _)| power(**p) > atol);
            least = least.max(beyond.map(|(_, count)| count).sum());
        }
    }
    (least.min(most), most)
}

/// 2 to a power from that of the least `f64` on.
fn power(power: i32) -> f64 {
    const LEAST: i32 = -1074;
    match power {
        1024.. => f64::INFINITY,
        -1022.. => power_of_two(power),
        // `powi` computes these as 0.
        _ => f64::from_bits(1 << (power - LEAST).clamp(0, 51)),
    }
}

/// Whether every pair that is close under `inner` is close under `outer`.
fn is_within(inner: Tolerance, outer: Tolerance) -> bool {
    if inner.is_bits() {
        return true;
    }
    if outer.is_bits() {
        return false;
    }
    let fits = |part: fn(Tolerance) -> Option<f64>| {
        part(inner).unwrap_or_default() <= part(outer).unwrap_or_default()
    };
    let ulp_fits = match (inner.ulp, outer.ulp) {
        (None, _) => true,
        (Some(inner), Some(outer)) => inner <= outer,
        (Some(_), None) => false,
    };
    fits(|of| of.atol) && fits(|of| of.rtol) && ulp_fits
}

/// Whether all pairs are certainly close.
fn passes(of: &Comparison, tolerance: Tolerance) -> bool {
    let reaches = |part: Option<f64>, least: Option<f64>| {
        part.zip(least).is_some_and(|(part, least)| part >= least)
    };
    let can_pass = of.passes_at.atol.is_some();
    reaches(tolerance.atol, of.passes_at.atol)
        || reaches(tolerance.rtol, of.passes_at.rtol)
        || tolerance.ulp.zip(of.max_ulp).is_some_and(|(most, found)| can_pass && found <= most)
}

/// Whether a pair is certainly not close.
fn fails(of: &Comparison, tolerance: Tolerance) -> bool {
    let Tolerance { atol, rtol, ulp } = tolerance;
    let (atol, rtol) = (atol.unwrap_or_default(), rtol.unwrap_or_default());
    if of.passes_at.atol.is_none() && of.max_abs.is_none_or(f64::is_finite) {
        // Without a tolerance that would pass, a pair is close under none, unless a difference is beyond all finite numbers.
        return true;
    }
    if ulp.is_some() {
        return false;
    }
    let worst_fails = || {
        let worst = of.worst.as_ref()?;
        Some(of.max_abs? > atol + rtol * real(worst.lhs)?.abs())
    };
    rtol == 0.0 && of.passes_at.atol.is_some_and(|least| atol < least)
        || atol == 0.0 && of.passes_at.rtol.is_none_or(|least| rtol < least)
        || worst_fails() == Some(true)
}

/// A real number as `f64`, rounded as the comparison rounds it; `None` for other elements.
pub(super) fn real(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::Float(value) => Some(value),
        Scalar::Integer(value) => Some(value as f64),
        Scalar::Bool(_) | Scalar::Complex(..) => None,
    }
}
