//! The comparison of two tensors: every statistic that is reported, declared once.

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::error::Result;
use crate::serial::{self, Json, Object, Read};
use crate::tensor::Scalar;

use super::histogram::{Bins, Histogram};
use super::operands::Operands;
use super::statistic::Statistic;
use super::sums::Sums;
use super::tally::{Tally, Worst};
use super::tensor_pair::PairKind;
use super::value_histogram::ValueHistogram;
use super::{Sides, Tolerance};

/// Declares the statistics: the field of [`Comparison`], which is also the key in JSON; its value, from a tally; and, where it
/// is not the default of its type, what writes and reads its form in JSON.
macro_rules! statistics {
    (
        |$tally:ident, $sums:ident, $kind:ident|
        $($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr $(, in JSON: $json:path, $read:path)?;)*
    ) => {
        /// The comparison of two tensors, element by element.
        ///
        /// A statistic is `None` where it has no meaning for the dtype, or no value. Maxima and sums are over the pairs of two
        /// finite elements. Positions are in row-major order; [`Shape::unravel`](crate::tensor::Shape::unravel) turns them into indices.
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

            /// Reads the statistics that [`serialize_entries`](Self::serialize_entries) wrote; `None` without a comparison.
            ///
            /// # Errors
            /// If one is missing or has another value.
            fn read_entries(object: &Object<'_>, operands: &Operands<'_>) -> Result<Self> {
                Ok(Self {
                    $($name: object.with(stringify!($name), |json| {
                        statistics!(@read json, operands $(, $read)?)
                    })?,)*
                })
            }
        }
    };
    (@read $read_json:expr, $operands:ident) => { Statistic::read($read_json, $operands) };
    (@read $read_json:expr, $operands:ident, $read:path) => { $read($read_json, $operands) };
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
    first: Option<u64> = tally.extremes.first, in JSON: Operands::index, Operands::position;
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
    histogram: Option<Histogram> = tally.bins.as_deref().map(Bins::histogram);
    /// Values of each side by sign and magnitude, if requested, for two real numbers. Boxed, since most comparisons have none.
    values: Option<Box<Sides<ValueHistogram>>> = tally.values.clone().map(Box::new);
    /// Zeros of each side, where `values` are.
    zeros: Option<Sides<u64>> = tally.values.as_ref().map(|of| Sides { lhs: of.lhs.zeros(), rhs: of.rhs.zeros() });
    /// The Kolmogorov–Smirnov distance of the two distributions of `values`.
    ks: Option<f64> = tally.values.as_ref().and_then(|of| of.lhs.ks_distance(&of.rhs));
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

impl Comparison {
    /// The statistics that a report has, if the values of the two tensors were compared.
    ///
    /// # Errors
    /// If one is missing, has another value than it can have, or counts more elements than there are.
    pub(crate) fn read(
        object: &Object<'_>,
        operands: Option<&Operands<'_>>,
    ) -> Result<Option<Box<Self>>> {
        let Some(elements) = object.get::<Option<u64>>("elements")? else { return Ok(None) };
        let wrong = |why: &str| Err(object.place().error(why));
        let Some(operands) = operands else {
            return wrong("a side is missing, and there are statistics of both");
        };
        if elements != operands.shape.elements() {
            return wrong("elements is not the number of elements of the shape");
        }
        let read = Self::read_entries(object, operands)?;
        match read.counts_fit() {
            true => Ok(Some(Box::new(read))),
            false => wrong("a count is larger than the number of elements"),
        }
    }

    /// Whether no count is larger than the number of elements.
    fn counts_fit(&self) -> bool {
        let of_sides = [self.nan, self.inf, self.zeros].into_iter().flatten();
        let single = [self.nan_new, self.zero_sign, self.nan_payload, self.zero_lhs];
        let counts = of_sides.flat_map(|of| [of.lhs, of.rhs]).chain(single.into_iter().flatten());
        let counts = counts.chain([self.differing, self.mismatched]);
        let counts = counts.chain(self.tolerances.iter().map(|(_, mismatched)| *mismatched));
        let bins = self.histogram.iter().flat_map(|of| [&of.abs, &of.ulp]);
        let binned = bins.map(|bins| bins.values().copied().fold(0, u64::saturating_add));
        let values = self.values.iter().flat_map(|of| [of.lhs.count(), of.rhs.count()]);
        counts.chain(binned).chain(values).all(|count| count <= self.elements)
    }
}

impl PassesAt {
    fn new(tally: &Tally) -> Self {
        let can_pass = tally.counts.never_close == 0;
        let passes = |tolerance: f64| Some(tolerance).filter(|t| can_pass && t.is_finite());
        Self { rtol: passes(tally.extremes.rtol), atol: passes(max_abs(tally).unwrap_or(0.0)) }
    }
}

impl Statistic for PassesAt {
    fn json(&self, _: &Operands<'_>) -> impl Serialize {
        self
    }

    fn read(json: Json<'_>, _: &Operands<'_>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { rtol: object.get("rtol")?, atol: object.get("atol")? })
    }
}
