//! Sixteen elements at a time, in loops that the compiler turns into the widest vectors the machine has.
//!
//! `pulp` looks at the machine once and runs the same code compiled for AVX-512, AVX2 or plain x86-64. Stretches of
//! finite pairs take the lanes; a block of sixteen with anything else (NaN, infinity, numbers whose squares overflow) goes
//! through the definition. Each loop does little, so that all it adds up stays in registers.

use std::any::TypeId;

use bytemuck::Zeroable;
use pulp::Arch;

use crate::compare::NanPolicy;
use crate::tensor::Number;

use super::super::grid::{Cell, LANES, Pivot};
use super::super::tally::Tally;
use super::asked::{Asked, Batch};
use super::counts::{Counts, settle};
use super::sums::{LaneSums, squares_fit};
use super::{Take, pairs};

/// Elements in a stretch: two of `f32` fit the first-level cache, so the loops after the first read from there.
pub(super) const STRETCH: usize = BLOCKS * LANES;
const BLOCKS: usize = 128;

/// Room for a stretch of both sides in the type to compute with; none until it is needed.
type Room<W> = Option<([[W; LANES]; BLOCKS], [[W; LANES]; BLOCKS])>;

/// Takes real numbers of one type in; `equal` says that the two are the same bytes.
pub(super) fn numbers<T: Number>(lhs: &[T], rhs: &[T], equal: bool, take: Take, tally: &mut Tally) {
    let equal = equal && !(T::FLOAT && tally.rule.nan == NanPolicy::Differ);
    let asks_more = take == Take::Everything && !equal && tally.asks_more();
    let mut work =
        Work { equal, take, room: None, batch: asks_more.then(|| Box::new(Batch::new())), tally };
    for (lhs, rhs) in lhs.chunks(STRETCH).zip(rhs.chunks(STRETCH)) {
        let (blocks, tail_lhs, tail_rhs) = Blocks::split(lhs, rhs);
        if !blocks.is_empty() {
            work.stretch(blocks);
        }
        pairs::numbers(tail_lhs, tail_rhs, take, work.tally);
    }
}

/// Whole blocks of both sides.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a, T> {
    pub(super) lhs: &'a [[T; LANES]],
    pub(super) rhs: &'a [[T; LANES]],
}

impl<'a, T: Number> Blocks<'a, T> {
    /// The whole blocks of two slices of one length, and what is left of each.
    pub(super) fn split(lhs: &'a [T], rhs: &'a [T]) -> (Self, &'a [T], &'a [T]) {
        let (lhs, tail_lhs) = lhs.as_chunks();
        let (rhs, tail_rhs) = rhs.as_chunks();
        (Self { lhs, rhs }, tail_lhs, tail_rhs)
    }

    #[inline(always)]
    pub(super) fn iter(self) -> impl Iterator<Item = (&'a [T; LANES], &'a [T; LANES])> {
        self.lhs.iter().zip(self.rhs)
    }

    #[inline(always)]
    pub(super) fn pairs(self) -> impl Iterator<Item = (T, T)> {
        self.lhs.as_flattened().iter().copied().zip(self.rhs.as_flattened().iter().copied())
    }

    /// The same blocks, up to `count` at a time.
    #[inline(always)]
    pub(super) fn groups(self, count: usize) -> impl Iterator<Item = Self> {
        self.lhs.chunks(count).zip(self.rhs.chunks(count)).map(|(lhs, rhs)| Self { lhs, rhs })
    }

    fn is_empty(self) -> bool {
        self.lhs.is_empty()
    }

    fn len(self) -> u64 {
        (self.lhs.len() * LANES) as u64
    }

    /// The same numbers in the type to compute with, in `room` if that is another.
    pub(super) fn widen<'b>(self, room: &'b mut Room<T::Wide>) -> Blocks<'b, T::Wide>
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
        let (lhs, rhs) = room.get_or_insert_with(Zeroable::zeroed);
        Blocks { lhs: fill(lhs, self.lhs), rhs: fill(rhs, self.rhs) }
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

/// How stretches are taken in, and the room for it.
struct Work<'a, T: Number> {
    equal: bool,
    take: Take,
    room: Room<T::Wide>,
    /// Where more is asked for than there always is.
    batch: Option<Box<Batch<T>>>,
    tally: &'a mut Tally,
}

impl<T: Number> Work<'_, T> {
    /// Takes a stretch in: as a whole, or block by block where it holds what needs the definition.
    fn stretch(&mut self, blocks: Blocks<'_, T>) {
        blocks.set_pivot(&mut self.tally.cell);
        if self.take_finite(blocks) {
            return;
        }
        for block in blocks.groups(1) {
            if !self.take_finite(block) {
                let (lhs, rhs) = (block.lhs.as_flattened(), block.rhs.as_flattened());
                pairs::numbers(lhs, rhs, self.take, self.tally);
            }
        }
    }

    /// Takes blocks of finite pairs in; does nothing and returns false when one is not finite.
    fn take_finite(&mut self, blocks: Blocks<'_, T>) -> bool {
        let Self { equal, take, room, batch, tally } = self;
        let arch = Arch::new();
        let wide = blocks.widen(room);
        let kernel = Kernel { blocks: wide, equal: *equal, take: *take, tally };
        let Some((sums, mut counts)) = arch.dispatch(kernel) else { return false };
        sums.store(&mut tally.cell);
        tally.cell.finite += blocks.len();
        if *take == Take::Everything {
            if T::FLOAT && !*equal {
                counts.max_ulp = arch.dispatch(MaxUlp(blocks)).into();
            }
            if counts.differing > 0
                && let Some(batch) = batch
            {
                arch.dispatch(Asked { blocks, wide, batch, counts: &mut counts, tally });
            }
            let nonzero = sums.lhs.iter().any(|&x| x > 0.0);
            settle(blocks, &counts, nonzero, tally);
        }
        tally.advance(blocks.len());
        true
    }
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
    take: Take,
    tally: &'a Tally,
}

impl<T: Number> pulp::NullaryFnOnce for Kernel<'_, T> {
    type Output = Option<(LaneSums, Counts)>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { blocks, equal, take, tally } = self;
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
        if !equal && take == Take::Everything {
            counts.add_gaps(blocks, tally);
            counts.add_bits(blocks);
        }
        Some((sums, counts))
    }
}
