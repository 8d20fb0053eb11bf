//! Elements of both sides of a cell in blocks of sixteen, one element for each lane.

use std::any::TypeId;

use pulp::Arch;

use crate::compare::grid::LANES;
use crate::tensor::Number;

use super::halves;

/// A buffer for the blocks of both sides of a cell, which grows as needed.
pub(super) type Buffer<T> = [Vec<[T; LANES]>; 2];

/// Whole blocks of both sides.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a, T> {
    pub(super) lhs: &'a [[T; LANES]],
    pub(super) rhs: &'a [[T; LANES]],
}

impl<'a, T: Number> Blocks<'a, T> {
    /// The blocks of two slices of one length. If the last block is not whole, all are copied to `buffer`, and equal pairs of zeros
    /// fill the last, which no statistic counts.
    pub(super) fn new(lhs: &'a [T], rhs: &'a [T], buffer: &'a mut Buffer<T>) -> Self {
        let (whole, []) = lhs.as_chunks() else {
            let blocks = lhs.len().div_ceil(LANES);
            return Self::fill(blocks, buffer, |[to_lhs, to_rhs]| {
                for (to, from) in [(to_lhs, lhs), (to_rhs, rhs)] {
                    let (elements, rest) = to.split_at_mut(from.len());
                    elements.copy_from_slice(from);
                    rest.fill(T::zeroed());
                }
            });
        };
        Self { lhs: whole, rhs: rhs.as_chunks().0 }
    }

    /// The first `blocks` blocks of two slices.
    pub(super) fn whole(lhs: &'a [T], rhs: &'a [T], blocks: usize) -> Self {
        let whole = |side: &'a [T]| side.as_chunks().0.get(..blocks).unwrap_or_default();
        Self { lhs: whole(lhs), rhs: whole(rhs) }
    }

    /// The first `blocks` blocks of a buffer, after `fill` has written them.
    pub(super) fn fill(
        blocks: usize,
        buffer: &'a mut Buffer<T>,
        fill: impl FnOnce([&mut [T]; 2]),
    ) -> Self {
        for side in buffer.iter_mut().filter(|side| side.len() < blocks) {
            side.resize(blocks, [T::zeroed(); LANES]);
        }
        let mut whole = buffer.each_mut().map(|side| side.get_mut(..blocks).unwrap_or_default());
        fill(whole.each_mut().map(|side| side.as_flattened_mut()));
        let [lhs, rhs] = whole.map(|side| &*side);
        Self { lhs, rhs }
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

    /// The same numbers in the type of the computation; stored in `buffer` if that is another type.
    pub(super) fn widen<'b>(self, buffer: &'b mut Buffer<T::Wide>) -> Blocks<'b, T::Wide>
    where
        'a: 'b,
    {
        if let Some(wide) = self.cast() {
            return wide;
        }
        Blocks::fill(self.lhs.len(), buffer, |[lhs, rhs]| {
            for (from, to) in [(self.lhs.as_flattened(), lhs), (self.rhs.as_flattened(), rhs)] {
                if !halves::widen(from, to) {
                    Arch::new().dispatch(Widen { from, to });
                }
            }
        })
    }

    /// The same blocks, if the type of the computation does not represent all numbers.
    pub(super) fn exact(self) -> Option<Blocks<'a, T::Exact>> {
        self.cast().filter(|_| Arch::new().dispatch(ExcessBits(self)) != 0)
    }

    /// The same blocks, if `U` is their type.
    pub(super) fn cast<U: Number>(self) -> Option<Blocks<'a, U>> {
        (TypeId::of::<T>() == TypeId::of::<U>()).then(|| Blocks {
            lhs: bytemuck::cast_slice(self.lhs),
            rhs: bytemuck::cast_slice(self.rhs),
        })
    }
}

/// Converts elements to the type of the computation.
struct Widen<'a, T: Number> {
    from: &'a [T],
    to: &'a mut [T::Wide],
}

impl<T: Number> pulp::NullaryFnOnce for Widen<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (&from, to) in self.from.iter().zip(self.to) {
            *to = from.widen();
        }
    }
}

struct ExcessBits<'a, T>(Blocks<'a, T>);

impl<T: Number> pulp::NullaryFnOnce for ExcessBits<'_, T> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        self.0.pairs().fold(0, |bits, (x, y)| bits | x.excess_bits() | y.excess_bits())
    }
}
