//! The comparison of two tensors: every statistic that is reported, declared once.

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::serial::{self, object};
use crate::tensor::{DType, Scalar, Shape};

use super::grid::Sums;
use super::histogram::{Bins, Histogram};
use super::tally::{Tally, Worst};
use super::tensor_pair::PairKind;
use super::{Sides, Tolerance};

/// Declares the statistics: the field of [`Comparison`], which is also the key in JSON; its value, from a tally; and, where it
/// is not the default of its type, its form in JSON.
macro_rules! statistics {
    (
        |$tally:ident, $sums:ident, $kind:ident|
        $($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr $(, in JSON: $json:path)?;)*
    ) => {
        /// The comparison of two tensors, element by element.
        ///
        /// A statistic is `None` where it has no meaning for the dtype, or no value. Maxima and sums are over the pairs of two
        /// finite elements. Positions are in row-major order; [`Shape::unravel`] turns them into indices.
        #[derive(Debug, Clone, PartialEq, Default)]
        #[non_exhaustive]
        pub struct Comparison {
            $($(#[$doc])* pub $name: $ty,)*
        }

        impl Comparison {
            /// The statistics of two tensors of this kind, from the tally over all of their elements.
            pub(super) fn new($tally: &Tally, $kind: PairKind) -> Self {
                let sums = $tally.sums();
                let $sums = Some(&sums).filter(|sums| sums.finite > 0);
                Self { $($name: $value,)* }
            }

            /// Writes each statistic as an entry of `map`; `null` each, without a comparison.
            pub(crate) fn serialize_entries<M: SerializeMap>(
                compared: Option<(&Self, &Operands<'_>)>,
                map: &mut M,
            ) -> Result<(), M::Error> {
                $({
                    let json = compared.map(|(comparison, operands)| {
                        statistics!(@json &comparison.$name, operands $(, $json)?)
                    });
                    map.serialize_entry(stringify!($name), &json)?;
                })*
                Ok(())
            }
        }
    };
    (@json $value:expr, $operands:ident) => { $value.json($operands) };
    (@json $value:expr, $operands:ident, $json:path) => { $json($value, $operands) };
}

statistics! { |tally, sums, kind|
    /// Pairs compared.
    elements: u64 = tally.elements;
    /// Pairs of unequal bits; of unequal values where the dtypes differ.
    differing: u64 = tally.counts.differing;
    /// Pairs that are not close.
    mismatched: u64 = tally.counts.mismatched;
    /// Position of the first pair that is not close.
    first: Option<u64> = tally.extremes.first, in JSON: Operands::index;
    /// The largest `|rhs - lhs|`.
    max_abs: Option<f64> = kind.of_numbers(max_abs(tally));
    /// The largest `|rhs - lhs| / |lhs|` over lhs ≠ 0.
    max_rel: Option<f64> = kind.of_numbers(tally.extremes.max_rel);
    /// The largest distance in representable values, for floats of one dtype.
    max_ulp: Option<u64> = max_abs(tally).and_then(|_| kind.of_ulps(tally.extremes.max_ulp));
    /// The first pair with a difference of `max_abs`.
    worst: Option<Worst> = kind.of_numbers(tally.extremes.worst.map(|(_, worst)| worst));
    /// Root mean square of the differences.
    rms: Option<f64> = sums.map(Sums::rms);
    /// `‖rhs - lhs‖ / ‖lhs‖`: 0 when both are 0, infinite when only lhs is.
    rel_l2: Option<f64> = match sums {
        Some(sums) => Some(sums.rel_l2()),
        None => kind.of_numbers(0.0).filter(|_| tally.elements == 0),
    };
    /// `‖rhs - lhs‖`, the Euclidean norm of the differences.
    diff_norm: Option<f64> = sums.map(Sums::diff_norm);
    /// The Euclidean norm of each side.
    norm: Option<Sides<f64>> = sums.map(Sums::norm);
    /// Cosine of the angle between the two.
    cosine: Option<f64> = sums.and_then(Sums::cosine);
    /// Mean of each side.
    mean: Option<Sides<Scalar>> = sums.and_then(Sums::moments).map(|of| of.map(|(mean, _)| kind.mean(mean)));
    /// Standard deviation of each side (of the population).
    std: Option<Sides<f64>> = sums.and_then(Sums::moments).map(|of| of.map(|(_, std)| std));
    /// NaN elements of each side.
    nan: Option<Sides<u64>> = kind.of_floats(Sides { lhs: tally.counts.nan_lhs, rhs: tally.counts.nan_rhs });
    /// Infinite elements of each side.
    inf: Option<Sides<u64>> = kind.of_floats(Sides { lhs: tally.counts.inf_lhs, rhs: tally.counts.inf_rhs });
    /// Pairs of a number in lhs and NaN in rhs.
    nan_new: Option<u64> = kind.of_floats(tally.counts.nan_new);
    /// Differing pairs that are equal except for the sign of a zero.
    zero_sign: Option<u64> = kind.of_floats(tally.counts.zero_sign);
    /// Differing pairs of two NaN.
    nan_payload: Option<u64> = kind.of_floats(tally.counts.nan_payload);
    /// Differing pairs whose lhs is 0, which `max_rel` leaves out.
    zero_lhs: Option<u64> = kind.of_numbers(tally.counts.zero_lhs);
    /// The smallest tolerances under which every pair is close.
    passes_at: PassesAt = kind.of_numbers(PassesAt::new(tally)).unwrap_or_default();
    /// Mismatched pairs under each further tolerance, in the order of the options.
    tolerances: Vec<(Tolerance, u64)> =
        tally.further.iter().map(|further| (further.tolerance, further.mismatched)).collect();
    /// Differences by magnitude, if requested.
    histogram: Option<Histogram> = tally.bins.as_ref().map(Bins::histogram);
}

fn max_abs(tally: &Tally) -> Option<f64> {
    tally.extremes.worst.map(|(abs_diff, _)| abs_diff)
}

/// The smallest tolerances under which every pair is close (the next smaller `f64` fails); `None` where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PassesAt {
    /// With `atol` 0.
    #[serde(serialize_with = "serial::optional_float")]
    pub rtol: Option<f64>,
    /// With `rtol` 0.
    #[serde(serialize_with = "serial::optional_float")]
    pub atol: Option<f64>,
}

impl PassesAt {
    fn new(tally: &Tally) -> Self {
        let can_pass = tally.counts.never_close == 0;
        let passes = |tolerance: f64| Some(tolerance).filter(|t| can_pass && t.is_finite());
        Self { rtol: passes(tally.extremes.rtol), atol: passes(max_abs(tally).unwrap_or(0.0)) }
    }
}

/// What a report of a comparison has to know of the two tensors.
pub(crate) struct Operands<'a> {
    pub(super) shape: &'a Shape,
    pub(super) lhs: DType,
    pub(super) rhs: DType,
}

impl<'a> Operands<'a> {
    /// Two tensors of one shape and these dtypes.
    pub(crate) fn new(shape: &'a Shape, lhs: DType, rhs: DType) -> Self {
        Self { shape, lhs, rhs }
    }

    fn index(position: &Option<u64>, operands: &Self) -> Option<Vec<u64>> {
        position.map(|position| operands.shape.unravel(position))
    }
}

/// The value of a statistic, which has a form in JSON.
trait Statistic {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize;
}

impl Statistic for u64 {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        *self
    }
}

impl Statistic for f64 {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        serial::Float(*self)
    }
}

impl Statistic for Scalar {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        serial::Number(*self, DType::F64)
    }
}

impl Statistic for PassesAt {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        self
    }
}

impl Statistic for Histogram {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        self
    }
}

impl<T: Statistic> Statistic for Option<T> {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        self.as_ref().map(|value| value.json(operands))
    }
}

impl<T: Statistic + Copy> Statistic for Sides<T> {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        Sides { lhs: self.lhs.json(operands), rhs: self.rhs.json(operands) }
    }
}

impl Statistic for Worst {
    fn json(&self, operands: &Operands<'_>) -> impl Serialize {
        object! {
            index: operands.shape.unravel(self.position),
            lhs: serial::Number(self.lhs, operands.lhs),
            rhs: serial::Number(self.rhs, operands.rhs),
        }
    }
}

/// `null` without a further tolerance.
impl Statistic for Vec<(Tolerance, u64)> {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        let mismatches = |&(Tolerance { atol, rtol, .. }, mismatched): &(Tolerance, u64)| {
            let [atol, rtol] = [atol, rtol].map(|bound| bound.map(serial::Float));
            object! { atol: atol, rtol: rtol, mismatched: mismatched }
        };
        (!self.is_empty()).then(|| self.iter().map(mismatches).collect::<Vec<_>>())
    }
}
