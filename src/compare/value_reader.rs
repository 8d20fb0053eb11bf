//! The histogram of one tensor.

use super::ValueHistogram;
use super::cpu::{ValueTables, has_values};
use crate::error::Result;
use crate::progress::Progress;
use crate::tensor::{TensorSource, read_through};

/// The histogram of all values of a tensor; `None` if they are not real numbers.
///
/// # Errors
/// If the tensor cannot be read, or a checksum does not match.
pub fn value_histogram(
    source: &dyn TensorSource,
    progress: &dyn Progress,
) -> Result<Option<ValueHistogram>> {
    let dtype = source.dtype();
    if !has_values(dtype) {
        return Ok(None);
    }
    let mut tables = ValueTables::default();
    read_through(source, progress, |bytes| {
        tables.add((dtype, bytes), (dtype, bytes), true);
        Ok(())
    })?;
    Ok(Some(tables.take().lhs))
}
