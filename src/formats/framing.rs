//! Splits a stream of framed elements, such as strings, into lengths and bytes.

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::tensor::{TensorSource, read_through};

/// The next part of a stream of framed elements.
pub(super) enum ElementPart<'a> {
    /// The length of the next element.
    Length(u64),
    /// Some bytes of the element.
    Bytes(&'a [u8]),
    /// The end of the element.
    End,
}

/// Calls `each` with every part of the elements of `source`.
///
/// # Errors
/// If the source cannot be read, its number of elements is not that of its shape, or `each` fails.
pub(super) fn read(
    source: &dyn TensorSource,
    progress: &dyn Progress,
    mut each: impl FnMut(ElementPart<'_>) -> Result<()>,
) -> Result<()> {
    let mut frames = Frames { header: Vec::with_capacity(8), left: 0, elements: 0 };
    read_through(source, progress, |bytes| frames.take(bytes, &mut each))?;
    let (found, expected) = (frames.elements, source.shape().elements());
    if frames.left > 0 || !frames.header.is_empty() {
        return Err(Error::truncated("an element", frames.left.max(8), 0));
    }
    if found != expected {
        return Err(Error::unexpected("elements", found, format!("{expected}, as its shape has")));
    }
    Ok(())
}

struct Frames {
    /// The first bytes of a length, if the length was cut off.
    header: Vec<u8>,
    /// The bytes that the current element lacks.
    left: u64,
    elements: u64,
}

impl Frames {
    fn take(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(ElementPart<'_>) -> Result<()>,
    ) -> Result<()> {
        while !bytes.is_empty() {
            if self.left == 0 {
                let (head, rest) = bytes.split_at(bytes.len().min(8 - self.header.len()));
                self.header.extend_from_slice(head);
                bytes = rest;
                let Some(header) = self.header.first_chunk::<8>() else { continue };
                self.left = u64::from_le_bytes(*header);
                self.header.clear();
                self.elements += 1;
                each(ElementPart::Length(self.left))?;
            } else {
                let len = usize::try_from(self.left).map_or(bytes.len(), |n| n.min(bytes.len()));
                let (body, rest) = bytes.split_at(len);
                bytes = rest;
                self.left -= len as u64;
                each(ElementPart::Bytes(body))?;
            }
            if self.left == 0 {
                each(ElementPart::End)?;
            }
        }
        Ok(())
    }
}
