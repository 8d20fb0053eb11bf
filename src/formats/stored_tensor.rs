//! The tensors and slices of a checkpoint that is written.

use super::shard_name::MAX_SHARDS;
use crate::error::{Error, Result};
use crate::tensor::{Name, Shape, Slice, TensorSource};

/// The content of one file, in its order.
pub(crate) type Shard<'a> = Vec<StoredTensor<'a>>;

/// Checks a number of shards.
///
/// # Errors
/// If the number is 0, or has more digits than the names of shards.
pub(crate) fn shard_count(count: usize) -> Result<u32> {
    let expected = format!("1 to {MAX_SHARDS}");
    let checked = u32::try_from(count).ok().filter(|count| (1..=MAX_SHARDS).contains(count));
    checked.ok_or_else(|| Error::unexpected("number of shards", count, expected))
}

/// A tensor, or a slice of one.
#[derive(Debug, Clone)]
pub(crate) struct StoredTensor<'a> {
    pub(crate) name: Name,
    /// The shape of the whole tensor.
    pub(crate) shape: Shape,
    /// `None` for the whole tensor.
    pub(crate) slice: Option<Slice>,
    pub(crate) source: &'a dyn TensorSource,
    /// The whole tensor; `None` for a slice that was added without the others.
    pub(crate) whole: Option<&'a dyn TensorSource>,
}
