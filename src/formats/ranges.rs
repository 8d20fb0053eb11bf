//! The contiguous ranges of a tensor's slices, in row-major order.
//!
//! A heap orders the slices by the start of their next range. It also finds gaps and overlaps, in `O(ranges log slices)` for any
//! rank.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::{Error, Result};
use crate::tensor::{Shape, Slice};

/// Walks the ranges of all slices in row-major order.
pub(super) struct RangeWalk<'a> {
    shape: &'a Shape,
    cursors: Vec<SliceRanges>,
    /// The start of the next range of each slice, and the number of the slice.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    position: u64,
}

/// A contiguous range: the number of the slice, the elements, and whether it is the last one of the slice.
pub(super) struct Range {
    pub(super) slice: usize,
    pub(super) elements: u64,
    pub(super) last: bool,
}

impl<'a> RangeWalk<'a> {
    /// Begins to walk `slices`, which lie inside `shape`.
    pub(super) fn new<'s>(slices: impl Iterator<Item = &'s Slice>, shape: &'a Shape) -> Self {
        let mut cursors = Vec::new();
        let mut next = BinaryHeap::new();
        for (i, slice) in slices.enumerate() {
            let ranges = SliceRanges::new(slice, shape);
            if slice.shape().elements() > 0 {
                next.push(Reverse((ranges.start, i)));
            }
            cursors.push(ranges);
        }
        Self { shape, cursors, next, position: 0 }
    }

    /// The next range; `None` after the last.
    ///
    /// # Errors
    /// If the slices have a gap or overlap.
    pub(super) fn next(&mut self) -> Result<Option<Range>> {
        let Some(Reverse((start, slice))) = self.next.pop() else {
            if self.position < self.shape.elements() {
                return Err(self.gap(self.shape.elements()));
            }
            return Ok(None);
        };
        if start > self.position {
            return Err(self.gap(start));
        }
        if start < self.position {
            let found = format!("two at {:?}", self.shape.unravel(start));
            return Err(Error::unexpected("slices", found, "slices that do not overlap"));
        }
        let Some(ranges) = self.cursors.get_mut(slice) else {
            return Ok(None);
        };
        let elements = ranges.elements;
        self.position = start + elements;
        let last = !ranges.advance();
        if !last {
            self.next.push(Reverse((ranges.start, slice)));
        }
        Ok(Some(Range { slice, elements, last }))
    }

    fn gap(&self, end: u64) -> Error {
        let first = self.shape.unravel(self.position);
        let last = self.shape.unravel(end - 1);
        let found = format!("none from {first:?} to {last:?}");
        Error::unexpected("slices", found, "slices that cover the tensor")
    }
}

/// The ranges of one slice, in order.
struct SliceRanges {
    /// The first element of the range, row-major in the whole tensor.
    start: u64,
    elements: u64,
    /// For each dimension outside a range: the index in the slice, the length of the slice, and the elements per step.
    outer: Vec<(u64, u64, u64)>,
}

impl SliceRanges {
    fn new(slice: &Slice, whole: &Shape) -> Self {
        let (mut stride, mut start, mut elements) = (1u64, 0u64, 1u64);
        let mut outer = Vec::new();
        let mut full = true;
        for (&(first, len), &dim) in slice.extents().iter().zip(whole.dims()).rev() {
            start = start.wrapping_add(first.wrapping_mul(stride));
            if full {
                elements = elements.wrapping_mul(len);
            } else {
                outer.push((0, len, stride));
            }
            full &= len == dim;
            // Wraps only if a dimension is 0, and then no range is read.
            stride = stride.wrapping_mul(dim);
        }
        Self { start, elements, outer }
    }

    /// Goes to the next range. Returns false after the last.
    fn advance(&mut self) -> bool {
        for (index, len, stride) in &mut self.outer {
            *index += 1;
            if *index < *len {
                self.start += *stride;
                return true;
            }
            self.start -= (*len - 1) * *stride;
            *index = 0;
        }
        false
    }
}
