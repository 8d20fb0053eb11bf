//! The statistics of a range of elements while it is compared. Tallies of neighboring ranges merge.

use crate::tensor::Scalar;

use super::close::Rule;
use super::counts::Counts;
use super::grid::{CELL, Cell};
use super::histogram::Bins;
use super::pair::Pair;
use super::sums::{SumTree, Sums};
use super::tile::{Counted, Tile};
use super::value_histogram::ValueHistogram;
use super::{CompareOptions, Sides, Tolerance};

/// A running comparison of a range of elements that starts at the border of a cell.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    pub(super) rule: Rule,
    pub(super) further: Vec<Further>,
    /// Differences by magnitude, if requested.
    pub(super) bins: Option<Box<Bins>>,
    /// The values of each side, if requested; complete when the range is.
    pub(super) values: Option<Sides<ValueHistogram>>,
    /// Position of the next element.
    pub(super) position: u64,
    pub(super) elements: u64,
    pub(super) counts: Counts,
    pub(super) extremes: Extremes,
    /// The pairs of the current cell, if it is added pair by pair.
    cell: Cell,
    sums: SumTree,
}

/// A further tolerance, and the pairs that mismatch under it.
#[derive(Debug, Clone)]
pub(super) struct Further {
    pub(super) tolerance: Tolerance,
    pub(super) rule: Rule,
    pub(super) mismatched: u64,
}

/// Statistics that are a maximum, or a first position.
#[derive(Debug, Clone, Default)]
pub(super) struct Extremes {
    /// Position of the first pair that is not close.
    pub(super) first: Option<u64>,
    /// The largest difference of finite pairs, and the first pair that has it.
    pub(super) worst: Option<(f64, Worst)>,
    /// The largest relative difference of finite pairs with lhs ≠ 0.
    pub(super) max_rel: Option<f64>,
    /// The difference and the magnitude of the first pair that has it; `None` if it is 0 or from another range.
    pub(super) largest_relative: Option<(f64, f64)>,
    /// The largest distance of finite pairs in representable values; 0 before the first.
    pub(super) max_ulp: u64,
    /// The smallest `rtol` under which all finite pairs are close; infinite where there is none.
    pub(super) rtol: f64,
}

/// The first pair with the largest difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Position in row-major order.
    pub position: u64,
    /// The element of the baseline.
    pub lhs: Scalar,
    /// The element of the other side.
    pub rhs: Scalar,
}

impl Extremes {
    /// Records the position of a mismatch.
    pub(super) fn mismatch_at(&mut self, position: u64) {
        self.first = Some(self.first.map_or(position, |first| first.min(position)));
    }

    /// Whether a difference of `abs_diff` at `start` or later could be the worst so far.
    #[expect(clippy::float_cmp, reason = "a tie is the same number")]
    pub(super) fn may_be_worst(&self, abs_diff: f64, start: u64) -> bool {
        self.worst.is_none_or(|(most, worst)| {
            abs_diff > most || (abs_diff == most && worst.position >= start)
        })
    }

    /// Adds a pair with a large difference; of equal differences the first is kept.
    pub(super) fn worst_at(&mut self, abs_diff: f64, worst: Worst) {
        if self.may_be_worst(abs_diff, worst.position + 1) {
            self.worst = Some((abs_diff, worst));
        }
    }

    /// Records the relative difference of a finite pair.
    #[inline]
    pub(super) fn relative(&mut self, abs_diff: f64, magnitude: f64) {
        if magnitude == 0.0 {
            if abs_diff > 0.0 {
                self.rtol = f64::INFINITY;
            }
            return;
        }
        // Magnitudes of complex numbers can overflow. Infinity over infinity is no maximum; 0 times infinity is not close.
        let relative = abs_diff / magnitude;
        if !relative.is_nan() && self.max_rel.is_none_or(|most| relative > most) {
            self.max_rel = Some(relative);
            self.largest_relative = Some((abs_diff, magnitude)).filter(|_| relative > 0.0);
        }
        let is_close = abs_diff == 0.0 || abs_diff <= self.rtol * magnitude;
        if !is_close {
            self.rtol = smallest_rtol(abs_diff, magnitude);
        }
    }

    /// Records whether any finite pair has a nonzero lhs, and whether any has lhs = 0 and rhs ≠ 0.
    pub(super) fn zeros(&mut self, any_nonzero: bool, any_from_zero: bool) {
        if any_nonzero {
            self.relative(0.0, 1.0);
        }
        if any_from_zero {
            self.relative(1.0, 0.0);
        }
    }

    /// A relative difference that a pair must exceed to change a maximum. It is slightly below both maxima, so that rounding
    /// does not matter, and 0 at first.
    pub(super) fn relative_threshold(&self) -> f64 {
        self.rtol.min(self.max_rel.unwrap_or(0.0)) * (1.0 - 1.0 / (1u64 << 48) as f64)
    }

    fn merge(&mut self, later: &Self) {
        self.first = self.first.or(later.first);
        if let Some((abs_diff, worst)) = later.worst {
            self.worst_at(abs_diff, worst);
        }
        if let Some(relative) = later.max_rel {
            self.max_rel = Some(self.max_rel.map_or(relative, |most| most.max(relative)));
            self.largest_relative = None;
        }
        self.max_ulp = self.max_ulp.max(later.max_ulp);
        self.rtol = self.rtol.max(later.rtol);
    }
}

impl Tally {
    /// An empty tally that starts at `position`, the border of a cell.
    pub(super) fn new(options: &CompareOptions, position: u64) -> Self {
        let rule = |tolerance: &Tolerance| Rule::new(tolerance, options.nan);
        let further = |tolerance: &Tolerance| Further {
            tolerance: *tolerance,
            rule: rule(tolerance),
            mismatched: 0,
        };
        Self {
            rule: rule(&options.tolerance),
            further: options.further.iter().map(further).collect(),
            bins: options.histogram.then(Box::default),
            values: None,
            position,
            elements: 0,
            counts: Counts::default(),
            extremes: Extremes::default(),
            cell: Cell::default(),
            sums: SumTree::default(),
        }
    }

    /// Whether optional statistics are requested, which are collected from differing pairs.
    pub(super) fn has_optional(&self) -> bool {
        self.rule.ulp.is_some() || !self.further.is_empty() || self.bins.is_some()
    }

    /// Adds the next pair of numbers.
    pub(super) fn push(&mut self, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        self.count(pair);
        if pair.is_finite() {
            self.measure(pair, scalars);
        }
        self.push_sums(pair);
    }

    /// Adds the next pair of numbers to the sums, and collects nothing else.
    pub(super) fn push_sums(&mut self, pair: &Pair) {
        self.cell.push(pair);
        self.advance(1);
        if self.position.is_multiple_of(CELL) {
            self.close();
        }
    }

    /// Adds the next pair of elements that are only equal or not.
    pub(super) fn push_equality(&mut self, differs: bool) {
        if differs {
            self.counts.differing += 1;
            self.counts.mismatched += 1;
            self.extremes.mismatch_at(self.position);
            for further in &mut self.further {
                further.mismatched += 1;
            }
        }
        self.advance(1);
    }

    /// Adds the sums of a whole cell, or of the last one of a tensor.
    pub(super) fn add_cell(&mut self, sums: Sums) {
        self.sums.push(sums);
    }

    /// Moves past `len` elements.
    pub(super) fn advance(&mut self, len: u64) {
        self.elements += len;
        self.position += len;
    }

    /// Ends the range, or a cell that was added pair by pair.
    pub(super) fn close(&mut self) {
        if !self.cell.is_empty() {
            self.sums.push(self.cell.take());
        }
    }

    /// The sums over all cells that are closed.
    pub(super) fn sums(&self) -> Sums {
        self.sums.total()
    }

    fn count(&mut self, pair: &Pair) {
        let is_close = self.rule.is_close(pair);
        self.counts.add(pair, is_close, self.rule.nan);
        if !is_close {
            self.extremes.mismatch_at(self.position);
        }
        for further in &mut self.further {
            further.mismatched += u64::from(!further.rule.is_close(pair));
        }
        if let Some(bins) = &mut self.bins {
            bins.count(pair);
        }
    }

    fn measure(&mut self, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        let extremes = &mut self.extremes;
        extremes.max_ulp = extremes.max_ulp.max(pair.ulps.unwrap_or_default());
        if extremes.may_be_worst(pair.abs_diff, self.position + 1) {
            let (lhs, rhs) = scalars();
            extremes.worst_at(pair.abs_diff, Worst { position: self.position, lhs, rhs });
        }
        extremes.relative(pair.abs_diff, pair.lhs_magnitude);
    }

    /// Adds the counts of an accelerator over a batch.
    pub(super) fn add_batch(&mut self, counted: &Counted) {
        for (further, mismatched) in self.further.iter_mut().zip(&counted.further) {
            further.mismatched += mismatched;
        }
        if let (Some(bins), Some(histogram)) = (&mut self.bins, &counted.histogram) {
            bins.add(histogram);
        }
    }

    /// Adds the counts of an accelerator over the tile that begins at `start`, except for relative differences.
    pub(super) fn add_tile(
        &mut self,
        tile: &Tile,
        start: u64,
        scalars: impl FnOnce(usize) -> (Scalar, Scalar),
    ) {
        self.counts.merge(&tile.counts, 1);
        let extremes = &mut self.extremes;
        if let Some(first) = tile.first {
            extremes.mismatch_at(start + u64::from(first));
        }
        extremes.max_ulp = extremes.max_ulp.max(tile.max_ulp);
        extremes.zeros(tile.nonzero_lhs > 0, tile.from_zero > 0);
        if let Some((index, abs_diff)) = tile.worst {
            let position = start + u64::from(index);
            if extremes.may_be_worst(abs_diff, position + 1) {
                let (lhs, rhs) = scalars(index as usize);
                extremes.worst_at(abs_diff, Worst { position, lhs, rhs });
            }
        }
    }

    /// Adds the range that follows this one.
    pub(super) fn append(&mut self, later: &Self) {
        self.merge_counts(later, 1);
        self.extremes.merge(&later.extremes);
        self.position = later.position;
        self.sums.append(&later.sums);
    }

    /// Adds `times` more pairs, each equal to the only pair of `repeated` and to a pair of this tally. The extremes stay
    /// as they are; there are no sums afterwards, since over so many elements they would round differently.
    pub(super) fn repeat(&mut self, repeated: &Self, times: u64) {
        self.merge_counts(repeated, times);
        self.sums = SumTree::default();
    }

    fn merge_counts(&mut self, other: &Self, times: u64) {
        self.elements += other.elements * times;
        self.counts.merge(&other.counts, times);
        for (ours, theirs) in self.further.iter_mut().zip(&other.further) {
            ours.mismatched += theirs.mismatched * times;
        }
        if let (Some(ours), Some(theirs)) = (&mut self.bins, &other.bins) {
            ours.merge(theirs, times);
        }
        if let (Some(ours), Some(theirs)) = (&mut self.values, &other.values) {
            ours.lhs.merge(&theirs.lhs, times);
            ours.rhs.merge(&theirs.rhs, times);
        }
    }
}

/// The smallest `rtol` with `abs_diff <= rtol * magnitude`; infinite when there is none.
///
/// It is found by bisection over the bits of the non-negative numbers, which order as the numbers do; near the quotient, which is
/// off by an ulp, or everywhere where the product is subnormal.
fn smallest_rtol(abs_diff: f64, magnitude: f64) -> f64 {
    let close = |rtol: f64| abs_diff <= rtol * magnitude;
    let quotient = abs_diff / magnitude;
    let around = [1.0 - f64::EPSILON * 4.0, 1.0 + f64::EPSILON * 4.0].map(|by| quotient * by);
    let (mut fails, mut passes) = match around {
        [fails, passes] if !close(fails) && close(passes) => (fails.to_bits(), passes.to_bits()),
        _ => (0, f64::INFINITY.to_bits()),
    };
    while passes - fails > 1 {
        let middle = fails + (passes - fails) / 2;
        if close(f64::from_bits(middle)) {
            passes = middle;
        } else {
            fails = middle;
        }
    }
    f64::from_bits(passes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_rtol_passes_and_the_next_smaller_fails() {
        for (abs_diff, magnitude) in
            [(1.0, 3.0), (0.1, 0.7), (5e-324, 5e-324), (1e-310, 3.0), (1e300, 1e-5)]
        {
            let rtol = smallest_rtol(abs_diff, magnitude);
            assert!(abs_diff <= rtol * magnitude, "{abs_diff} {magnitude}");
            assert!(abs_diff > rtol.next_down() * magnitude, "{abs_diff} {magnitude}");
        }
    }
}
