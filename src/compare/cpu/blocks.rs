//! Elements of both sides in blocks of sixteen, one element for each lane.

use std::any::TypeId;

use bytemuck::Zeroable;

use crate::compare::grid::{Cell, LANES, Pivot};
use crate::tensor::Number;

/// Elements in a stretch, the unit of work of the kernels: two stretches of `f32` fit the first-level cache, so every loop after
/// the first reads from there.
pub(super) const STRETCH: usize = BLOCKS * LANES;
const BLOCKS: usize = 128;

/// A buffer for a stretch of both sides in the type of the computation, allocated on first use.
pub(super) type WideBuffer<W> = Option<([[W; LANES]; BLOCKS], [[W; LANES]; BLOCKS])>;

/// Whole blocks of both sides.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a, T> {
    pub(super) lhs: &'a [[T; LANES]],
    pub(super) rhs: &'a [[T; LANES]],
}

impl<'a, T: Number> Blocks<'a, T> {
    /// The whole blocks of two slices of one length, and the rest of each.
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
        // Not `copied()`: inside a zip, the standard library does not ask for its inlining, and the loops would not vectorize.
        self.lhs.as_flattened().iter().zip(self.rhs.as_flattened()).map(|(&lhs, &rhs)| (lhs, rhs))
    }

    /// The same blocks in groups of `count`; the last group may be smaller.
    #[inline(always)]
    pub(super) fn groups(self, count: usize) -> impl Iterator<Item = Self> {
        self.lhs.chunks(count).zip(self.rhs.chunks(count)).map(|(lhs, rhs)| Self { lhs, rhs })
    }

    pub(super) fn is_empty(self) -> bool {
        self.lhs.is_empty()
    }

    /// The number of elements on each side.
    pub(super) fn len(self) -> u64 {
        (self.lhs.len() * LANES) as u64
    }

    /// The same numbers in the type of the computation; stored in `buffer` if that is another type.
    pub(super) fn widen<'b>(self, buffer: &'b mut WideBuffer<T::Wide>) -> Blocks<'b, T::Wide>
    where
        'a: 'b,
    {
        if TypeId::of::<T>() == TypeId::of::<T::Wide>() {
            return Blocks {
                lhs: bytemuck::cast_slice(self.lhs),
                rhs: bytemuck::cast_slice(self.rhs),
            };
        }
        let fill = |buffer: &'b mut [[T::Wide; LANES]; BLOCKS], from: &[[T; LANES]]| {
            for (wide, narrow) in buffer.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
                *wide = narrow.widen();
            }
            buffer.get(..from.len()).unwrap_or_default()
        };
        let (lhs, rhs) = buffer.get_or_insert_with(Zeroable::zeroed);
        Blocks { lhs: fill(lhs, self.lhs), rhs: fill(rhs, self.rhs) }
    }

    /// Sets the pivot of the cell, unless an earlier finite pair has set it.
    pub(super) fn set_pivot(self, cell: &mut Cell) {
        if cell.pivot.is_none() {
            cell.pivot = self
                .pairs()
                .map(|(x, y)| (x.to_f64(), y.to_f64()))
                .find(|(x, y)| x.is_finite() && y.is_finite())
                .map(|(x, y)| Pivot { lhs: (x, 0.0), rhs: (y, 0.0) });
        }
    }
}
