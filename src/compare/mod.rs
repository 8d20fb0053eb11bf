//! Tensor against tensor: which elements are close, and how far the others are apart.
//!
//! The definition of closeness is in `close`; [`CompareOptions`] set its tolerances, and [`Comparison`] is the result. Counts, indices
//! and maxima are exact. Sums run in a fixed tree over a fixed grid (see `grid`), so every statistic is the same to the bit for
//! any chunk size, thread count and instruction set.
//!
//! A statistic is declared in one place: as a row in `counts`, if it counts pairs, and as a row in `comparison`, which reports it.

mod accelerated;
mod accelerator;
mod adapter;
mod baseline;
mod close;
mod comparison;
mod cost;
mod counts;
mod cpu;
mod device;
mod device_choice;
mod engine;
#[cfg(feature = "gpu")]
mod gpu;
mod grid;
mod histogram;
mod job;
mod mismatch;
mod mismatch_map;
mod mismatches;
mod non_finite;
mod operands;
mod options;
mod pair;
mod pair_walk;
mod queue;
mod scaled;
mod section;
mod statistic;
mod strings;
mod sums;
mod tally;
mod tensor_pair;
mod tile;
mod unit;
mod value_histogram;
mod value_reader;

#[doc(hidden)]
pub use self::{
    accelerator::{Accelerator, Counting, Failure},
    adapter::{Adapter, AdapterKind},
    counts::Counts,
    device::Work,
    mismatch_map::mismatch_map,
    mismatches::mismatches,
    tile::{Batch, Counted, TILE, Tile},
    value_reader::value_histogram,
};
pub use baseline::Baseline;
pub use comparison::{Comparison, PassesAt};
pub use device::Device;
pub use device_choice::DeviceChoice;
pub use engine::{compare, compare_all};
pub(crate) use engine::{compare_each, compare_repeated};
pub use histogram::Histogram;
pub use mismatch::{ElementValue, Mismatch};
pub use mismatch_map::{MismatchMap, Stretch};
pub use non_finite::NonFiniteCounts;
pub(crate) use operands::Operands;
pub use options::{CompareOptions, NanPolicy, Tolerance};
pub use tally::Worst;
pub(crate) use tensor_pair::Task;
pub use tensor_pair::{Sides, TensorPair};
pub use value_histogram::ValueHistogram;

use std::sync::Arc;

#[cfg(not(feature = "gpu"))]
use crate::error::Error;
use crate::error::Result;
use crate::tensor::{DType, Number};

/// The adapters of this machine, the best first; none without a driver, or in a build without GPU support.
#[doc(hidden)]
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
    Err(Error::usage("this ckdiff is built without GPU support"))
}

/// Whether values of these dtypes can be compared: numbers with numbers, bytes with bytes of the same dtype.
#[doc(hidden)]
pub fn comparable(lhs: DType, rhs: DType) -> bool {
    tensor_pair::PairKind::of(lhs, rhs).is_some()
}

/// Whether two numbers are close under a tolerance, with [`NanPolicy::Equal`].
pub(crate) fn is_close<T: Number>(lhs: T, rhs: T, tolerance: &Tolerance) -> bool {
    close::Rule::new(tolerance, NanPolicy::Equal).is_close(&pair::Pair::real(lhs, rhs))
}
