//! Sixteen elements at a time, in loops that the compiler turns into the widest vectors the machine has.
//!
//! `pulp` looks at the machine once and runs the same code compiled for AVX-512, AVX2 or plain x86-64. A block of
//! sixteen finite pairs takes the lane arrays; a block with anything else (NaN, infinity, zeros of two signs, numbers
//! whose squares overflow) goes through the definition. Lanes, cells and order are those of [`grid`](super::super::grid),
//! so the sums are the same bits either way.
#![expect(
    clippy::indexing_slicing,
    reason = "loops over arrays of LANES elements; written with iterators they do not vectorise"
)]

use pulp::Arch;

use crate::compare::NanPolicy;
use crate::tensor::Number;

use super::super::grid::{Cell, LANES, Lanes, LARGEST, Pivot, SMALLEST};
use super::super::tally::Tally;
use super::pairs;

/// Elements after which the maxima are looked at; two such stretches fit the first-level cache.
const RUN: usize = 2048;

/// Takes real numbers of one type in; `equal` says that the two are the same bytes.
pub(super) fn numbers<T: Number>(lhs: &[T], rhs: &[T], equal: bool, tally: &mut Tally) {
    let nan_differs = T::FLOAT && tally.rule.nan == NanPolicy::Differ;
    let arch = Arch::new();
    for (lhs, rhs) in lhs.chunks(RUN).zip(rhs.chunks(RUN)) {
        let (blocks_lhs, tail_lhs) = lhs.as_chunks();
        let (blocks_rhs, tail_rhs) = rhs.as_chunks();
        let blocks = Blocks { lhs: blocks_lhs, rhs: blocks_rhs };
        if equal && !nan_differs {
            arch.dispatch(EqualRun { blocks, tally });
        } else {
            match (tally.rule.absolute.is_some(), tally.rule.ulp.is_some()) {
                (false, false) => arch.dispatch(Run::<T, false, false> { blocks, tally }),
                (true, false) => arch.dispatch(Run::<T, true, false> { blocks, tally }),
                (false, true) => arch.dispatch(Run::<T, false, true> { blocks, tally }),
                (true, true) => arch.dispatch(Run::<T, true, true> { blocks, tally }),
            }
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
    fn iter(self) -> impl Iterator<Item = (&'a [T; LANES], &'a [T; LANES])> {
        self.lhs.iter().zip(self.rhs)
    }

    fn pairs(self) -> impl Iterator<Item = (T, T)> {
        self.lhs.as_flattened().iter().copied().zip(self.rhs.as_flattened().iter().copied())
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

/// The sums of a cell, held in vector registers.
struct Registers {
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

impl Registers {
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
    fn add_deviations(&mut self, x: &Lanes, y: &Lanes) {
        for i in 0..LANES {
            let (dx, dy) = (x[i] - self.pivot_lhs, y[i] - self.pivot_rhs);
            self.lhs_deviation[i] += dx;
            self.lhs_squares[i] += dx * dx;
            self.rhs_deviation[i] += dy;
            self.rhs_squares[i] += dy * dy;
        }
    }
}

/// Whether a block needs the definition.
#[inline(always)]
fn is_special<T: Number>(x: &Lanes, y: &Lanes, gap: &Lanes, differs: &[bool; LANES]) -> bool {
    let mut special = false;
    if T::FLOAT {
        for i in 0..LANES {
            let finite = (x[i].abs() < f64::INFINITY) & (y[i].abs() < f64::INFINITY);
            special |= !finite | (differs[i] & (x[i] == y[i]));
        }
    }
    if T::WIDE {
        for v in [x, y, gap] {
            for i in 0..LANES {
                let v = v[i].abs();
                special |= (v != 0.0) & !((v >= SMALLEST) & (v <= LARGEST));
            }
        }
    }
    special
}

/// Hands a block to the definition: what is done before it must be in the cell, what comes after starts from the cell.
#[inline(never)]
fn by_definition<T: Number>(lhs: &[T; LANES], rhs: &[T; LANES], done: &mut u64, tally: &mut Tally) {
    tally.advance(*done);
    *done = 0;
    pairs::numbers(lhs, rhs, tally);
}

/// A stretch of blocks that are the same on both sides.
struct EqualRun<'a, T> {
    blocks: Blocks<'a, T>,
    tally: &'a mut Tally,
}

impl<T: Number> pulp::NullaryFnOnce for EqualRun<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { blocks, tally } = self;
        let start = tally.position;
        blocks.set_pivot(&mut tally.cell);
        let mut registers = Registers::load(&tally.cell);
        let (mut done, mut finite, mut nonzero) = (0, 0, false);
        for (lhs, rhs) in blocks.iter() {
            let x: Lanes = std::array::from_fn(|i| lhs[i].to_f64());
            if is_special::<T>(&x, &x, &[0.0; LANES], &[false; LANES]) {
                registers.store(&mut tally.cell);
                by_definition(lhs, rhs, &mut done, tally);
                registers = Registers::load(&tally.cell);
                continue;
            }
            for i in 0..LANES {
                let square = x[i] * x[i];
                registers.lhs[i] += square;
                registers.rhs[i] += square;
                registers.dot[i] += square;
                nonzero |= x[i] != 0.0;
            }
            registers.add_deviations(&x, &x);
            done += LANES as u64;
            finite += LANES as u64;
            tally.cell.finite += LANES as u64;
        }
        registers.store(&mut tally.cell);
        if finite > 0 {
            settle_equal::<T>(blocks, start, nonzero, tally);
        }
        tally.advance(done);
    }
}

/// What equal finite pairs say about the maxima: that they are at least 0.
#[inline(never)]
fn settle_equal<T: Number>(blocks: Blocks<'_, T>, start: u64, nonzero: bool, tally: &mut Tally) {
    if tally.may_be_worst(0.0, start) {
        find_worst(blocks, 0.0, start, tally);
    }
    if T::FLOAT {
        tally.ulps(0);
    }
    if nonzero {
        tally.relative(0.0, 1.0);
    }
}

/// A stretch of blocks, under a tolerance or by bits.
struct Run<'a, T, const ABSOLUTE: bool, const ULP: bool> {
    blocks: Blocks<'a, T>,
    tally: &'a mut Tally,
}

/// What a run counts, a lane each.
#[derive(Default)]
struct Counts {
    differing: [u64; LANES],
    mismatched: [u64; LANES],
    zero_lhs: [u64; LANES],
    max_ulp: [u64; LANES],
    max_gap: Lanes,
    rtol_fails: bool,
    nonzero: bool,
    blocks: u64,
}

impl<T: Number, const ABSOLUTE: bool, const ULP: bool> pulp::NullaryFnOnce
    for Run<'_, T, ABSOLUTE, ULP>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { blocks, tally } = self;
        let start = tally.position;
        blocks.set_pivot(&mut tally.cell);
        let (atol, rtol) = tally.rule.absolute.unwrap_or_default();
        let most_ulps = tally.rule.ulp.unwrap_or_default();
        let mut threshold = tally.relative_threshold();
        let mut registers = Registers::load(&tally.cell);
        let mut counts = Counts::default();
        let mut done = 0;
        for (lhs, rhs) in blocks.iter() {
            let x: Lanes = std::array::from_fn(|i| lhs[i].to_f64());
            let y: Lanes = std::array::from_fn(|i| rhs[i].to_f64());
            let gap: Lanes = std::array::from_fn(|i| rhs[i].minus(lhs[i]).abs());
            let differs: [bool; LANES] = std::array::from_fn(|i| lhs[i].differs(rhs[i]));
            if is_special::<T>(&x, &y, &gap, &differs) {
                registers.store(&mut tally.cell);
                by_definition(lhs, rhs, &mut done, tally);
                registers = Registers::load(&tally.cell);
                threshold = tally.relative_threshold();
                continue;
            }
            let ulps: [u64; LANES] = if T::FLOAT {
                std::array::from_fn(|i| lhs[i].order_key().abs_diff(rhs[i].order_key()))
            } else {
                [0; LANES]
            };
            let mut exceeds = false;
            for i in 0..LANES {
                let size = x[i].abs();
                let mut mismatch = differs[i];
                if ABSOLUTE {
                    mismatch &= !(gap[i] <= atol + rtol * size);
                }
                if ULP && T::FLOAT {
                    mismatch &= ulps[i] > most_ulps;
                }
                counts.differing[i] += u64::from(differs[i]);
                counts.mismatched[i] += u64::from(mismatch);
                counts.zero_lhs[i] += u64::from(differs[i] & (size == 0.0));
                counts.max_ulp[i] = counts.max_ulp[i].max(ulps[i]);
                counts.max_gap[i] = if gap[i] > counts.max_gap[i] { gap[i] } else { counts.max_gap[i] };
                counts.rtol_fails |= (size == 0.0) & (gap[i] > 0.0);
                counts.nonzero |= size > 0.0;
                exceeds |= (size > 0.0) & (gap[i] > threshold * size);
                registers.gap[i] += gap[i] * gap[i];
                registers.lhs[i] += x[i] * x[i];
                registers.rhs[i] += y[i] * y[i];
                registers.dot[i] += x[i] * y[i];
            }
            registers.add_deviations(&x, &y);
            if exceeds {
                threshold = raise(&x, &gap, tally);
            }
            counts.blocks += 1;
            tally.cell.finite += LANES as u64;
            done += LANES as u64;
        }
        registers.store(&mut tally.cell);
        settle(blocks, &counts, start, tally);
        tally.advance(done);
    }
}

/// Takes the relative differences of a block in, and says which are too small to matter from now on.
#[inline(never)]
fn raise(x: &Lanes, gap: &Lanes, tally: &mut Tally) -> f64 {
    for (x, &gap) in x.iter().zip(gap) {
        if *x != 0.0 {
            tally.relative(gap, x.abs());
        }
    }
    tally.relative_threshold()
}

/// Takes the counts of a run in; looks for places only where there is a new one.
#[inline(never)]
fn settle<T: Number>(blocks: Blocks<'_, T>, counts: &Counts, start: u64, tally: &mut Tally) {
    if counts.blocks == 0 {
        return;
    }
    let mismatched: u64 = counts.mismatched.iter().sum();
    tally.differing += counts.differing.iter().sum::<u64>();
    tally.mismatched += mismatched;
    tally.zero_lhs += counts.zero_lhs.iter().sum::<u64>();
    tally.rtol_fails |= counts.rtol_fails;
    if counts.nonzero {
        tally.relative(0.0, 1.0);
    }
    if T::FLOAT {
        tally.ulps(counts.max_ulp.iter().copied().max().unwrap_or_default());
    }
    let max_gap = counts.max_gap.iter().copied().fold(0.0, f64::max);
    if tally.may_be_worst(max_gap, start) {
        find_worst(blocks, max_gap, start, tally);
    }
    if mismatched > 0 && tally.first().is_none_or(|first| first >= start) {
        let rule = tally.rule;
        let first = blocks.pairs().position(|(x, y)| !rule.is_close(&pairs::pair(x, y)));
        if let Some(first) = first {
            tally.first_mismatch_at(start + first as u64);
        }
    }
}

/// Notes the first finite pair that is `gap` apart.
fn find_worst<T: Number>(blocks: Blocks<'_, T>, gap: f64, start: u64, tally: &mut Tally) {
    let worst = blocks.pairs().zip(start..).find(|&((x, y), _)| {
        let pair = pairs::pair(x, y);
        pair.is_finite() && pair.gap >= gap
    });
    if let Some(((x, y), position)) = worst {
        tally.worst_at(position, gap, (x.scalar(), y.scalar()));
    }
}
