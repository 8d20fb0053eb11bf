//! The elements of a constant that are written out.

use crate::tensor::{DType, framing};

/// Elements in the form of a [`TensorSource`](crate::tensor::TensorSource), while they are read.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) bytes: Vec<u8>,
    /// The number of elements.
    pub(super) count: u64,
    /// The start of the last element.
    pub(super) last: usize,
}

impl Head {
    /// Adds an element of variable length.
    pub(super) fn push(&mut self, element: &[u8]) {
        self.last = self.bytes.len();
        self.count += 1;
        framing::push(element, &mut self.bytes);
    }

    /// Elements of `size` bytes each; an incomplete last one is dropped.
    pub(super) fn fixed(mut bytes: Vec<u8>, size: usize) -> Self {
        bytes.truncate(bytes.len() - bytes.len() % size);
        let count = (bytes.len() / size) as u64;
        Self { last: bytes.len().saturating_sub(size), bytes, count }
    }

    /// The default element, if no values are written: zero, or the empty element of a type of variable length.
    pub(super) fn of_nothing(dtype: DType) -> Self {
        let mut head = Self::default();
        match dtype.size() {
            Some(size) => head = Self::fixed(vec![0; size], size),
            None => head.push(&[]),
        }
        head
    }
}
