//! What there is to say about two tensors of one shape.

use std::collections::BTreeMap;

use crate::tensor::Scalar;

use super::Tolerance;

/// One value for each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides<T> {
    /// Of the baseline.
    pub lhs: T,
    /// Of the other.
    pub rhs: T,
}

/// The comparison of two tensors, element by element.
///
/// `None` is what has no meaning for the dtype, or no value. Maxima and sums take the pairs where both elements are
/// finite. Positions count elements in row-major order; [`Shape::unravel`](crate::tensor::Shape::unravel) makes indices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Pairs compared.
    pub elements: u64,
    /// Pairs of unequal bits; of unequal values where the dtypes differ.
    pub differing: u64,
    /// Pairs that are not close.
    pub mismatched: u64,
    /// Position of the first pair that is not close.
    pub first: Option<u64>,
    /// The largest `|rhs - lhs|`.
    pub max_abs: Option<f64>,
    /// The first pair where `max_abs` is reached.
    pub worst: Option<Worst>,
    /// The largest `|rhs - lhs| / |lhs|` over lhs ≠ 0.
    pub max_rel: Option<f64>,
    /// Differing pairs whose lhs is 0, which `max_rel` leaves out.
    pub zero_lhs: Option<u64>,
    /// The largest distance in representable values, for floats of one dtype.
    pub max_ulp: Option<u64>,
    /// Root mean square of the differences.
    pub rms: Option<f64>,
    /// `‖rhs - lhs‖ / ‖lhs‖`: 0 when both are 0, infinite when only lhs is.
    pub rel_l2: Option<f64>,
    /// Cosine of the angle between the two.
    pub cosine: Option<f64>,
    /// Mean of each side.
    pub mean: Option<Sides<Scalar>>,
    /// Standard deviation of each side (of the population).
    pub std: Option<Sides<f64>>,
    /// NaN elements of each side.
    pub nan: Option<Sides<u64>>,
    /// Infinite elements of each side.
    pub inf: Option<Sides<u64>>,
    /// NaN where lhs had a number.
    pub nan_new: Option<u64>,
    /// Differing pairs that are equal but for the sign of a zero.
    pub zero_sign: Option<u64>,
    /// Differing pairs that are both NaN.
    pub nan_payload: Option<u64>,
    /// The tolerances that would pass.
    pub passes_at: PassesAt,
    /// Mismatched pairs under each further tolerance, in the order asked for.
    pub further: Vec<(Tolerance, u64)>,
    /// Differences by magnitude, when asked for.
    pub histogram: Option<Histogram>,
}

/// The first pair where the largest difference is reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Position in row-major order.
    pub position: u64,
    /// The element of the baseline.
    pub lhs: Scalar,
    /// The element of the other side.
    pub rhs: Scalar,
}

/// The smallest tolerances under which no pair mismatches (the next smaller `f64` fails); `None` where none does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassesAt {
    /// With `atol` 0.
    pub rtol: Option<f64>,
    /// With `rtol` 0.
    pub atol: Option<f64>,
}

/// How many pairs differ by how much, in powers of two. Pairs of equal values are not counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// By `floor(log2(|rhs - lhs|))`, over pairs where both are finite.
    pub abs: BTreeMap<i32, u64>,
    /// By `floor(log2(ulps))`, for floats of one dtype.
    pub ulp: BTreeMap<i32, u64>,
}
