//! Elements of any length, taken apart as they are read.

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::tensor::{TensorSource, read_through};

/// What is next in a tensor of elements of any length.
pub(super) enum Part<'a> {
    /// An element begins, of so many bytes.
    Length(u64),
    /// Some of its bytes.
    Bytes(&'a [u8]),
    /// It ends.
    End,
}

/// Gives every element of `source` to `each`, part by part.
///
/// # Errors
/// When it cannot be read, has more or fewer elements than its shape, or what `each` says.
pub(super) fn read(
    source: &dyn TensorSource,
    progress: &dyn Progress,
    mut each: impl FnMut(Part<'_>) -> Result<()>,
) -> Result<()> {
    let mut frames = Frames { header: Vec::with_capacity(8), left: 0, elements: 0 };
    read_through(source, progress, |bytes| frames.take(bytes, &mut each))?;
    let (found, allowed) = (frames.elements, source.shape().elements());
    if frames.left > 0 || !frames.header.is_empty() {
        return Err(Error::truncated("an element", frames.left.max(8), 0));
    }
    if found != allowed {
        return Err(Error::unexpected("elements", found, format!("its shape has {allowed}")));
    }
    Ok(())
}

struct Frames {
    /// The bytes of a length that was cut.
    header: Vec<u8>,
    /// Bytes that the element still lacks.
    left: u64,
    elements: u64,
}

impl Frames {
    fn take(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(Part<'_>) -> Result<()>,
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
                each(Part::Length(self.left))?;
            } else {
                let len = usize::try_from(self.left).map_or(bytes.len(), |n| n.min(bytes.len()));
                let (body, rest) = bytes.split_at(len);
                bytes = rest;
                self.left -= len as u64;
                each(Part::Bytes(body))?;
            }
            if self.left == 0 {
                each(Part::End)?;
            }
        }
        Ok(())
    }
}
