//! Tensor against tensor: when two elements are close, and what is told about those that are not.
//!
//! The definition is in `close`; [`Options`] choose it, [`Comparison`] is the answer. Counts, indices and maxima
//! are exact. Sums run in a fixed tree over a fixed grid (see `grid`), so every number is the same to the bit for any
//! chunk size, thread count and instruction set.

mod close;
mod comparison;
mod cpu;
mod engine;
mod grid;
mod options;
mod strings;
mod tally;
mod unit;

pub use comparison::{Comparison, Histogram, PassesAt, Sides, Worst};
pub use engine::{Pair, compare, compare_all};
pub use options::{NanPolicy, Options, Tolerance};

use crate::tensor::{DType, Number};

/// Whether values of these dtypes can be held against each other: numbers with numbers, bytes with their own kind.
pub fn comparable(lhs: DType, rhs: DType) -> bool {
    cpu::meaning(lhs, rhs).is_some()
}

/// Whether two numbers are close by a tolerance; a NaN is close to a NaN where there is one.
pub(crate) fn is_close<T: Number>(lhs: T, rhs: T, tolerance: &Tolerance) -> bool {
    close::Rule::new(tolerance, NanPolicy::Equal).is_close(&cpu::pair(lhs, rhs))
}
