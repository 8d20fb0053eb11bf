//! The contiguous ranges of a tensor's slices, in row-major order.
//!
//! A heap orders the slices by the start of their next range. It also finds gaps and overlaps, in `O(ranges log slices)` for any
//! rank.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range as Positions;

use crate::error::{Error, Result};
use crate::tensor::{Shape, Slice};

/// Walks the ranges of all slices in row-major order.
pub(super) struct RangeWalk<'a> {
    shape: &'a Shape,
    cursors: Vec<SliceRanges>,
    /// The start of the next range of each slice, and the number of the slice.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    position: u64,
    end: u64,
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
        Self::between(slices, shape, 0..shape.elements())
    }

    /// Begins to walk the elements from one position to another.
    pub(super) fn between<'s>(
        slices: impl Iterator<Item = &'s Slice>,
        shape: &'a Shape,
        positions: Positions<u64>,
    ) -> Self {
        let mut cursors = Vec::new();
        let mut next = BinaryHeap::new();
        for (i, slice) in slices.enumerate() {
            let mut ranges = SliceRanges::new(slice, shape);
            // Without elements, strides may be 0.
            if slice.shape().elements() > 0 && ranges.skip(ranges.before(positions.start)) {
                next.push(Reverse((ranges.start + ranges.skipped, i)));
            }
            cursors.push(ranges);
        }
        Self { shape, cursors, next, position: positions.start, end: positions.end }
    }

    /// The next range; `None` after the last.
    ///
    /// # Errors
    /// If the slices have a gap or overlap.
    pub(super) fn next(&mut self) -> Result<Option<Range>> {
        if self.position == self.end {
            return Ok(None);
        }
        let Some(Reverse((start, slice))) = self.next.pop() else {
            return Err(self.gap(self.end));
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
        let elements = (ranges.elements - ranges.skipped).min(self.end - start);
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
    /// The elements at the start of this range that are not read.
    skipped: u64,
    /// For each dimension outside a range, the innermost first: the index in the slice, the length of the slice, and the elements
    /// per step.
    outer: Vec<(u64, u64, u64)>,
}

/// The number of elements of a slice before a position of the whole tensor.
pub(super) fn elements_before(slice: &Slice, shape: &Shape, position: u64) -> u64 {
    if slice.shape().elements() == 0 {
        return 0;
    }
    SliceRanges::new(slice, shape).before(position)
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
        Self { start, elements, skipped: 0, outer }
    }

    /// The number of elements of a slice that has some before a position of the whole tensor.
    fn before(&self, position: u64) -> u64 {
        let mut inner: u64 = self.outer.iter().map(|&(_, len, _)| len).product();
        let (mut rest, mut before) = (position.saturating_sub(self.start), 0);
        for &(_, len, stride) in self.outer.iter().rev() {
            inner = inner.checked_div(len).unwrap_or_default();
            let steps = rest / stride;
            if steps >= len {
                return before + len * inner * self.elements;
            }
            before += steps * inner * self.elements;
            rest -= steps * stride;
        }
        before + rest.min(self.elements)
    }

    /// Skips elements from the first range on. Returns false if none is left.
    fn skip(&mut self, elements: u64) -> bool {
        let Some(mut ranges) = elements.checked_div(self.elements) else { return false };
        self.skipped = elements - ranges * self.elements;
        for (index, len, stride) in &mut self.outer {
            let Some(rest) = ranges.checked_div(*len) else { return false };
            *index = ranges - rest * *len;
            self.start += *index * *stride;
            ranges = rest;
        }
        ranges == 0
    }

    /// Goes to the next range. Returns false after the last.
    fn advance(&mut self) -> bool {
        self.skipped = 0;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_without_elements_have_no_ranges() {
        for (dims, extents) in [
            ([4, 4, 0], [(0, 2), (0, 2), (0, 0)]),
            ([0, 1 << 40, 1 << 40], [(0, 0), (1, 1 << 39), (1, 1 << 39)]),
            ([4, 4, 4], [(0, 2), (1, 0), (0, 2)]),
        ] {
            let shape = Shape::new(&dims).unwrap();
            let slice = Slice::new(&extents, &shape).unwrap();
            let mut walk = RangeWalk::between([&slice].into_iter(), &shape, 0..0);
            assert!(walk.next().unwrap().is_none(), "{dims:?}");
            assert_eq!(elements_before(&slice, &shape, 5), 0, "{dims:?}");
        }
    }

    #[test]
    fn elements_before_a_position_are_those_of_the_ranges_before_it() {
        let shape = Shape::new(&[3, 4, 5]).unwrap();
        let slice = Slice::new(&[(1, 2), (1, 2), (2, 2)], &shape).unwrap();
        let is_inside = |at: u64| {
            (at / 20 >= 1) && (1..3).contains(&(at / 5 % 4)) && (2..4).contains(&(at % 5))
        };
        for position in 0..=shape.elements() {
            let expected = (0..position).filter(|&at| is_inside(at)).count() as u64;
            assert_eq!(elements_before(&slice, &shape, position), expected, "{position}");
        }
    }
}
