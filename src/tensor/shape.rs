//! Shapes: how many elements along each dimension.

use std::fmt;

use crate::error::{Error, Result};

/// The dimensions of a tensor, outermost first; none for a scalar.
///
/// The number of elements fits an `i64`, as TensorFlow demands; checked where a shape is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: Box<[u64]>,
    elements: u64,
}

impl Shape {
    /// A shape of these dimensions.
    ///
    /// # Errors
    /// When one is negative, or they multiply to more than an `i64` holds.
    pub fn new(dims: &[i64]) -> Result<Self> {
        let mut unsigned = Vec::with_capacity(dims.len());
        for &dim in dims {
            unsigned.push(u64::try_from(dim).map_err(|_| {
                Error::unexpected("shape", format_args!("{dims:?}"), "no dimension may be negative")
            })?);
        }
        // TensorFlow multiplies in order and ignores zeros that come later, so overflow before a zero is an error too.
        let mut elements = 1u64;
        for &dim in &unsigned {
            elements = elements.checked_mul(dim).filter(|&n| i64::try_from(n).is_ok()).ok_or_else(
                || {
                    let allowed = "at most 2^63 - 1 elements are allowed";
                    Error::unexpected("shape", format_args!("{dims:?}"), allowed)
                },
            )?;
        }
        Ok(Self { dims: unsigned.into(), elements })
    }

    /// The shape of `elements` in one row. What is in memory is never more than an `i64` holds.
    pub(crate) fn flat(elements: u64) -> Self {
        Self { dims: [elements].into(), elements }
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    /// How many dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// How many elements: 1 for a scalar.
    pub fn elements(&self) -> u64 {
        self.elements
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
}

/// As in `[2, 3]`; `[]` for a scalar.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(u64::to_string).collect();
        f.pad(&format!("[{}]", dims.join(", ")))
    }
}
