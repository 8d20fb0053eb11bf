//! The sums of real numbers over whole blocks. Lanes, cells and order are those of [`grid`](crate::compare::grid), so the sums
//! have the same bits as those of the definition.
#![expect(
    clippy::indexing_slicing,
    reason = "loops over arrays of LANES elements; written with iterators they do not vectorize"
)]

use crate::compare::grid::{Cell, LANES, LARGEST, Lanes, Products, SMALLEST};
use crate::tensor::Number;

use super::blocks::Blocks;

/// Whether all squares, and those of the differences, stay in the range of `f64`.
#[inline(always)]
pub(super) fn squares_fit<T: Number>(blocks: Blocks<'_, T>) -> bool {
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

/// The sums of a cell of real numbers, copied out of it so that they stay in registers.
pub(super) struct LaneSums {
    pivot_lhs: f64,
    pivot_rhs: f64,
    pub(super) products: Products<Lanes>,
    lhs_deviation: Lanes,
    lhs_squares: Lanes,
    rhs_deviation: Lanes,
    rhs_squares: Lanes,
}

impl LaneSums {
    #[inline(always)]
    pub(super) fn load(cell: &Cell) -> Self {
        let pivot = cell.pivot.unwrap_or_default();
        Self {
            pivot_lhs: pivot.lhs.0,
            pivot_rhs: pivot.rhs.0,
            products: cell.sums,
            lhs_deviation: cell.lhs_deviation[0],
            lhs_squares: cell.lhs_deviation[2],
            rhs_deviation: cell.rhs_deviation[0],
            rhs_squares: cell.rhs_deviation[2],
        }
    }

    /// Whether the sums of both sides are equal, as they are while all pairs of the cell are equal.
    #[inline(always)]
    #[expect(
        clippy::float_cmp,
        reason = "sums of the same numbers in the same order are the same bits"
    )]
    pub(super) fn one_sided(&self) -> bool {
        self.pivot_lhs == self.pivot_rhs
            && self.products.lhs == self.products.rhs
            && self.products.lhs == self.products.dot
            && self.lhs_deviation == self.rhs_deviation
            && self.lhs_squares == self.rhs_squares
    }

    #[inline(always)]
    pub(super) fn store(&self, cell: &mut Cell) {
        cell.sums = self.products;
        cell.lhs_deviation[0] = self.lhs_deviation;
        cell.lhs_deviation[2] = self.lhs_squares;
        cell.rhs_deviation[0] = self.rhs_deviation;
        cell.rhs_deviation[2] = self.rhs_squares;
    }

    #[inline(always)]
    pub(super) fn add<T: Number>(self, blocks: Blocks<'_, T>) -> Self {
        let Self { pivot_lhs, pivot_rhs, .. } = self;
        let Products { diff: mut diffs, lhs: mut lhs_sums, rhs: mut rhs_sums, mut dot } =
            self.products;
        let (mut lhs_deviation, mut lhs_squares) = (self.lhs_deviation, self.lhs_squares);
        let (mut rhs_deviation, mut rhs_squares) = (self.rhs_deviation, self.rhs_squares);
        for (lhs, rhs) in blocks.iter() {
            for i in 0..LANES {
                let (x, y) = (lhs[i].to_f64(), rhs[i].to_f64());
                let diff = rhs[i].minus(lhs[i]);
                let (dx, dy) = (x - pivot_lhs, y - pivot_rhs);
                diffs[i] += diff * diff;
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
            products: Products { diff: diffs, lhs: lhs_sums, rhs: rhs_sums, dot },
            lhs_deviation,
            lhs_squares,
            rhs_deviation,
            rhs_squares,
            ..self
        }
    }

    /// Adds pairs that are equal, to [`one_sided`](Self::one_sided) sums.
    #[inline(always)]
    pub(super) fn add_equal<T: Number>(self, blocks: Blocks<'_, T>) -> Self {
        let pivot = self.pivot_lhs;
        let (mut sums, mut deviation, mut squares) =
            (self.products.lhs, self.lhs_deviation, self.lhs_squares);
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
            products: Products { lhs: sums, rhs: sums, dot: sums, ..self.products },
            lhs_deviation: deviation,
            rhs_deviation: deviation,
            lhs_squares: squares,
            rhs_squares: squares,
            ..self
        }
    }
}
