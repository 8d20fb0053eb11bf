//! A slice cut out of a tensor in memory.

use crate::error::{Error, Result};
use crate::tensor::{Slice, Tensor, framed_elements};

/// The elements of `whole` that `slice`, which lies in it, has.
pub(super) fn cut(whole: &Tensor, slice: &Slice) -> Result<Tensor> {
    let lost = || Error::truncated("a tensor", 1, 0);
    let mut content = Vec::new();
    match whole.dtype().size() {
        Some(size) => {
            for_each_run(whole.shape().dims(), slice, |start, len| {
                let run = whole.content().get(start * size..(start + len) * size);
                content.extend_from_slice(run.ok_or_else(lost)?);
                Ok(())
            })?;
        }
        None => {
            let elements = framed_elements(whole.content()).ok_or_else(lost)?;
            for_each_run(whole.shape().dims(), slice, |start, len| {
                for element in elements.get(start..start + len).ok_or_else(lost)? {
                    content.extend((element.len() as u64).to_le_bytes());
                    content.extend_from_slice(element);
                }
                Ok(())
            })?;
        }
    }
    Tensor::new(whole.dtype(), slice.shape().clone(), content)
}

/// Calls `run` with start and length, in elements of the whole, of each piece of `slice` that is in one row, in order.
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
        // All of it is in memory, so no number here is beyond what an index holds.
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
        .map_err(|_| Error::unexpected("dimension", number, "it must fit into memory"))
}
