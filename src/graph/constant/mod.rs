//! A constant of a graph: the value that a `TensorProto` stands for, whichever way it is encoded.
//!
//! ```text
//! TensorProto { dtype, tensor_shape, tensor_content }   elements as in memory; strings: every length as a varint, then every string
//! TensorProto { dtype, tensor_shape, *_val }            elements in the field of their type; the last one repeats up to the shape
//! ```
//! What TensorFlow 2.21 makes of such a message when it runs a Const, we make of it: `tensor_content` wins over values and
//! must have the right size; without either all is zero; values beyond the shape are ignored, and so is everything where
//! the shape has no elements; integers keep their low bits. Handles and variants do not repeat: the rest is empty.
//! Stricter than TensorFlow: a shape of unknown rank, which it takes for a scalar, and values in the field of another
//! type, which it ignores, are errors.
//!
//! A repeated element is never written out, so that no more memory is needed than the message justifies.

mod content;
mod list;
mod proto;
mod source;

pub use source::First;

use crate::bytes::Limits;
use crate::error::Result;
use crate::tensor::{DType, Shape, Tensor, framed_elements};

/// The value of a `TensorProto`.
///
/// As a [`TensorSource`](crate::tensor::TensorSource) it gives all of its elements, made while they are read: of a shape
/// of 2^40 elements that may take a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    dtype: DType,
    shape: Shape,
    head: Vec<u8>,
    /// Where the last element of `head` starts.
    last: usize,
    tail: u64,
}

impl Constant {
    /// Reads the bytes of a `TensorProto`.
    ///
    /// # Errors
    /// When its dtype is none, its shape is not known or too large, or the elements are not of that dtype and shape; the
    /// byte counts from the start of the message.
    pub fn parse(proto: &[u8]) -> Result<Self> {
        proto::parse(proto)
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The elements that are written out, as [`TensorSource`](crate::tensor::TensorSource) has them; none only where the
    /// shape has none.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last of those that are written out, with its length where it can have any.
    pub fn last(&self) -> &[u8] {
        self.head.get(self.last..).unwrap_or_default()
    }

    /// How many more elements there are, all equal to the last.
    pub fn tail(&self) -> u64 {
        self.tail
    }

    /// How many elements are written out.
    pub fn explicit(&self) -> u64 {
        self.shape.elements() - self.tail
    }

    /// The elements written out of a `string`, `resource` or `variant`; `None` for fixed-width types.
    pub fn byte_elements(&self) -> Option<Vec<&[u8]>> {
        if self.dtype.size().is_some() {
            return None;
        }
        framed_elements(&self.head)
    }

    /// The first `count` elements as a vector: those written out, and some of the others.
    ///
    /// # Errors
    /// When that is less than what is written out, or more than there is.
    pub fn first(&self, count: u64) -> Result<First<'_>> {
        First::new(self, count)
    }

    /// All elements, in at most `limit` bytes.
    ///
    /// # Errors
    /// When they take more.
    pub fn tensor(&self, limit: u64) -> Result<Tensor> {
        Tensor::read(self, &Limits { tensor_bytes: limit, ..Limits::default() })
    }
}
