//! Shapes: the size of each dimension.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};

/// The dimensions of a tensor, outermost first; none for a scalar.
///
/// The number of elements fits in an `i64`, as TensorFlow demands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Shared, since there may be a million tensors, and several copies of the shape of each.
    dims: Arc<[u64]>,
    elements: u64,
}

impl Shape {
    /// A shape with these dimensions.
    ///
    /// # Errors
    /// If a dimension is negative, or the number of elements does not fit in an `i64`.
    pub fn new(dims: &[i64]) -> Result<Self> {
        let mut unsigned = Vec::with_capacity(dims.len());
        for &dim in dims {
            unsigned.push(u64::try_from(dim).map_err(|_| {
                Error::unexpected("shape", format_args!("{dims:?}"), "dimensions of at least 0")
            })?);
        }
        // TensorFlow multiplies in order, so an overflow is an error even if a later dimension is 0.
        let mut elements = 1u64;
        for &dim in &unsigned {
            elements = elements.checked_mul(dim).filter(|&n| i64::try_from(n).is_ok()).ok_or_else(
                || {
                    let expected = "at most 2^63 - 1 elements";
                    Error::unexpected("shape", format_args!("{dims:?}"), expected)
                },
            )?;
        }
        Ok(Self { dims: unsigned.into(), elements })
    }

    /// The shape of a vector in memory, whose length always fits in an `i64`.
    pub(crate) fn flat(elements: u64) -> Self {
        Self { dims: [elements].into(), elements }
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The number of elements; 1 for a scalar.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Whether this shape agrees with `declared` dimensions, of which `None` allows any size.
    pub(crate) fn is_compatible(&self, declared: &[Option<u64>]) -> bool {
        let agrees = |(declared, dim): (&Option<u64>, &u64)| declared.is_none_or(|n| n == *dim);
        declared.len() == self.rank() && declared.iter().zip(self.dims()).all(agrees)
    }

    /// The indices, one per dimension, of the element at `position` in row-major order.
    pub fn unravel(&self, position: u64) -> Vec<u64> {
        let mut rest = position;
        let mut index: Vec<u64> = self
            .dims
            .iter()
            .rev()
            .map(|&dim| {
                let i = rest % dim.max(1);
                rest /= dim.max(1);
                i
            })
            .collect();
        index.reverse();
        index
    }

    /// The position in row-major order of the element with these indices; `None` if there is none.
    pub(crate) fn position(&self, index: &[u64]) -> Option<u64> {
        let is_inside =
            index.len() == self.rank() && index.iter().zip(self.dims()).all(|(i, n)| i < n);
        // Every partial sum is less than the number of elements.
        let position = || index.iter().zip(self.dims()).fold(0, |at, (i, n)| at * n + i);
        is_inside.then(position)
    }
}

/// The form `[2, 3]`; `[]` for a scalar.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(u64::to_string).collect();
        f.pad(&format!("[{}]", dims.join(", ")))
    }
}

/// The form `[?, 3]`, in which `?` stands for any size.
pub(crate) fn dims_text(dims: &[Option<u64>]) -> String {
    let dim = |dim: &Option<u64>| dim.map_or_else(|| "?".into(), |dim| dim.to_string());
    format!("[{}]", dims.iter().map(dim).collect::<Vec<_>>().join(", "))
}
