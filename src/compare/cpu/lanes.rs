//! Sixteen elements at a time, in loops that the compiler turns into the widest vectors the machine has.
//!
//! `pulp` looks at the machine once and runs the same code compiled for AVX-512, AVX2 or plain x86-64. Stretches of
//! finite pairs take the lanes; a block of sixteen with anything else (NaN, infinity, numbers whose squares overflow) goes
//! through the definition. Lanes, cells and order are those of [`grid`](super::super::grid), so the sums are the same
//! bits either way. Each loop does little, so that all it adds up stays in registers.
#![expect(
    clippy::indexing_slicing,
    reason = "loops over arrays of LANES elements; written with iterators they do not vectorise"
)]

use std::any::TypeId;

use bytemuck::Zeroable as _;
use pulp::Arch;

use crate::compare::NanPolicy;
use crate::tensor::Number;

use super::super::grid::{Cell, LANES, LARGEST, Lanes, Pivot, SMALLEST};
use super::super::tally::Tally;
use super::pairs;

/// Elements in a stretch: two of `f32` fit the first-level cache, so the loops after the first read from there.
const STRETCH: usize = BLOCKS * LANES;
const BLOCKS: usize = 128;

/// Room for a stretch of both sides in the type to compute with.
type Room<W> = ([[W; LANES]; BLOCKS], [[W; LANES]; BLOCKS]);

/// Takes real numbers of one type in; `equal` says that the two are the same bytes.
pub(super) fn numbers<T: Number>(lhs: &[T], rhs: &[T], equal: bool, tally: &mut Tally) {
    let equal = equal && !(T::FLOAT && tally.rule.nan == NanPolicy::Differ);
    for (lhs, rhs) in lhs.chunks(STRETCH).zip(rhs.chunks(STRETCH)) {
        let (lhs, tail_lhs) = lhs.as_chunks();
        let (rhs, tail_rhs) = rhs.as_chunks();
        if !lhs.is_empty() {
            stretch(Blocks { lhs, rhs }, equal, tally);
        }
        pairs::numbers(tail_lhs, tail_rhs, tally);
    }
}

/// Whole blocks of both sides.
#[derive(Clone, Copy)]
struct Blocks<'a, T> {
    lhs: &'a [[T; LANES]],
    rhs: &'a [[T; LANES]],
}

impl<'a, T: Number> Blocks<'a, T> {
    #[inline(always)]
    fn iter(self) -> impl Iterator<Item = (&'a [T; LANES], &'a [T; LANES])> {
        self.lhs.iter().zip(self.rhs)
    }

    #[inline(always)]
    fn pairs(self) -> impl Iterator<Item = (T, T)> {
        self.lhs.as_flattened().iter().copied().zip(self.rhs.as_flattened().iter().copied())
    }

    fn len(self) -> u64 {
        (self.lhs.len() * LANES) as u64
    }

    /// The same numbers in the type to compute with, in `room` if that is another.
    fn widen<'b>(self, room: &'b mut Room<T::Wide>) -> Blocks<'b, T::Wide>
    where
        'a: 'b,
    {
        if TypeId::of::<T>() == TypeId::of::<T::Wide>() {
            return Blocks {
                lhs: bytemuck::cast_slice(self.lhs),
                rhs: bytemuck::cast_slice(self.rhs),
            };
        }
        let fill = |room: &'b mut [[T::Wide; LANES]; BLOCKS], from: &[[T; LANES]]| {
            for (wide, narrow) in room.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
                *wide = narrow.widen();
            }
            room.get(..from.len()).unwrap_or_default()
        };
        let (lhs, rhs) = room;
        Blocks { lhs: fill(lhs, self.lhs), rhs: fill(rhs, self.rhs) }
    }

    /// How many pairs are outside a tolerance that counts ulps too.
    fn outside(self, tally: &Tally) -> u64 {
        let (atol, rtol) = tally.rule.absolute.unwrap_or_default();
        let most = tally.rule.ulp.unwrap_or_default();
        let outside = |(x, y): (T, T)| {
            let by_value = y.minus(x).abs() <= atol + rtol * x.to_f64().abs();
            u64::from(!(by_value | (x.ulps(y).into() <= most)))
        };
        self.pairs().map(outside).sum()
    }

    /// Gives the cell its pivot, if these are the first finite pairs of the cell.
    fn set_pivot(self, cell: &mut Cell) {
        if cell.pivot.is_none() {
            cell.pivot = self
                .pairs()
                .map(|(x, y)| (x.to_f64(), y.to_f64()))
                .find(|(x, y)| x.is_finite() && y.is_finite())
                .map(|(x, y)| Pivot { lhs: (x, 0.0), rhs: (y, 0.0) });
        }
    }
}

/// Takes a stretch in: as a whole, or block by block where it holds what needs the definition.
fn stretch<T: Number>(blocks: Blocks<'_, T>, equal: bool, tally: &mut Tally) {
    let mut room = ([[T::Wide::zeroed(); LANES]; BLOCKS], [[T::Wide::zeroed(); LANES]; BLOCKS]);
    blocks.set_pivot(&mut tally.cell);
    if take(blocks, &mut room, equal, tally) {
        return;
    }
    for (lhs, rhs) in blocks.lhs.chunks(1).zip(blocks.rhs.chunks(1)) {
        if !take(Blocks { lhs, rhs }, &mut room, equal, tally) {
            pairs::numbers(lhs.as_flattened(), rhs.as_flattened(), tally);
        }
    }
}

/// Takes blocks of finite pairs in; does nothing and returns false when one is not finite.
fn take<T: Number>(
    blocks: Blocks<'_, T>,
    room: &mut Room<T::Wide>,
    equal: bool,
    tally: &mut Tally,
) -> bool {
    let arch = Arch::new();
    let kernel = Kernel { blocks: blocks.widen(room), equal, tally };
    let Some((sums, mut counts)) = arch.dispatch(kernel) else { return false };
    sums.store(&mut tally.cell);
    tally.cell.finite += blocks.len();
    if T::FLOAT && !equal {
        counts.max_ulp = arch.dispatch(MaxUlp(blocks)).into();
        if tally.rule.ulp.is_some() {
            counts.outside = blocks.outside(tally);
        }
    }
    let nonzero = sums.lhs.iter().any(|&x| x > 0.0);
    settle(blocks, &counts, nonzero, tally);
    tally.advance(blocks.len());
    true
}

/// The largest distance in representable values of a stretch, in its own type.
struct MaxUlp<'a, T>(Blocks<'a, T>);

impl<T: Number> pulp::NullaryFnOnce for MaxUlp<'_, T> {
    type Output = T::Ulps;

    #[inline(always)]
    fn call(self) -> T::Ulps {
        self.0.pairs().fold(T::Ulps::default(), |most, (x, y)| most.max(x.ulps(y)))
    }
}

/// The work on a stretch in the type to compute with; `None` when a number is not finite.
struct Kernel<'a, T> {
    blocks: Blocks<'a, T>,
    equal: bool,
    tally: &'a Tally,
}

impl<T: Number> pulp::NullaryFnOnce for Kernel<'_, T> {
    type Output = Option<(LaneSums, Counts)>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { blocks, equal, tally } = self;
        if T::WIDE && !squares_fit(blocks) {
            return None;
        }
        let sums = LaneSums::load(&tally.cell);
        let sums =
            if equal && sums.one_sided() { sums.add_equal(blocks) } else { sums.add(blocks) };
        // What is not finite shows in the sums: anything but NaN and infinity has a square that fits.
        if !sums.gap.iter().chain(&sums.lhs).all(|x| x.is_finite()) {
            return None;
        }
        let mut counts = Counts::default();
        if !equal {
            counts.add_gaps(blocks, tally);
            counts.add_bits(blocks);
        }
        Some((sums, counts))
    }
}

/// Whether all squares, and those of the differences, stay in the range of `f64`.
#[inline(always)]
fn squares_fit<T: Number>(blocks: Blocks<'_, T>) -> bool {
    let mut fail = [false; LANES];
    for (lhs, rhs) in blocks.iter() {
        for i in 0..LANES {
            let (x, y) = (lhs[i].to_f64(), rhs[i].to_f64());
            for v in [x.abs(), y.abs(), (y - x).abs()] {
                fail[i] |= (v != 0.0) & !(SMALLEST..=LARGEST).contains(&v);
            }
        }
    }
    !fail.contains(&true)
}

/// The sums of a cell of real numbers, apart so that they can live in registers.
struct LaneSums {
    pivot_lhs: f64,
    pivot_rhs: f64,
    gap: Lanes,
    lhs: Lanes,
    rhs: Lanes,
    dot: Lanes,
    lhs_deviation: Lanes,
    lhs_squares: Lanes,
    rhs_deviation: Lanes,
    rhs_squares: Lanes,
}

impl LaneSums {
    #[inline(always)]
    fn load(cell: &Cell) -> Self {
        let pivot = cell.pivot.unwrap_or_default();
        Self {
            pivot_lhs: pivot.lhs.0,
            pivot_rhs: pivot.rhs.0,
            gap: cell.gap,
            lhs: cell.lhs,
            rhs: cell.rhs,
            dot: cell.dot,
            lhs_deviation: cell.lhs_deviation[0],
            lhs_squares: cell.lhs_deviation[2],
            rhs_deviation: cell.rhs_deviation[0],
            rhs_squares: cell.rhs_deviation[2],
        }
    }

    /// Whether one side stands for both, as where all pairs of the cell so far were equal.
    #[inline(always)]
    #[expect(
        clippy::float_cmp,
        reason = "sums of the same numbers in the same order are the same bits"
    )]
    fn one_sided(&self) -> bool {
        self.pivot_lhs == self.pivot_rhs
            && self.lhs == self.rhs
            && self.lhs == self.dot
            && self.lhs_deviation == self.rhs_deviation
            && self.lhs_squares == self.rhs_squares
    }

    #[inline(always)]
    fn store(&self, cell: &mut Cell) {
        cell.gap = self.gap;
        cell.lhs = self.lhs;
        cell.rhs = self.rhs;
        cell.dot = self.dot;
        cell.lhs_deviation[0] = self.lhs_deviation;
        cell.lhs_deviation[2] = self.lhs_squares;
        cell.rhs_deviation[0] = self.rhs_deviation;
        cell.rhs_deviation[2] = self.rhs_squares;
    }

    #[inline(always)]
    fn add<T: Number>(self, blocks: Blocks<'_, T>) -> Self {
        let Self { pivot_lhs, pivot_rhs, .. } = self;
        let (mut gaps, mut lhs_sums, mut rhs_sums, mut dot) =
            (self.gap, self.lhs, self.rhs, self.dot);
        let (mut lhs_deviation, mut lhs_squares) = (self.lhs_deviation, self.lhs_squares);
        let (mut rhs_deviation, mut rhs_squares) = (self.rhs_deviation, self.rhs_squares);
        for (lhs, rhs) in blocks.iter() {
            for i in 0..LANES {
                let (x, y) = (lhs[i].to_f64(), rhs[i].to_f64());
                let gap = rhs[i].minus(lhs[i]);
                let (dx, dy) = (x - pivot_lhs, y - pivot_rhs);
                gaps[i] += gap * gap;
                lhs_sums[i] += x * x;
                rhs_sums[i] += y * y;
                dot[i] += x * y;
                lhs_deviation[i] += dx;
                lhs_squares[i] += dx * dx;
                rhs_deviation[i] += dy;
                rhs_squares[i] += dy * dy;
            }
        }
        Self {
            gap: gaps,
            lhs: lhs_sums,
            rhs: rhs_sums,
            dot,
            lhs_deviation,
            lhs_squares,
            rhs_deviation,
            rhs_squares,
            ..self
        }
    }

    /// Adds pairs that are equal, to [`one_sided`](Self::one_sided) sums.
    #[inline(always)]
    fn add_equal<T: Number>(self, blocks: Blocks<'_, T>) -> Self {
        let pivot = self.pivot_lhs;
        let (mut sums, mut deviation, mut squares) =
            (self.lhs, self.lhs_deviation, self.lhs_squares);
        for block in blocks.lhs {
            for i in 0..LANES {
                let x = block[i].to_f64();
                let dx = x - pivot;
                sums[i] += x * x;
                deviation[i] += dx;
                squares[i] += dx * dx;
            }
        }
        Self {
            lhs: sums,
            rhs: sums,
            dot: sums,
            lhs_deviation: deviation,
            rhs_deviation: deviation,
            lhs_squares: squares,
            rhs_squares: squares,
            ..self
        }
    }
}

/// What is counted over a stretch; all zero where all pairs are equal.
#[derive(Default)]
struct Counts {
    /// Pairs of unequal bits.
    differing: u64,
    /// Pairs of unequal values.
    moved: u64,
    /// Pairs outside the tolerance.
    outside: u64,
    /// Differing pairs whose lhs is 0.
    zero_lhs: u64,
    max_ulp: u64,
    max_gap: f64,
    /// Whether a relative difference is larger than all before.
    exceeds: bool,
}

impl Counts {
    /// Counts what is told by the values. Integers add up in any order, so these loops need no lanes.
    #[inline(always)]
    fn add_gaps<T: Number>(&mut self, blocks: Blocks<'_, T>, tally: &Tally) {
        let (atol, rtol) = tally.rule.absolute.unwrap_or_default();
        let threshold = tally.relative_threshold();
        let (mut outside, mut moved, mut exceeding, mut max_gap) = (0, 0, 0, 0);
        for (x, y) in blocks.pairs() {
            let size = x.to_f64().abs();
            let gap = y.minus(x).abs();
            outside += u64::from(gap > atol + rtol * size);
            moved += u64::from(gap > 0.0);
            exceeding += u64::from(gap > threshold * or_infinite(size));
            // Numbers that are not negative order as their bits do.
            max_gap = gap.to_bits().max(max_gap);
        }
        self.outside = outside;
        self.moved = moved;
        self.max_gap = f64::from_bits(max_gap);
        self.exceeds = exceeding > 0 && exceeds(blocks, tally);
    }

    /// Counts what is told by the bits.
    #[inline(always)]
    fn add_bits<T: Number>(&mut self, blocks: Blocks<'_, T>) {
        let (mut differing, mut zero_lhs) = (0u32, 0u32);
        for (x, y) in blocks.pairs() {
            differing += u32::from(x.differs(y));
            zero_lhs += u32::from(x.differs(y) & x.is_zero());
        }
        self.differing = differing.into();
        self.zero_lhs = zero_lhs.into();
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
        let gap = y.minus(x).abs();
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

/// Takes the counts of a stretch in; looks for places only where there is a new one.
#[inline(never)]
fn settle<T: Number>(blocks: Blocks<'_, T>, counts: &Counts, nonzero: bool, tally: &mut Tally) {
    let start = tally.position;
    let mismatched = if tally.rule.absolute.is_some() { counts.outside } else { counts.differing };
    // Finite values that are equal though their bits differ are zeros of two signs.
    let zero_sign = counts.differing - counts.moved;
    tally.count_stretch(counts.differing, mismatched, counts.zero_lhs, zero_sign);
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
