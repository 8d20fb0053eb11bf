//! The interface between the engine and a device that counts pairs of elements, such as a GPU.
//!
//! The engine reads both sides, verifies them, computes the sums and keeps the bytes. An accelerator returns the statistics that
//! are integers: counts, positions, maxima. If it fails, the CPU counts the same batch again.

use std::fmt;
use std::time::Duration;

use crate::tensor::{DType, Kind};

use super::CompareOptions;
use super::tile::{Batch, Counted};

/// A device that counts pairs of elements.
///
/// Its results must be those of [`Counted::of`] for the same batch, to the bit.
pub trait Accelerator: fmt::Debug + Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Whether it accepts elements of this type under these options. Elements of variable length are never passed to it.
    fn accepts(&self, dtype: DType, options: &CompareOptions) -> bool;

    /// The maximum number of bytes of one side that it accepts at once.
    fn most_bytes(&self) -> usize;

    /// Begins to count a batch and returns without waiting; copies the bytes that it needs.
    ///
    /// # Errors
    /// If it cannot; the CPU then counts the batch.
    fn begin(&self, batch: &Batch<'_>) -> Result<Box<dyn Counting>, Failure>;

    /// Compares everything that it counts with known answers.
    ///
    /// # Errors
    /// If an answer is wrong or missing.
    fn test(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Releases the bytes of the tensor that was [kept](Batch::kept) under this number.
    fn forget(&self, kept: u64) {
        let _ = kept;
    }
}

/// A batch that is being counted.
pub trait Counting: Send {
    /// Waits for the result.
    ///
    /// # Errors
    /// If the device failed.
    fn finish(self: Box<Self>) -> Result<Counted, Failure>;
}

/// Whether a GPU counts elements of this type. Complex numbers and elements of variable length are left to the CPU.
pub(super) fn is_for_gpu(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Float | Kind::Integer | Kind::Bool)
}

/// Why an accelerator failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It was removed, or its driver gave up.
    #[error("the device is lost: {0}")]
    Lost(String),
    /// It has no memory left.
    #[error("out of memory on the device: {0}")]
    Memory(String),
    /// Its results could not be read back.
    #[error("the device's memory cannot be read: {0}")]
    Map(String),
    /// It did not answer in time.
    #[error("no answer from the device in {} s", .0.as_secs())]
    Timeout(Duration),
    /// Its driver refused a request.
    #[error("the device refused: {0}")]
    Refused(String),
    /// Its results are wrong.
    #[error("the results of the device are wrong: {0}")]
    Wrong(String),
    /// Any of these, as a saved report has it.
    #[error("{0}")]
    Saved(String),
}
