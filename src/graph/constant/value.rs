//! The value of a constant.

use crate::error::Result;
use crate::limits::Limits;
use crate::tensor::{DType, Shape, Tensor, framing};

/// The value of a `TensorProto`.
///
/// As a [`TensorSource`](crate::tensor::TensorSource) it streams all elements, including the repeated ones, which may take long for
/// a shape of 2^40 elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    pub(super) head: Vec<u8>,
    /// The start of the last element in `head`.
    pub(super) last: usize,
    pub(super) tail: u64,
}

impl Constant {
    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The elements that are written out, in the form of a [`TensorSource`](crate::tensor::TensorSource); empty only if the shape
    /// has no elements.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last element that is written out, with its length if that is variable.
    pub fn last(&self) -> &[u8] {
        self.head.get(self.last..).unwrap_or_default()
    }

    /// The number of further elements, which are all equal to the last.
    pub fn tail(&self) -> u64 {
        self.tail
    }

    /// The number of elements that are written out.
    pub fn explicit(&self) -> u64 {
        self.shape.elements() - self.tail
    }

    /// The elements of a `string`, `resource` or `variant` that are written out; `None` for fixed-width types.
    pub fn byte_elements(&self) -> Option<Vec<&[u8]>> {
        if self.dtype.size().is_some() {
            return None;
        }
        framing::split(&self.head)
    }

    /// All elements.
    ///
    /// # Errors
    /// If they need more than `limit` bytes.
    pub fn tensor(&self, limit: u64) -> Result<Tensor> {
        Tensor::read(self, &Limits { tensor_bytes: limit, ..Limits::default() })
    }
}
