//! Reads the elements in `tensor_content`.

use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::tensor::{DType, Kind, Shape};

use super::head::Head;

/// Reads all elements of `shape`, which must not be empty.
pub(super) fn read(content: &[u8], dtype: DType, shape: &Shape) -> Result<Head> {
    match dtype.size() {
        Some(size) => fixed(content, dtype, size, shape),
        None => strings(content, dtype, shape),
    }
}

fn fixed(content: &[u8], dtype: DType, size: usize, shape: &Shape) -> Result<Head> {
    let need = u128::from(shape.elements()) * size as u128;
    if content.len() as u128 != need {
        let expected = format!("{need}, as {dtype} of shape {shape} has");
        return Err(Error::unexpected("bytes of tensor_content", content.len(), expected));
    }
    if dtype.kind() == Kind::Bool
        && let Some(byte) = content.iter().find(|byte| **byte > 1)
    {
        return Err(Error::unexpected("a bool in tensor_content", byte, "0 or 1"));
    }
    Ok(Head::fixed(content.to_vec(), size))
}

/// Reads all lengths, then all bytes: TensorFlow's encoding of strings, handles and variants.
fn strings(content: &[u8], dtype: DType, shape: &Shape) -> Result<Head> {
    let mut lens = content;
    let mut lengths_end = 0;
    let mut total = 0u128;
    for done in 0..shape.elements() {
        let (len, bytes) = length(lens).ok_or_else(|| {
            let found = format!("{done} lengths of {dtype}");
            Error::unexpected(
                "tensor_content",
                found,
                format!("one string per element of shape {shape}"),
            )
        })?;
        total += u128::from(len);
        lengths_end += bytes;
        lens = content.get(lengths_end..).unwrap_or_default();
    }
    let mut rest = lens;
    if rest.len() as u128 != total {
        let expected = format!("{total}, the sum of their lengths");
        return Err(Error::unexpected("bytes of strings in tensor_content", rest.len(), expected));
    }
    let mut head = Head::default();
    let mut lens = content.get(..lengths_end).unwrap_or_default();
    while let Some((len, bytes)) = length(lens) {
        lens = lens.get(bytes..).unwrap_or_default();
        let (element, after) =
            rest.split_at(usize::try_from(len).unwrap_or(usize::MAX).min(rest.len()));
        head.push(element);
        rest = after;
    }
    Ok(head)
}

/// Reads a varint of 32 bits: its value, and its length in bytes.
fn length(bytes: &[u8]) -> Option<(u32, usize)> {
    let (len, bytes) = varint::read(bytes)?;
    Some((u32::try_from(len).ok()?, bytes))
}
