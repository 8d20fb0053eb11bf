//! What a report of a comparison has to know of the two tensors: their shape and dtypes.

use crate::error::Result;
use crate::serial::{Json, Read};
use crate::tensor::{DType, Shape};

/// What a report of a comparison has to know of the two tensors.
pub(crate) struct Operands<'a> {
    pub(super) shape: &'a Shape,
    pub(super) lhs: DType,
    pub(super) rhs: DType,
}

impl<'a> Operands<'a> {
    /// Two tensors of one shape and these dtypes.
    pub(crate) fn new(shape: &'a Shape, lhs: DType, rhs: DType) -> Self {
        Self { shape, lhs, rhs }
    }

    /// The index of the element at a position.
    pub(super) fn index(position: &Option<u64>, operands: &Self) -> Option<Vec<u64>> {
        position.map(|position| operands.shape.unravel(position))
    }

    /// The position of the element with an index, if there is one.
    ///
    /// # Errors
    /// If there is no such element.
    pub(super) fn position(json: Json<'_>, operands: &Self) -> Result<Option<u64>> {
        json.optional(|json| operands.position_of(json))
    }

    /// The position of the element with an index.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn position_of(&self, json: Json<'_>) -> Result<u64> {
        let index = Vec::<u64>::read(json)?;
        let expected = || format!("the index of an element of the shape {}", self.shape);
        self.shape.position(&index).ok_or_else(|| json.unexpected(expected()))
    }
}
