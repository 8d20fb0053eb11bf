//! What is counted over whole blocks of finite pairs: integers and maxima, which come out the same in any order.

use pulp::Arch;

use crate::tensor::Number;

use super::super::tally::Tally;
use super::lanes::{Blocks, STRETCH};
use super::pairs;

/// What is counted over a stretch; all zero where all pairs are equal.
#[derive(Default)]
pub(super) struct Counts {
    /// Pairs of unequal bits.
    pub(super) differing: u64,
    /// Pairs outside the tolerance.
    pub(super) outside: u64,
    /// Differing pairs whose lhs is 0.
    zero_lhs: u64,
    /// Differing pairs that are both 0.
    zero_sign: u64,
    pub(super) max_ulp: u64,
    max_gap: f64,
    /// Whether a relative difference is larger than all before.
    exceeds: bool,
}

impl Counts {
    /// Counts what is told by the values. Integers add up in any order, so these loops need no lanes.
    #[inline(always)]
    pub(super) fn add_gaps<T: Number>(&mut self, blocks: Blocks<'_, T>, tally: &Tally) {
        let (atol, rtol) = tally.rule.absolute.unwrap_or_default();
        let threshold = tally.relative_threshold();
        let (mut outside, mut exceeding, mut max_gap) = (0, 0, 0);
        for (x, y) in blocks.pairs() {
            let size = x.to_f64().abs();
            let gap = y.minus(x).abs();
            outside += u64::from(gap > atol + rtol * size);
            exceeding += u64::from(gap > threshold * or_infinite(size));
            // Numbers that are not negative order as their bits do.
            max_gap = gap.to_bits().max(max_gap);
        }
        self.outside = outside;
        self.max_gap = f64::from_bits(max_gap);
        self.exceeds = exceeding > 0 && exceeds(blocks, tally);
    }

    /// Counts what is told by the bits.
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
/// representable the largest comes up again and again, and no product tells it from a larger one.
#[inline(always)]
fn exceeds<T: Number>(blocks: Blocks<'_, T>, tally: &Tally) -> bool {
    let (max_rel, rtol) = tally.relative_maxima();
    let mut exceeding = 0u64;
    for (x, y) in blocks.pairs() {
        let size = or_infinite(x.to_f64().abs());
        let gap = finite_gap(x, y);
        exceeding += u64::from(gap / size > max_rel);
        exceeding += u64::from(gap > rtol * size);
    }
    exceeding > 0
}

/// A size that nothing is relative to is made one that everything is too small for: a choice between two numbers
/// vectorises, where one between two conditions becomes a branch.
#[inline(always)]
fn or_infinite(size: f64) -> f64 {
    if size > 0.0 { size } else { f64::INFINITY }
}

/// `|rhs - lhs|`, but 0 where rhs is infinite: such a pair exceeds nothing, nor does one whose lhs is not finite.
#[inline(always)]
fn finite_gap<T: Number>(x: T, y: T) -> f64 {
    let gap = y.minus(x).abs();
    if T::FLOAT && y.to_f64().abs() == f64::INFINITY { 0.0 } else { gap }
}

/// Takes the counts of a stretch in; looks for places only where there is a new one.
#[inline(never)]
pub(super) fn settle<T: Number>(
    blocks: Blocks<'_, T>,
    counts: &Counts,
    nonzero: bool,
    tally: &mut Tally,
) {
    let start = tally.position;
    let mismatched = if tally.rule.absolute.is_some() { counts.outside } else { counts.differing };
    tally.count_stretch(counts.differing, mismatched, counts.zero_lhs, counts.zero_sign);
    if T::FLOAT {
        tally.ulps(counts.max_ulp);
    }
    if nonzero {
        tally.relative(0.0, 1.0);
    }
    if counts.exceeds {
        for (x, y) in blocks.pairs() {
            tally.relative(y.minus(x).abs(), x.to_f64().abs());
        }
    }
    if tally.may_be_worst(counts.max_gap, start) {
        find_worst(blocks, counts.max_gap, start, tally);
    }
    if mismatched > 0 && tally.first().is_none_or(|first| first >= start) {
        let rule = tally.rule;
        let first = blocks.pairs().position(|(x, y)| !rule.is_close(&pairs::pair(x, y)));
        if let Some(first) = first {
            tally.first_mismatch_at(start + first as u64);
        }
    }
}

/// Notes the first pair that is `gap` apart.
fn find_worst<T: Number>(blocks: Blocks<'_, T>, gap: f64, start: u64, tally: &mut Tally) {
    let worst = blocks.pairs().zip(start..).find(|&((x, y), _)| y.minus(x).abs() >= gap);
    if let Some(((x, y), position)) = worst {
        tally.worst_at(position, gap, (x.scalar(), y.scalar()));
    }
}

/// Takes the finite pairs of two slices of one length into what is relative to lhs.
pub(super) fn relative<T: Number>(lhs: &[T], rhs: &[T], tally: &mut Tally) {
    let mut room = None;
    for (lhs, rhs) in lhs.chunks(STRETCH).zip(rhs.chunks(STRETCH)) {
        let (blocks, tail_lhs, tail_rhs) = Blocks::split(lhs, rhs);
        if Arch::new().dispatch(Relative { blocks: blocks.widen(&mut room), tally }) {
            pairs::relative(lhs, rhs, tally);
        } else {
            pairs::relative(tail_lhs, tail_rhs, tally);
        }
    }
}

/// Whether a finite pair could change what is relative to lhs.
struct Relative<'a, T> {
    blocks: Blocks<'a, T>,
    tally: &'a Tally,
}

impl<T: Number> pulp::NullaryFnOnce for Relative<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { blocks, tally } = self;
        let threshold = tally.relative_threshold();
        let (mut exceeding, mut fails) = (0u64, 0u64);
        for (x, y) in blocks.pairs() {
            let size = x.to_f64().abs();
            let gap = finite_gap(x, y);
            // The product may be subnormal, and round up to the gap.
            exceeding += u64::from((gap > 0.0) & (gap >= threshold * or_infinite(size)));
            fails += u64::from((gap > 0.0) & (size == 0.0));
        }
        let first = tally.relative_maxima().0 < 0.0;
        (fails > 0 && !tally.fails_any_rtol())
            || ((first || exceeding > 0) && exceeds(blocks, tally))
    }
}
