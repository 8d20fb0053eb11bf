//! Pairs with a NaN or an infinity, which have no difference: they are counted, and excluded from everything else.

use std::cell::OnceCell;

use pulp::Arch;

use crate::compare::counts::Counts;
use crate::compare::grid;
use crate::compare::pair::Pair;
use crate::compare::sums::{Deviation, SecondPass};
use crate::compare::tally::Tally;
use crate::compare::{NanPolicy, Sides};
use crate::tensor::Number;

use super::blocks::{Blocks, Buffer};
use super::pairs;

/// The counts of pairs that are not finite.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Excluded {
    pub(super) pairs: u64,
    counts: Counts,
    /// Pairs that are not close without a tolerance.
    unequal: u64,
}

impl Excluded {
    /// Counts the pairs of a cell that are not finite.
    pub(super) fn count<T: Number>(
        blocks: Blocks<'_, T>,
        wide: Blocks<'_, T::Wide>,
        nan: NanPolicy,
    ) -> Self {
        Arch::new().dispatch(Count { blocks, wide, nan_differs: nan == NanPolicy::Differ })
    }

    /// Adds the counts. Whether such a pair is close does not depend on the size of a tolerance.
    pub(super) fn add_to(&self, tally: &mut Tally) {
        let Self { counts, unequal, .. } = self;
        let mismatched = |by_tolerance| if by_tolerance { counts.never_close } else { *unequal };
        for further in &mut tally.further {
            further.mismatched += mismatched(further.rule.absolute.is_some());
        }
        let mismatched = mismatched(tally.rule.absolute.is_some());
        tally.counts.merge(&Counts { mismatched, ..*counts }, 1);
    }
}

struct Count<'a, T: Number> {
    blocks: Blocks<'a, T>,
    wide: Blocks<'a, T::Wide>,
    nan_differs: bool,
}

impl<T: Number> pulp::NullaryFnOnce for Count<'_, T> {
    type Output = Excluded;

    /// Narrow counters, and no branches, so that the loop vectorizes.
    #[inline(always)]
    #[expect(clippy::float_cmp, reason = "an infinity is close to itself only")]
    fn call(self) -> Excluded {
        let Self { blocks, wide, nan_differs } = self;
        let [mut pairs, mut differing, mut never_close, mut unequal] = [0u32; 4];
        let [mut nan_lhs, mut nan_rhs, mut inf_lhs, mut inf_rhs] = [0u32; 4];
        let [mut nan_new, mut nan_payload, mut zero_lhs] = [0u32; 3];
        for ((x, y), (wide_x, wide_y)) in blocks.pairs().zip(wide.pairs()) {
            let (lhs, rhs) = (wide_x.to_f64(), wide_y.to_f64());
            let differs = x.differs(y);
            let is_excluded = !(lhs.is_finite() & rhs.is_finite());
            let (lhs_nan, rhs_nan) = (lhs.is_nan(), rhs.is_nan());
            let both_nan = lhs_nan & rhs_nan;
            let is_unequal_nan = both_nan & nan_differs;
            pairs += u32::from(is_excluded);
            nan_lhs += u32::from(lhs_nan);
            nan_rhs += u32::from(rhs_nan);
            inf_lhs += u32::from(lhs.abs() == f64::INFINITY);
            inf_rhs += u32::from(rhs.abs() == f64::INFINITY);
            nan_new += u32::from(rhs_nan & !lhs_nan);
            differing += u32::from(is_excluded & differs);
            nan_payload += u32::from(both_nan & differs);
            zero_lhs += u32::from(is_excluded & (lhs == 0.0));
            never_close += u32::from(is_excluded & (is_unequal_nan | (!both_nan & (lhs != rhs))));
            unequal += u32::from(is_excluded & (differs | is_unequal_nan));
        }
        let counts = Counts {
            differing: differing.into(),
            nan_lhs: nan_lhs.into(),
            nan_rhs: nan_rhs.into(),
            inf_lhs: inf_lhs.into(),
            inf_rhs: inf_rhs.into(),
            nan_new: nan_new.into(),
            never_close: never_close.into(),
            nan_payload: nan_payload.into(),
            zero_lhs: zero_lhs.into(),
            ..Counts::default()
        };
        Excluded { pairs: pairs.into(), counts, unequal: unequal.into() }
    }
}

impl<'a, T: Number> Blocks<'a, T> {
    /// The same pairs, with zeros for those that are not finite.
    pub(super) fn without_excluded(
        self,
        wide: Blocks<'_, T::Wide>,
        buffer: &'a mut Buffer<T>,
    ) -> Self {
        Blocks::fill(self.lhs.len(), buffer, |[lhs, rhs]| {
            Arch::new().dispatch(Replace { from: self, wide, lhs, rhs });
        })
    }
}

struct Replace<'a, T: Number> {
    from: Blocks<'a, T>,
    wide: Blocks<'a, T::Wide>,
    lhs: &'a mut [T],
    rhs: &'a mut [T],
}

impl<T: Number> pulp::NullaryFnOnce for Replace<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { from, wide, lhs, rhs } = self;
        let to = lhs.iter_mut().zip(rhs);
        for (((x, y), (wide_x, wide_y)), (to_x, to_y)) in from.pairs().zip(wide.pairs()).zip(to) {
            let is_finite = wide_x.to_f64().is_finite() & wide_y.to_f64().is_finite();
            *to_x = if is_finite { x } else { T::zeroed() };
            *to_y = if is_finite { y } else { T::zeroed() };
        }
    }
}

/// A cell with pairs that are excluded, whose second pass is that of the definition.
pub(super) struct Originals<'a, T> {
    lhs: &'a [T],
    rhs: &'a [T],
    cell: OnceCell<grid::Cell>,
}

impl<'a, T: Number> Originals<'a, T> {
    pub(super) fn new(lhs: &'a [T], rhs: &'a [T]) -> Self {
        Self { lhs, rhs, cell: OnceCell::new() }
    }

    fn cell(&self) -> &grid::Cell {
        self.cell.get_or_init(|| {
            let mut cell = grid::Cell::default();
            let pairs = pairs::of((self.lhs, self.rhs));
            pairs.for_each(|(x, y)| cell.push(&Pair::real(x, y)));
            cell
        })
    }
}

impl<T: Number> SecondPass for Originals<'_, T> {
    fn dot(&self) -> f64 {
        self.cell().real().dot()
    }

    fn deviations(&self) -> Sides<Deviation> {
        self.cell().real().deviations()
    }
}
