//! What has been seen of two tensors so far; tallies of neighbouring parts join.

mod counted;

use crate::tensor::Scalar;

use super::close::{Pair, Rule};
use super::cpu::Bins;
use super::grid::{CELL, Cell, LANES, SumTree, Sums};
use super::{Comparison, Options, PassesAt, Sides, Tolerance, Worst};

/// A running comparison over a stretch of elements that starts at a cell border.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) rule: Rule,
    /// Further tolerances, and the mismatches under each.
    pub(crate) further: Vec<(Tolerance, Rule, u64)>,
    /// Differences by magnitude, when asked for.
    pub(crate) bins: Option<Bins>,
    /// Position of the next element.
    pub(crate) position: u64,
    elements: u64,
    differing: u64,
    mismatched: u64,
    first: Option<u64>,
    worst: Option<(f64, Worst)>,
    max_rel: Option<f64>,
    zero_lhs: u64,
    max_ulp: Option<u64>,
    nan: Sides<u64>,
    inf: Sides<u64>,
    nan_new: u64,
    zero_sign: u64,
    nan_payload: u64,
    /// The smallest `rtol` that all finite pairs with lhs ≠ 0 pass.
    rtol: f64,
    /// Whether a pair differs whose lhs is 0, so that no `rtol` passes.
    rtol_fails: bool,
    /// Whether a pair mismatches that no tolerance passes: NaN, infinity.
    hopeless: bool,
    pub(crate) cell: Cell,
    sums: SumTree,
}

/// Which of the numbers have a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Elements are equal or not, and that is all: `bool`, `string`, `variant`, `resource`.
    Equality,
    /// Numbers without NaN: integers on both sides.
    Integers,
    /// Numbers with NaN; ulps when both sides are of one real floating type.
    Floats { ulp: bool },
    /// Complex numbers on at least one side.
    Complex,
}

impl Tally {
    /// A tally that starts at `position`, a cell border.
    pub(crate) fn new(options: &Options, position: u64) -> Self {
        let rule = |tolerance: &Tolerance| Rule::new(tolerance, options.nan);
        Self {
            rule: rule(&options.tolerance),
            further: options.further.iter().map(|t| (*t, rule(t), 0)).collect(),
            bins: options.histogram.then(Bins::default),
            position,
            elements: 0,
            differing: 0,
            mismatched: 0,
            first: None,
            worst: None,
            max_rel: None,
            zero_lhs: 0,
            max_ulp: None,
            nan: Sides::default(),
            inf: Sides::default(),
            nan_new: 0,
            zero_sign: 0,
            nan_payload: 0,
            rtol: 0.0,
            rtol_fails: false,
            hopeless: false,
            cell: Cell::default(),
            sums: SumTree::default(),
        }
    }

    /// Whether differing pairs count for more than the statistics that there always are.
    pub(crate) fn asks_more(&self) -> bool {
        self.rule.ulp.is_some() || !self.further.is_empty() || self.bins.is_some()
    }

    /// The lane of the next element.
    fn lane(&self) -> usize {
        usize::try_from(self.position % LANES as u64).unwrap_or_default()
    }

    /// Takes in the next pair of numbers.
    pub(crate) fn push(&mut self, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        self.count(pair);
        if pair.is_finite() {
            self.measure(pair, scalars);
        }
        self.advance(1);
    }

    /// Takes the next pair of numbers into the sums, and nothing else.
    pub(crate) fn push_sums(&mut self, pair: &Pair) {
        if pair.is_finite() {
            self.cell.add(self.lane(), pair);
        }
        self.advance(1);
    }

    /// Takes in the next pair of elements that are only equal or not.
    pub(crate) fn push_equality(&mut self, differs: bool) {
        self.differing += u64::from(differs);
        if differs {
            self.mismatch();
            for (_, _, mismatched) in &mut self.further {
                *mismatched += 1;
            }
        }
        self.elements += 1;
        self.position += 1;
    }

    /// Passes over `len` elements, which lie in one cell and have been taken into it, or are equal.
    pub(crate) fn advance(&mut self, len: u64) {
        self.elements += len;
        self.position += len;
        if self.position.is_multiple_of(CELL) {
            self.close_cell();
        }
    }

    /// Passes over `len` elements of which only equality counts, all equal.
    pub(crate) fn advance_equal(&mut self, len: u64) {
        self.elements += len;
        self.position += len;
    }

    fn close_cell(&mut self) {
        self.sums.push(&self.cell);
        self.cell = Cell::default();
    }

    /// Takes in what was counted over finite pairs.
    pub(crate) fn count_stretch(
        &mut self,
        differing: u64,
        mismatched: u64,
        zero_lhs: u64,
        zero_sign: u64,
    ) {
        self.differing += differing;
        self.mismatched += mismatched;
        self.zero_lhs += zero_lhs;
        self.zero_sign += zero_sign;
        // Zeros of two signs are no difference, any other pair whose lhs is 0 is.
        self.rtol_fails |= zero_lhs > zero_sign;
    }

    /// Ends the stretch.
    pub(crate) fn close(&mut self) {
        if !self.position.is_multiple_of(CELL) {
            self.close_cell();
        }
    }

    fn mismatch(&mut self) {
        self.mismatched += 1;
        self.first_mismatch_at(self.position);
    }

    /// Notes a mismatch that is already counted.
    pub(crate) fn first_mismatch_at(&mut self, position: u64) {
        self.first = Some(self.first.map_or(position, |first| first.min(position)));
    }

    /// Position of the first mismatch so far.
    pub(crate) fn first(&self) -> Option<u64> {
        self.first
    }

    fn count(&mut self, pair: &Pair) {
        let (nan_lhs, nan_rhs) = (pair.lhs.is_nan(), pair.rhs.is_nan());
        self.nan.lhs += u64::from(nan_lhs);
        self.nan.rhs += u64::from(nan_rhs);
        self.nan_new += u64::from(nan_rhs && !nan_lhs);
        self.inf.lhs += u64::from(pair.lhs.is_infinite());
        self.inf.rhs += u64::from(pair.rhs.is_infinite());
        if pair.differs {
            self.differing += 1;
            self.zero_sign += u64::from(pair.lhs == pair.rhs);
            self.nan_payload += u64::from(nan_lhs && nan_rhs);
            self.zero_lhs += u64::from(pair.size == 0.0);
        }
        if !self.rule.is_close(pair) {
            self.mismatch();
        }
        for (_, rule, mismatched) in &mut self.further {
            *mismatched += u64::from(!rule.is_close(pair));
        }
        if !pair.is_finite() {
            self.hopeless |= !Rule::any(self.rule.nan).is_close(pair);
        }
        if let Some(bins) = &mut self.bins {
            bins.count(pair);
        }
    }

    fn measure(&mut self, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        self.cell.add(self.lane(), pair);
        if let Some(ulps) = pair.ulps {
            self.ulps(ulps);
        }
        if self.may_be_worst(pair.gap, self.position + 1) {
            self.worst_at(self.position, pair.gap, scalars());
        }
        self.relative(pair.gap, pair.size);
    }

    /// Takes in a distance in representable values.
    pub(crate) fn ulps(&mut self, ulps: u64) {
        self.max_ulp = self.max_ulp.max(Some(ulps));
    }

    /// Whether a difference of `gap` at `start` or later could be the worst so far.
    #[expect(clippy::float_cmp, reason = "a tie is the same number")]
    pub(crate) fn may_be_worst(&self, gap: f64, start: u64) -> bool {
        self.worst
            .is_none_or(|(most, worst)| gap > most || (gap == most && worst.position >= start))
    }

    /// Notes where the largest difference so far is reached; of equal ones the first counts.
    pub(crate) fn worst_at(&mut self, position: u64, gap: f64, (lhs, rhs): (Scalar, Scalar)) {
        if self.may_be_worst(gap, position + 1) {
            self.worst = Some((gap, Worst { position, lhs, rhs }));
        }
    }

    /// Takes a finite pair into what is relative to lhs.
    pub(crate) fn relative(&mut self, gap: f64, size: f64) {
        if size == 0.0 {
            self.rtol_fails |= gap > 0.0;
            return;
        }
        // Magnitudes of complex numbers can overflow: infinity over infinity says nothing, 0 times infinity fails.
        let relative = gap / size;
        if !relative.is_nan() && self.max_rel.is_none_or(|most| relative > most) {
            self.max_rel = Some(relative);
        }
        let passes = gap == 0.0 || gap <= self.rtol * size;
        if !passes {
            self.rtol = smallest_rtol(gap, size);
        }
    }

    /// The largest relative difference so far (negative before the first), and the smallest `rtol` that passes.
    pub(crate) fn relative_maxima(&self) -> (f64, f64) {
        (self.max_rel.unwrap_or(-1.0), self.rtol)
    }

    /// Whether a pair was taken in that no `rtol` passes.
    pub(crate) fn fails_any_rtol(&self) -> bool {
        self.rtol_fails
    }

    /// A relative difference that a pair must pass to change anything; less than all that were taken in, so that
    /// rounding does not matter. 0 at first.
    pub(crate) fn relative_threshold(&self) -> f64 {
        self.rtol.min(self.max_rel.unwrap_or(0.0)) * (1.0 - 1.0 / (1u64 << 48) as f64)
    }

    /// Takes in a stretch that follows this one.
    pub(crate) fn append(&mut self, later: &Self) {
        for ((_, _, mismatched), (_, _, more)) in self.further.iter_mut().zip(&later.further) {
            *mismatched += more;
        }
        if let (Some(ours), Some(theirs)) = (&mut self.bins, &later.bins) {
            ours.append(theirs);
        }
        self.position = later.position;
        self.elements += later.elements;
        self.differing += later.differing;
        self.mismatched += later.mismatched;
        self.first = self.first.or(later.first);
        if let Some((gap, worst)) = later.worst {
            self.worst_at(worst.position, gap, (worst.lhs, worst.rhs));
        }
        self.max_rel = match (self.max_rel, later.max_rel) {
            (Some(ours), Some(theirs)) => Some(ours.max(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.zero_lhs += later.zero_lhs;
        self.max_ulp = self.max_ulp.max(later.max_ulp);
        for (ours, theirs) in [(&mut self.nan, later.nan), (&mut self.inf, later.inf)] {
            ours.lhs += theirs.lhs;
            ours.rhs += theirs.rhs;
        }
        self.nan_new += later.nan_new;
        self.zero_sign += later.zero_sign;
        self.nan_payload += later.nan_payload;
        self.rtol = self.rtol.max(later.rtol);
        self.rtol_fails |= later.rtol_fails;
        self.hopeless |= later.hopeless;
        self.sums.append(&later.sums);
    }

    /// The comparison, of all there was.
    pub(crate) fn finish(self, meaning: Meaning) -> Comparison {
        let equality = Comparison {
            elements: self.elements,
            differing: self.differing,
            mismatched: self.mismatched,
            first: self.first,
            further: self.further.iter().map(|&(tolerance, _, n)| (tolerance, n)).collect(),
            histogram: self.bins.as_ref().map(Bins::histogram),
            ..Comparison::default()
        };
        if meaning == Meaning::Equality {
            return equality;
        }
        let floats = |n| (meaning != Meaning::Integers).then_some(n);
        let max_abs = self.worst.map(|(gap, _)| gap);
        Comparison {
            max_abs,
            worst: self.worst.map(|(_, worst)| worst),
            max_rel: self.max_rel,
            zero_lhs: Some(self.zero_lhs),
            max_ulp: self.max_ulp.filter(|_| meaning == Meaning::Floats { ulp: true }),
            nan: (meaning != Meaning::Integers).then_some(self.nan),
            inf: (meaning != Meaning::Integers).then_some(self.inf),
            nan_new: floats(self.nan_new),
            zero_sign: floats(self.zero_sign),
            nan_payload: floats(self.nan_payload),
            passes_at: PassesAt {
                rtol: Some(self.rtol)
                    .filter(|rtol| !self.hopeless && !self.rtol_fails && rtol.is_finite()),
                atol: Some(max_abs.unwrap_or(0.0))
                    .filter(|atol| !self.hopeless && atol.is_finite()),
            },
            ..with_sums(equality, &self.sums.total(), meaning)
        }
    }
}

fn with_sums(comparison: Comparison, sums: &Sums, meaning: Meaning) -> Comparison {
    if sums.finite == 0 {
        let rel_l2 = (comparison.elements == 0).then_some(0.0);
        return Comparison { rel_l2, ..comparison };
    }
    let mean = |(re, im)| match meaning {
        Meaning::Complex => Scalar::Complex(re, im),
        _ => Scalar::Float(re),
    };
    let moments = sums.lhs_moments().zip(sums.rhs_moments());
    Comparison {
        rms: Some(sums.rms()),
        rel_l2: Some(sums.rel_l2()),
        cosine: sums.cosine(),
        mean: moments.map(|(lhs, rhs)| Sides { lhs: mean(lhs.0), rhs: mean(rhs.0) }),
        std: moments.map(|(lhs, rhs)| Sides { lhs: lhs.1, rhs: rhs.1 }),
        ..comparison
    }
}

/// The smallest `rtol` with `gap <= rtol * size`; infinite when there is none.
///
/// Found by halving over the bits of the non-negative numbers, which order as the numbers do: a quotient would be off
/// by an ulp, and by far more where the product is subnormal.
fn smallest_rtol(gap: f64, size: f64) -> f64 {
    let (mut fails, mut passes) = (0, f64::INFINITY.to_bits());
    while passes - fails > 1 {
        let middle = fails + (passes - fails) / 2;
        if gap <= f64::from_bits(middle) * size {
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
        for (gap, size) in [(1.0, 3.0), (0.1, 0.7), (5e-324, 5e-324), (1e-310, 3.0), (1e300, 1e-5)]
        {
            let rtol = smallest_rtol(gap, size);
            assert!(gap <= rtol * size, "{gap} {size}");
            assert!(gap > rtol.next_down() * size, "{gap} {size}");
        }
    }
}
