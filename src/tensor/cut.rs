//! Cuts a slice out of a tensor in memory.

use super::{Slice, Tensor};
use crate::error::{Error, Result};

/// The start of each element of variable length, and the end of the last one; `None` for fixed-width elements.
pub(crate) fn offsets(whole: &Tensor) -> Option<Vec<usize>> {
    let elements = whole.byte_elements()?;
    let mut offsets = vec![0];
    let mut end = 0;
    for element in elements {
        end += 8 + element.len();
        offsets.push(end);
    }
    Some(offsets)
}

/// The elements of `whole` in `slice`, which must be inside its shape. `offsets` are those of variable-length elements.
pub(crate) fn cut(whole: &Tensor, offsets: &[usize], slice: &Slice) -> Result<Tensor> {
    let lost = || Error::truncated("a tensor", 1, 0);
    let offset = |at: usize| match whole.dtype().size() {
        Some(size) => at.checked_mul(size),
        None => offsets.get(at).copied(),
    };
    let mut content = Vec::new();
    for_each_run(whole.shape().dims(), slice, |start, len| {
        let (from, to) = offset(start).zip(offset(start + len)).ok_or_else(lost)?;
        content.extend_from_slice(whole.content().get(from..to).ok_or_else(lost)?);
        Ok(())
    })?;
    Tensor::new(whole.dtype(), slice.shape().clone(), content)
}

/// Calls `run` with start and length, in elements, of each contiguous range of `slice`, in order.
fn for_each_run(
    dims: &[u64],
    slice: &Slice,
    mut run: impl FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    if slice.shape().elements() == 0 {
        return Ok(());
    }
    let mut outer = Vec::with_capacity(dims.len());
    let (mut start, mut stride, mut len) = (0, 1, 1);
    for (at, (&(first, count), &dim)) in slice.extents().iter().zip(dims).rev().enumerate() {
        // The tensor is in memory, so no product overflows.
        let (first, count, dim) = (index(first)?, index(count)?, index(dim)?);
        start += first * stride;
        if at == 0 {
            len = count;
        } else {
            outer.push((0, count, stride));
        }
        stride *= dim;
    }
    loop {
        run(start, len)?;
        let Some(at) = outer.iter().position(|(at, count, _)| at + 1 < *count) else {
            return Ok(());
        };
        for (at, _, stride) in outer.iter_mut().take(at) {
            start -= *at * *stride;
            *at = 0;
        }
        if let Some((at, _, stride)) = outer.get_mut(at) {
            *at += 1;
            start += *stride;
        }
    }
}

fn index(number: u64) -> Result<usize> {
    usize::try_from(number)
        .map_err(|_| Error::unexpected("dimension", number, "one that fits into memory"))
}
