//! Statistics over whole blocks of finite pairs that do not depend on the order: integers and maxima.

use pulp::Arch;

use crate::compare::close::Rule;
use crate::compare::counts::Counts;
use crate::compare::pair::Pair;
use crate::compare::tally::{Extremes, Tally, Worst};
use crate::tensor::Number;

use super::blocks::{Blocks, STRETCH};
use super::pairs::{self, Collect};

/// The statistics of a stretch; all zero where all pairs are equal.
#[derive(Default)]
pub(super) struct StretchCounts {
    /// Pairs of unequal bits.
    pub(super) differing: u64,
    /// Pairs outside the tolerance.
    pub(super) outside: u64,
    /// Differing pairs whose lhs is 0.
    zero_lhs: u64,
    /// Differing pairs of two zeros.
    zero_sign: u64,
    pub(super) max_ulp: u64,
    max_abs: f64,
    /// Whether a relative difference is larger than all before.
    exceeds: bool,
}

impl StretchCounts {
    /// Collects the statistics that are decided by the values. Integers can be added in any order, so these loops need no
    /// lanes.
    #[inline(always)]
    pub(super) fn add_values<T: Number>(
        &mut self,
        blocks: Blocks<'_, T>,
        rule: &Rule,
        extremes: &Extremes,
    ) {
        let (atol, rtol) = rule.absolute.unwrap_or_default();
        let threshold = extremes.relative_threshold();
        let (mut outside, mut exceeding, mut max_abs) = (0, 0, 0);
        for (x, y) in blocks.pairs() {
            let magnitude = x.to_f64().abs();
            let abs_diff = y.minus(x).abs();
            outside += u64::from(abs_diff > atol + rtol * magnitude);
            exceeding += u64::from(abs_diff > threshold * or_infinite(magnitude));
            // Numbers that are not negative order as their bits do.
            max_abs = abs_diff.to_bits().max(max_abs);
        }
        self.outside = outside;
        self.max_abs = f64::from_bits(max_abs);
        self.exceeds = exceeding > 0 && exceeds(blocks, extremes);
    }

    /// Collects the statistics that are decided by the bits.
    #[inline(always)]
    pub(super) fn add_bits<T: Number>(&mut self, blocks: Blocks<'_, T>) {
        let (mut differing, mut zero_lhs, mut zero_sign) = (0u32, 0u32, 0u32);
        for (x, y) in blocks.pairs() {
            let differs = x.differs(y);
            differing += u32::from(differs);
            zero_lhs += u32::from(differs & x.is_zero());
            zero_sign += u32::from(differs & x.is_zero() & y.is_zero());
        }
        self.differing = differing.into();
        self.zero_lhs = zero_lhs.into();
        self.zero_sign = zero_sign.into();
    }
}

/// Whether a relative difference is larger than all before, by the division that decides it. Where few values are
/// representable the maximum occurs again and again, and no product distinguishes an equal quotient from a larger one.
#[inline(always)]
fn exceeds<T: Number>(blocks: Blocks<'_, T>, extremes: &Extremes) -> bool {
    let (max_rel, rtol) = (extremes.max_rel.unwrap_or(-1.0), extremes.rtol);
    let mut exceeding = 0u64;
    for (x, y) in blocks.pairs() {
        let magnitude = or_infinite(x.to_f64().abs());
        let abs_diff = finite_diff(x, y);
        exceeding += u64::from(abs_diff / magnitude > max_rel);
        exceeding += u64::from(abs_diff > rtol * magnitude);
    }
    exceeding > 0
}

/// The magnitude, or infinity in place of 0 and NaN, so that no difference is large relative to it. A choice between two
/// numbers vectorizes; a choice between two conditions becomes a branch.
#[inline(always)]
fn or_infinite(magnitude: f64) -> f64 {
    if magnitude > 0.0 { magnitude } else { f64::INFINITY }
}

/// `|rhs - lhs|`, or 0 where rhs is infinite, so that the pair exceeds nothing. A pair whose lhs is not finite exceeds nothing
/// either.
#[inline(always)]
fn finite_diff<T: Number>(x: T, y: T) -> f64 {
    let abs_diff = y.minus(x).abs();
    if T::FLOAT && y.to_f64().abs() == f64::INFINITY { 0.0 } else { abs_diff }
}

/// Takes the statistics of a stretch into the tally. Positions are searched for only where there is a new first mismatch or
/// maximum.
#[inline(never)]
pub(super) fn settle<T: Number>(
    blocks: Blocks<'_, T>,
    counts: &StretchCounts,
    has_nonzero: bool,
    tally: &mut Tally,
) {
    let start = tally.position;
    let &StretchCounts { differing, outside, zero_lhs, zero_sign, .. } = counts;
    let mismatched = if tally.rule.absolute.is_some() { outside } else { differing };
    let counted = Counts { differing, mismatched, zero_lhs, zero_sign, ..Counts::default() };
    tally.counts.merge(&counted, 1);
    let extremes = &mut tally.extremes;
    extremes.max_ulp = extremes.max_ulp.max(counts.max_ulp);
    // Two zeros of different sign are equal in value; any other differing pairs with an lhs of 0 are not.
    extremes.zeros(has_nonzero, zero_lhs > zero_sign);
    if counts.exceeds {
        for (x, y) in blocks.pairs() {
            extremes.relative(y.minus(x).abs(), x.to_f64().abs());
        }
    }
    if extremes.may_be_worst(counts.max_abs, start) {
        find_worst(blocks, counts.max_abs, start, extremes);
    }
    if mismatched > 0 && extremes.first.is_none_or(|first| first >= start) {
        let rule = tally.rule;
        let first = blocks.pairs().position(|(x, y)| !rule.is_close(&Pair::real(x, y)));
        if let Some(first) = first {
            extremes.mismatch_at(start + first as u64);
        }
    }
}

/// Finds the first pair that differs by `abs_diff`.
fn find_worst<T: Number>(
    blocks: Blocks<'_, T>,
    abs_diff: f64,
    start: u64,
    extremes: &mut Extremes,
) {
    let worst = blocks.pairs().zip(start..).find(|&((x, y), _)| y.minus(x).abs() >= abs_diff);
    if let Some(((x, y), position)) = worst {
        extremes.worst_at(abs_diff, Worst { position, lhs: x.scalar(), rhs: y.scalar() });
    }
}

/// Records the relative differences of the finite pairs of two slices of one length.
pub(super) fn relative<T: Number>(lhs: &[T], rhs: &[T], tally: &mut Tally) {
    let mut room = None;
    for (lhs, rhs) in lhs.chunks(STRETCH).zip(rhs.chunks(STRETCH)) {
        let (blocks, tail_lhs, tail_rhs) = Blocks::split(lhs, rhs);
        let kernel = Relative { blocks: blocks.widen(&mut room), extremes: &tally.extremes };
        let (lhs, rhs) =
            if Arch::new().dispatch(kernel) { (lhs, rhs) } else { (tail_lhs, tail_rhs) };
        pairs::numbers(lhs, rhs, Collect::Relative, tally);
    }
}

/// Whether the relative difference of a finite pair could change a maximum.
struct Relative<'a, T> {
    blocks: Blocks<'a, T>,
    extremes: &'a Extremes,
}

impl<T: Number> pulp::NullaryFnOnce for Relative<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { blocks, extremes } = self;
        let threshold = extremes.relative_threshold();
        let (mut exceeding, mut from_zero) = (0u64, 0u64);
        for (x, y) in blocks.pairs() {
            let magnitude = x.to_f64().abs();
            let abs_diff = finite_diff(x, y);
            // The product may be subnormal, and be rounded up to the difference.
            exceeding +=
                u64::from((abs_diff > 0.0) & (abs_diff >= threshold * or_infinite(magnitude)));
            from_zero += u64::from((abs_diff > 0.0) & (magnitude == 0.0));
        }
        (from_zero > 0 && extremes.rtol.is_finite())
            || ((extremes.max_rel.is_none() || exceeding > 0) && exceeds(blocks, extremes))
    }
}
