//! Numbers that `f32` represents, computed in it with a margin for its rounding, in twice as many lanes as in `f64`. Where the margin
//! would decide, the result is unknown, and computed again in `f64`.
#![expect(
    clippy::indexing_slicing,
    reason = "loops over arrays of LANES elements; written with iterators they do not vectorize"
)]

use crate::compare::Sides;
use crate::compare::grid::LANES;
use crate::compare::histogram::GROUP;
use crate::compare::tally::Extremes;
use crate::tensor::{Encoding, Number, power_of_two};

use super::blocks::Blocks;
use super::ties::RelativeTies;

/// Facts about the elements of a cell that are computed in `f32`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NarrowElements {
    is_integer: bool,
    /// Whether differences are exact in `f32`.
    are_differences_exact: bool,
    /// See [`RelativeTies::settled_maximum`].
    pub(super) settled_maximum: Option<f64>,
}

impl NarrowElements {
    /// The elements of a cell with these sums of squares.
    pub(super) fn new<T: Number>(
        squares: Sides<f64>,
        ties: &mut RelativeTies,
        extremes: &Extremes,
    ) -> Self {
        // Numbers are multiples of a unit, so up to 2^24 units differences are exact.
        let unit = match T::ENCODING {
            Encoding::Float(layout) => 1 - layout.bias - layout.fraction_bits.cast_signed(),
            Encoding::Integer { .. } => 0,
        };
        let most = f32::MANTISSA_DIGITS.cast_signed() - 1 + unit;
        let is_narrow = size_of::<T>() < size_of::<f32>();
        Self {
            is_integer: !T::FLOAT,
            are_differences_exact: is_narrow
                && squares.lhs.max(squares.rhs) <= power_of_two(2 * most),
            settled_maximum: ties.settled_maximum::<T>(extremes),
        }
    }
}

/// The statistics that are decided by the values.
pub(super) struct FoundValues {
    pub(super) outside: u64,
    pub(super) exceeding: u64,
    pub(super) max_abs: f64,
}

/// Smaller than every difference in `f32` but 0, which is within every tolerance.
const LEAST_NARROW: f32 = f32::from_bits(1);

#[inline(always)]
pub(super) fn or_least(bound: f32) -> f32 {
    if bound > LEAST_NARROW { bound } else { LEAST_NARROW }
}

/// Slightly below a threshold, since a lower one only means that more pairs are looked at.
#[expect(clippy::cast_possible_truncation, reason = "the margin is larger than the rounding")]
pub(super) fn narrow_threshold(threshold: f64) -> f32 {
    (threshold.min(MOST_TOLERANCE) * (1.0 - MARGIN)) as f32
}

/// Counts in `f32`, with bounds on both sides of the tolerance: pairs between them are left to [`Values`].
pub(super) struct NarrowValues<'a> {
    blocks: Blocks<'a, f32>,
    /// Pairs beyond this tolerance are outside.
    above: (f32, f32),
    /// Pairs within this tolerance are not.
    below: (f32, f32),
    threshold: f32,
    /// Whether differences are exact.
    is_exact: bool,
}

/// How far the bounds are from the tolerance: more than the error of four operations in `f32`.
const MARGIN: f64 = 1.0 / (1u32 << 20) as f64;
/// The smallest and the largest tolerances whose products with any `f32` are not rounded by more than that.
const LEAST_TOLERANCE: f64 = f64::from_bits((1023 - 100) << 52);
/// See [`LEAST_TOLERANCE`].
const MOST_TOLERANCE: f64 = f64::from_bits((1023 + 100) << 52);

/// Whether products of `x` with any `f32` are rounded by no more than the margin.
fn fits(x: f64) -> bool {
    x == 0.0 || (LEAST_TOLERANCE..=MOST_TOLERANCE).contains(&x)
}

impl<'a> NarrowValues<'a> {
    /// `None` for tolerances whose products could leave the range of `f32`.
    #[expect(clippy::cast_possible_truncation, reason = "the margin is larger than the rounding")]
    pub(super) fn new(
        blocks: Blocks<'a, f32>,
        elements: &NarrowElements,
        tolerance: Option<(f64, f64)>,
        threshold: f64,
    ) -> Option<Self> {
        let bounds = |(atol, rtol): (f64, f64), factor: f64| {
            ((atol * factor) as f32, (rtol * factor) as f32)
        };
        let (above, below) = match tolerance {
            None => ((f32::MAX, 0.0), (f32::MAX, 0.0)),
            // Between two integers, no difference is undecided.
            Some((atol, 0.0))
                if elements.is_integer && atol < f64::from(1 << f32::MANTISSA_DIGITS) =>
            {
                let within = atol.floor() as f32;
                ((within, 0.0), (within + 1.0, 0.0))
            }
            Some((atol, rtol)) if fits(atol) & fits(rtol) => {
                (bounds((atol, rtol), 1.0 + MARGIN), bounds((atol, rtol), 1.0 - MARGIN))
            }
            Some(_) => return None,
        };
        let threshold = match elements.settled_maximum {
            Some(max) => (max * (1.0 + MARGIN)) as f32,
            None => narrow_threshold(threshold),
        };
        Some(Self { blocks, above, below, threshold, is_exact: elements.are_differences_exact })
    }
}

impl pulp::NullaryFnOnce for NarrowValues<'_> {
    type Output = Option<FoundValues>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { blocks, above, below, threshold, is_exact } = self;
        let mut outside = [0u32; LANES];
        let mut not_inside = [0u32; LANES];
        let mut exceeding = [0u32; LANES];
        let mut max_abs = [0.0f32; LANES];
        for (lhs, rhs) in blocks.iter() {
            for i in 0..LANES {
                let (abs_diff, magnitude) = ((rhs[i] - lhs[i]).abs(), lhs[i].abs());
                outside[i] += u32::from(abs_diff > above.0 + above.1 * magnitude);
                not_inside[i] += u32::from(abs_diff >= or_least(below.0 + below.1 * magnitude));
                exceeding[i] += u32::from(abs_diff >= or_least(threshold * magnitude));
                max_abs[i] = if abs_diff > max_abs[i] { abs_diff } else { max_abs[i] };
            }
        }
        let max_abs = max_abs.into_iter().fold(0.0, f32::max);
        let outside: u32 = outside.iter().sum();
        let is_decided = max_abs.is_finite() && outside == not_inside.iter().sum::<u32>();
        is_decided.then(|| FoundValues {
            outside: outside.into(),
            exceeding: exceeding.iter().sum::<u32>().into(),
            // A difference in `f64` may round to a larger number; 0 and integers are exact.
            max_abs: if is_exact | (max_abs == 0.0) { max_abs } else { max_abs.next_up() }.into(),
        })
    }
}

/// The operands of tolerances for some pairs; aligned, so that no vector crosses a cache line.
#[repr(align(64))]
pub(super) struct NarrowOperands {
    /// Bounds of the differences: one is outside of a tolerance below the least, and inside of one above the most.
    least: [f32; GROUP],
    most: [f32; GROUP],
    magnitudes: [f32; GROUP],
    len: usize,
}

impl NarrowOperands {
    pub(super) fn new() -> Self {
        Self { least: [0.0; GROUP], most: [0.0; GROUP], magnitudes: [0.0; GROUP], len: 0 }
    }

    /// Takes the pairs of at most a group. Returns false if a difference is beyond `f32`.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the margins have few bits")]
    pub(super) fn fill(&mut self, pairs: Blocks<'_, f32>) -> bool {
        let (below, above) = ((1.0 - MARGIN) as f32, (1.0 + MARGIN) as f32);
        self.len = pairs.lhs.as_flattened().len();
        let to = self.least.iter_mut().zip(&mut self.most).zip(&mut self.magnitudes);
        for ((x, y), ((least, most), magnitude)) in pairs.pairs().zip(to) {
            let abs_diff = (y - x).abs();
            *least = abs_diff * below;
            // No difference is inside of every tolerance, even of 0.
            *most = if abs_diff > 0.0 { abs_diff * above } else { -1.0 };
            *magnitude = x.abs();
        }
        // The bits of positive floats order as the floats do.
        let most = self.most.get(..self.len).unwrap_or_default();
        let largest = most.iter().fold(0, |most, x| x.to_bits().cast_signed().max(most));
        largest < f32::INFINITY.to_bits().cast_signed()
    }

    /// The number of pairs outside a tolerance; `None` if a pair is too close to it.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the margin is larger than the rounding")]
    pub(super) fn outside(&self, atol: f64, rtol: f64) -> Option<u64> {
        if !(fits(atol) && fits(rtol)) {
            return None;
        }
        let (atol, rtol) = (atol as f32, rtol as f32);
        let pairs = self.least.iter().zip(&self.most).zip(&self.magnitudes).take(self.len);
        let (outside, not_inside) =
            pairs.fold((0u32, 0u32), |(outside, not_inside), ((&least, &most), &magnitude)| {
                let tolerance = atol + rtol * magnitude;
                (outside + u32::from(least > tolerance), not_inside + u32::from(most >= tolerance))
            });
        (outside == not_inside).then_some(outside.into())
    }
}
