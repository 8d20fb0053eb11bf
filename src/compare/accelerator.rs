//! What counts pairs of elements beside the CPU: the seam between the engine and a GPU.
//!
//! The engine reads both sides, verifies them, takes the sums and keeps what it read. An accelerator gives what is said in
//! integers: counts, positions, maxima. Whatever goes wrong with it, the same chunk can be counted again on the CPU.

use std::fmt;
use std::time::Duration;

use crate::tensor::{DType, Kind};

use super::tile::Counted;
use super::{Options, Sides};

/// Counts pairs of elements beside the CPU.
///
/// All it says must be what [`Counted::of`] says of the same chunk, to the bit.
pub trait Accelerator: fmt::Debug + Send + Sync {
    /// What it is called in reports.
    fn name(&self) -> &str;

    /// Whether it counts elements of this type under these options. It is not asked about elements of any length.
    fn takes(&self, dtype: DType, options: &Options) -> bool;

    /// The most bytes of one side that it takes at once.
    fn most_bytes(&self) -> usize;

    /// Begins to count a chunk and returns at once; copies what it needs of it.
    ///
    /// # Errors
    /// When it cannot; the CPU will then.
    fn begin(&self, chunk: &Chunk<'_>) -> Result<Box<dyn Counting>, Failure>;

    /// Holds all that it counts against known answers.
    ///
    /// # Errors
    /// When an answer is wrong, or there is none.
    fn test(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Gives back what it holds of the tensor that was [kept](Chunk::kept) under this number.
    fn forget(&self, kept: u64) {
        let _ = kept;
    }
}

/// A chunk that is being counted.
pub trait Counting: Send {
    /// Waits for the end.
    ///
    /// # Errors
    /// When something went wrong in the meantime.
    fn finish(self: Box<Self>) -> Result<Counted, Failure>;
}

/// Elements of one fixed-width dtype, as many on one side as on the other.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// The type of the elements.
    pub dtype: DType,
    /// Those of the baseline.
    pub lhs: &'a [u8],
    /// Those that are compared with it.
    pub rhs: &'a [u8],
    /// What to count.
    pub options: &'a Options,
    /// Says of a side that it will come again: the number of the tensor, and the byte in it where the chunk begins. The same
    /// bytes come with the same two.
    pub kept: Sides<Option<(u64, u64)>>,
}

/// Whether a GPU counts elements of this type: complex numbers, and elements of any length, are the CPU's.
pub(super) fn is_for_gpu(dtype: DType) -> bool {
    matches!(dtype.kind(), Kind::Float | Kind::Integer | Kind::Bool)
}

impl Chunk<'_> {
    /// Elements on each side.
    pub fn elements(&self) -> usize {
        self.dtype.size().map_or(0, |size| self.lhs.len() / size)
    }
}

/// Why an accelerator did not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It went away, or its driver gave up.
    #[error("the device is lost: {0}")]
    Lost(String),
    /// It has no room left.
    #[error("out of memory on the device: {0}")]
    Memory(String),
    /// What it did could not be read back.
    #[error("the device's memory cannot be read: {0}")]
    Map(String),
    /// It did not answer in time.
    #[error("no answer from the device in {} s", .0.as_secs())]
    Timeout(Duration),
    /// Its driver does not do what was asked.
    #[error("the device refused: {0}")]
    Refused(String),
    /// It does not say what is right.
    #[error("the device failed its self-test: {0}")]
    Wrong(String),
}
