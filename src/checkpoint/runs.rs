//! The order in which the slices of a tensor take turns.
//!
//! A run is what one slice has in one piece of the whole. A heap of the slices, by where their next runs start, says whose
//! turn it is, and finds holes and overlaps on the way: in `O(runs log slices)`, whatever the rank.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::{Error, Result};
use crate::tensor::{Shape, Slice};

/// Goes through the runs of all slices in row-major order.
pub(super) struct Walk<'a> {
    shape: &'a Shape,
    cursors: Vec<Runs>,
    /// Where the next run of each slice that has one starts, and which slice that is.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    position: u64,
}

/// A run: which slice, how many elements, and whether it is the slice's last.
pub(super) struct Run {
    pub(super) part: usize,
    pub(super) elements: u64,
    pub(super) last: bool,
}

impl<'a> Walk<'a> {
    /// The walk through `slices`, which lie inside `shape`.
    pub(super) fn new<'s>(slices: impl Iterator<Item = &'s Slice>, shape: &'a Shape) -> Self {
        let mut cursors = Vec::new();
        let mut next = BinaryHeap::new();
        for (i, slice) in slices.enumerate() {
            let runs = Runs::new(slice, shape);
            if slice.shape().elements() > 0 {
                next.push(Reverse((runs.start, i)));
            }
            cursors.push(runs);
        }
        Self { shape, cursors, next, position: 0 }
    }

    /// The next run; `None` after the last.
    ///
    /// # Errors
    /// Where a slice is missing, or two overlap.
    pub(super) fn next(&mut self) -> Result<Option<Run>> {
        let Some(Reverse((start, part))) = self.next.pop() else {
            if self.position < self.shape.elements() {
                return Err(self.gap(self.shape.elements()));
            }
            return Ok(None);
        };
        if start > self.position {
            return Err(self.gap(start));
        }
        if start < self.position {
            let found = format!("a second one at {:?}", self.shape.unravel(start));
            return Err(Error::unexpected("slice", found, "slices may not overlap"));
        }
        let Some(runs) = self.cursors.get_mut(part) else {
            return Ok(None);
        };
        let elements = runs.elements;
        self.position = start + elements;
        let last = !runs.advance();
        if !last {
            self.next.push(Reverse((runs.start, part)));
        }
        Ok(Some(Run { part, elements, last }))
    }

    fn gap(&self, end: u64) -> Error {
        let first = self.shape.unravel(self.position);
        let last = self.shape.unravel(end - 1);
        let found = format!("missing from {first:?} to {last:?}");
        Error::unexpected("slice", found, "slices must cover the tensor")
    }
}

/// The runs of one slice, in order.
struct Runs {
    /// Where the run starts in the whole, row-major.
    start: u64,
    elements: u64,
    /// Of each dimension that a run does not span: index in the slice, its length there, and elements per step.
    outer: Vec<(u64, u64, u64)>,
}

impl Runs {
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
            // Only wraps where a dimension is 0, and then no run is asked for.
            stride = stride.wrapping_mul(dim);
        }
        Self { start, elements, outer }
    }

    /// Goes to the next run, if there is one.
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
