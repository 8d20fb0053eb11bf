//! Tensor against tensor: when two elements are close, and what is told about those that are not.
//!
//! The definition is in `close`; [`Options`] choose it, [`Comparison`] is the answer. Counts, indices and maxima
//! are exact. Sums run in a fixed tree over a fixed grid (see `grid`), so every number is the same to the bit for any
//! chunk size, thread count and instruction set.

mod accelerated;
mod accelerator;
mod adapter;
mod baseline;
mod close;
mod comparison;
mod cost;
mod cpu;
mod device;
mod engine;
#[cfg(feature = "gpu")]
mod gpu;
mod grid;
mod options;
mod strings;
mod tally;
mod tile;
mod unit;

pub use accelerator::{Accelerator, Chunk, Counting, Failure};
pub use adapter::{Adapter, AdapterKind};
pub use baseline::Baseline;
pub use comparison::{Comparison, Histogram, PassesAt, Sides, Worst};
pub use device::{Device, Work};
pub use engine::{Pair, compare, compare_all};
pub use options::{NanPolicy, Options, Tolerance};
pub use tile::{Counted, TILE, Tile};

use std::sync::Arc;

#[cfg(not(feature = "gpu"))]
use crate::error::ErrorKind;
use crate::error::Result;
use crate::tensor::{DType, Number};

/// The adapters that this machine offers, the best first; none without a driver, or where this is built without GPU support.
pub fn adapters() -> Vec<Adapter> {
    #[cfg(feature = "gpu")]
    return gpu::list();
    #[cfg(not(feature = "gpu"))]
    Vec::new()
}

#[cfg(feature = "gpu")]
fn open_gpu(name: Option<&str>) -> Result<Arc<dyn Accelerator>> {
    gpu::open(name)
}

#[cfg(not(feature = "gpu"))]
fn open_gpu(_: Option<&str>) -> Result<Arc<dyn Accelerator>> {
    Err(ErrorKind::Usage("this ckdiff is built without GPU support".into()).into())
}

/// Whether values of these dtypes can be held against each other: numbers with numbers, bytes with their own kind.
pub fn comparable(lhs: DType, rhs: DType) -> bool {
    cpu::meaning(lhs, rhs).is_some()
}

/// Whether two numbers are close by a tolerance; a NaN is close to a NaN where there is one.
pub(crate) fn is_close<T: Number>(lhs: T, rhs: T, tolerance: &Tolerance) -> bool {
    close::Rule::new(tolerance, NanPolicy::Equal).is_close(&cpu::pair(lhs, rhs))
}
