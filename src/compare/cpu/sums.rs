//! The sums of a cell of finite real numbers. Lanes and order are those of [`grid`](crate::compare::grid), so the sums have the
//! same bits as those of the definition.
#![expect(
    clippy::indexing_slicing,
    reason = "loops over arrays of LANES elements; written with iterators they do not vectorize"
)]

use pulp::Arch;

use crate::compare::Sides;
use crate::compare::grid::{LANES, Lanes, tree};
use crate::compare::sums::{Deviation, FirstPass, SecondPass};
use crate::tensor::Number;

use super::blocks::Blocks;

/// The sums of the first pass; of one side where `equal` says that both are the same.
pub(super) fn first_pass<T: Number, W: Number>(
    blocks: Blocks<'_, T>,
    wide: Blocks<'_, W>,
    equal: bool,
) -> FirstPass<f64> {
    let arch = Arch::new();
    if T::IS_SMALL {
        arch.dispatch(IntegerSums(blocks))
    } else if equal && const { has_exact_squares::<W>() } && has_fused(arch) {
        arch.dispatch(EqualSums::<_, true>(wide))
    } else if equal {
        arch.dispatch(EqualSums::<_, false>(wide))
    } else if W::FLOAT {
        arch.dispatch(LaneSums::<_, 8>(wide))
    } else {
        arch.dispatch(LaneSums::<_, 4>(wide))
    }
}

/// Whether squares are exact in `f64`, so that to add one in a fused operation has the same result.
const fn has_exact_squares<W: Number>() -> bool {
    W::FLOAT && size_of::<W>() == size_of::<f32>()
}

/// Whether the kernels for this machine have fused operations; else they would call a function.
fn has_fused(arch: Arch) -> bool {
    cfg!(target_arch = "aarch64") || cfg!(target_arch = "x86_64") && !matches!(arch, Arch::Scalar)
}

/// Adds a square; fused, if squares are exact.
#[inline(always)]
fn add_square<const FUSED: bool>(sum: f64, x: f64) -> f64 {
    if FUSED { x.mul_add(x, sum) } else { sum + x * x }
}

/// The sums of both sides, by lane. So few lanes are summed at once that five sums of them stay in registers, and that the compiler
/// converts integers as vectors. The squares are not fused with their sums: the compiler would then work on pairs of one element
/// of each side, in the narrowest vectors.
struct LaneSums<'a, T, const AT_ONCE: usize>(Blocks<'a, T>);

impl<T: Number, const AT_ONCE: usize> pulp::NullaryFnOnce for LaneSums<'_, T, AT_ONCE> {
    type Output = FirstPass<f64>;

    #[inline(always)]
    fn call(self) -> FirstPass<f64> {
        let mut sums = FirstPass::<Lanes>::default();
        for start in (0..LANES).step_by(AT_ONCE) {
            let zeros = Sides { lhs: [0.0; AT_ONCE], rhs: [0.0; AT_ONCE] };
            let mut part = FirstPass { values: zeros, squares: zeros, diff: [0.0; AT_ONCE] };
            for (lhs, rhs) in self.0.iter() {
                for i in 0..AT_ONCE {
                    let (lhs, rhs) = (lhs[start + i], rhs[start + i]);
                    let (x, y, diff) = (lhs.to_f64(), rhs.to_f64(), rhs.abs_diff(lhs));
                    part.values.lhs[i] += x;
                    part.values.rhs[i] += y;
                    part.squares.lhs[i] += x * x;
                    part.squares.rhs[i] += y * y;
                    part.diff[i] += diff * diff;
                }
            }
            let end = start + AT_ONCE;
            sums.values.lhs[start..end].copy_from_slice(&part.values.lhs);
            sums.values.rhs[start..end].copy_from_slice(&part.values.rhs);
            sums.squares.lhs[start..end].copy_from_slice(&part.squares.lhs);
            sums.squares.rhs[start..end].copy_from_slice(&part.squares.rhs);
            sums.diff[start..end].copy_from_slice(&part.diff);
        }
        sums.total()
    }
}

/// The sums of two sides that are the same.
struct EqualSums<'a, T, const FUSED: bool>(Blocks<'a, T>);

impl<T: Number, const FUSED: bool> pulp::NullaryFnOnce for EqualSums<'_, T, FUSED> {
    type Output = FirstPass<f64>;

    #[inline(always)]
    fn call(self) -> FirstPass<f64> {
        const AT_ONCE: usize = LANES / 2;
        let (mut values, mut squares) = (Lanes::default(), Lanes::default());
        for start in (0..LANES).step_by(AT_ONCE) {
            let (mut some_values, mut some_squares) = ([0.0; AT_ONCE], [0.0; AT_ONCE]);
            for block in self.0.lhs {
                for i in 0..AT_ONCE {
                    let x = block[start + i].to_f64();
                    some_values[i] += x;
                    some_squares[i] = add_square::<FUSED>(some_squares[i], x);
                }
            }
            values[start..start + AT_ONCE].copy_from_slice(&some_values);
            squares[start..start + AT_ONCE].copy_from_slice(&some_squares);
        }
        let (values, squares) = (tree(&values), tree(&squares));
        FirstPass {
            values: Sides { lhs: values, rhs: values },
            squares: Sides { lhs: squares, rhs: squares },
            diff: 0.0,
        }
    }
}

/// The sums of integers of a byte or less. They are exact, so their order does not matter.
struct IntegerSums<'a, T>(Blocks<'a, T>);

impl<T: Number> pulp::NullaryFnOnce for IntegerSums<'_, T> {
    type Output = FirstPass<f64>;

    #[inline(always)]
    fn call(self) -> FirstPass<f64> {
        let Blocks { lhs, rhs } = self.0;
        // A cell has 2,048 squares of at most 2^16.
        let diff: i32 = self.0.pairs().map(|(x, y)| square(y.small() - x.small())).sum();
        FirstPass {
            values: Sides { lhs: sum(lhs), rhs: sum(rhs) }.map(f64::from),
            squares: Sides { lhs: sum_of_squares(lhs), rhs: sum_of_squares(rhs) }.map(f64::from),
            diff: diff.into(),
        }
    }
}

#[inline(always)]
fn sum<T: Number>(side: &[[T; LANES]]) -> i32 {
    side.as_flattened().iter().map(|x| i32::from(x.small())).sum()
}

/// Apart from the sum of the numbers, since numbers of 32 bits, which that needs, would be multiplied by two instructions.
#[inline(always)]
fn sum_of_squares<T: Number>(side: &[[T; LANES]]) -> i32 {
    side.as_flattened().iter().map(|x| square(x.small())).sum()
}

#[inline(always)]
fn square(x: i16) -> i32 {
    i32::from(x) * i32::from(x)
}

/// The second pass over the `len` finite pairs of a cell.
pub(super) struct KernelPasses<'a, T> {
    pub(super) wide: Blocks<'a, T>,
    pub(super) len: usize,
}

impl<T: Number> SecondPass for KernelPasses<'_, T> {
    fn dot(&self) -> f64 {
        // The pairs that fill the last block are zeros.
        Arch::new().dispatch(Dot(self.wide))
    }

    fn deviations(&self) -> Sides<Deviation> {
        let Blocks { lhs, rhs } = self.wide;
        Sides { lhs, rhs }.map(|side| {
            let numbers = side.as_flattened().get(..self.len).unwrap_or_default();
            Arch::new().dispatch(FromPivot(numbers))
        })
    }
}

struct Dot<'a, T>(Blocks<'a, T>);

impl<T: Number> pulp::NullaryFnOnce for Dot<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sums = Lanes::default();
        for (lhs, rhs) in self.0.iter() {
            for i in 0..LANES {
                sums[i] += lhs[i].to_f64() * rhs[i].to_f64();
            }
        }
        tree(&sums)
    }
}

struct FromPivot<'a, T>(&'a [T]);

impl<T: Number> pulp::NullaryFnOnce for FromPivot<'_, T> {
    type Output = Deviation;

    #[inline(always)]
    fn call(self) -> Deviation {
        let pivot = self.0.first().map_or(0.0, |x| x.to_f64());
        let (blocks, rest) = self.0.as_chunks::<LANES>();
        let (mut sum, mut squares) = (Lanes::default(), Lanes::default());
        for block in blocks {
            for i in 0..LANES {
                let deviation = block[i].to_f64() - pivot;
                sum[i] += deviation;
                squares[i] += deviation * deviation;
            }
        }
        for (i, x) in rest.iter().enumerate() {
            let deviation = x.to_f64() - pivot;
            sum[i] += deviation;
            squares[i] += deviation * deviation;
        }
        Deviation { pivot, sum: tree(&sum), squares: tree(&squares) }
    }
}
