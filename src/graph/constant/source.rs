//! The elements of a constant as a tensor source; repeated ones are generated.

use crate::error::{Error, Result};
use crate::tensor::{DType, Shape, TensorSource, TensorStream};

use super::value::Constant;

impl TensorSource for Constant {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        bytes(self, self.tail)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        Ok(Box::new(Repeating::new(self, self.tail)))
    }
}

impl Constant {
    /// The first `count` elements as a vector: those that are written out, and some of the repeated ones.
    ///
    /// # Errors
    /// If `count` is less than the number of elements that are written out, or more than that of all.
    pub fn first(&self, count: u64) -> Result<First<'_>> {
        First::new(self, count)
    }
}

/// The first elements of a constant; see [`Constant::first`].
#[derive(Debug, Clone)]
pub struct First<'a> {
    constant: &'a Constant,
    shape: Shape,
    tail: u64,
}

impl<'a> First<'a> {
    pub(super) fn new(constant: &'a Constant, count: u64) -> Result<Self> {
        let (least, most) = (constant.explicit(), constant.shape.elements());
        if !(least..=most).contains(&count) {
            let expected = format!("{least} to {most}");
            return Err(Error::unexpected("number of elements", count, expected));
        }
        // The number of elements of a shape fits in an i64.
        Ok(Self { constant, shape: Shape::new(&[count.cast_signed()])?, tail: count - least })
    }
}

impl TensorSource for First<'_> {
    fn dtype(&self) -> DType {
        self.constant.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        bytes(self.constant, self.tail)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        Ok(Box::new(Repeating::new(self.constant, self.tail)))
    }
}

/// The size of the elements that are written out and of `tail` repeated ones.
fn bytes(constant: &Constant, tail: u64) -> u64 {
    let repeated = tail.saturating_mul(constant.last().len() as u64);
    repeated.saturating_add(constant.head.len() as u64)
}

/// Streams the elements that are written out, then repeats the last one.
struct Repeating<'a> {
    head: &'a [u8],
    last: &'a [u8],
    /// The position of the next byte in `last`.
    at: usize,
    /// The number of bytes to come after `head`.
    left: u128,
}

impl<'a> Repeating<'a> {
    fn new(constant: &'a Constant, tail: u64) -> Self {
        let last = constant.last();
        let left = u128::from(tail) * last.len() as u128;
        Self { head: &constant.head, last, at: 0, left }
    }

    fn fill(&mut self, mut out: &mut [u8]) {
        if let Some((&byte, rest)) = self.last.split_first()
            && rest.iter().all(|other| *other == byte)
        {
            out.fill(byte);
            return;
        }
        while !out.is_empty() {
            let from = self.last.get(self.at..).unwrap_or_default();
            let len = from.len().min(out.len());
            let (now, later) = out.split_at_mut(len);
            now.copy_from_slice(from.get(..len).unwrap_or_default());
            self.at = if len == from.len() { 0 } else { self.at + len };
            out = later;
        }
    }
}

impl TensorStream for Repeating<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let written = self.head.read(out)?;
        let rest = out.get_mut(written..).unwrap_or_default();
        let len = usize::try_from(self.left).unwrap_or(usize::MAX).min(rest.len());
        self.fill(rest.get_mut(..len).unwrap_or_default());
        self.left -= len as u128;
        Ok(written + len)
    }
}
