//! The content of one tensor.

use std::sync::Arc;

use crate::bytes::{ReadAt, ReadWindow};
use crate::error::{Error, Result};
use crate::tensor::{DType, Extent, Shape, TensorSource, TensorStream};

use super::header::HeaderEntry;

/// A tensor in a file.
#[derive(Debug)]
pub(super) struct Stored {
    dtype: DType,
    shape: Shape,
    file: Arc<dyn ReadAt>,
    /// The number of the shard.
    shard: u32,
    start: u64,
    end: u64,
}

impl Stored {
    /// A tensor that the header of `file` lists.
    ///
    /// # Errors
    /// If the element type is not supported.
    pub(super) fn new(listed: HeaderEntry, file: Arc<dyn ReadAt>, shard: u32) -> Result<Self> {
        let HeaderEntry { ty, shape, start, end } = listed;
        let dtype = ty.dtype.ok_or_else(|| {
            Error::unsupported(format!("elements of type {} are not supported", ty.name)).at(start)
        })?;
        Ok(Self { dtype, shape, file, shard, start, end })
    }

    /// The position in the file of byte `offset` of the content, if there are bytes for `out`.
    fn position(&self, offset: u64, out: &[u8]) -> Result<u64> {
        let have = self.stored_bytes().saturating_sub(offset);
        if have < out.len() as u64 {
            return Err(Error::truncated("read", out.len() as u64, have).at(self.start));
        }
        Ok(self.start + offset)
    }

    /// Whether a byte has two elements.
    fn is_packed(&self) -> bool {
        self.dtype == DType::F4E2M1Fn
    }
}

impl TensorSource for Stored {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        self.end - self.start
    }

    fn extent(&self) -> Option<&dyn Extent> {
        (!self.is_packed()).then_some(self)
    }

    fn stored_at(&self) -> (u32, u64) {
        (self.shard, self.start)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        Ok(Box::new(Reader { stored: self, pos: 0 }))
    }
}

impl Extent for Stored {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.file.read_at(self.position(offset, out)?, out)
    }

    fn read_through(&self, window: &mut ReadWindow, offset: u64, out: &mut [u8]) -> Result<()> {
        window.read(&*self.file, self.position(offset, out)?, out)
    }
}

/// Reads the content in order.
struct Reader<'a> {
    stored: &'a Stored,
    /// The offset of the next element in the unpacked content.
    pos: u64,
}

impl TensorStream for Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let Stored { start, end, .. } = *self.stored;
        let is_packed = self.stored.is_packed();
        let all = if is_packed { (end - start) * 2 } else { end - start };
        let len = usize::try_from(all - self.pos).unwrap_or(usize::MAX).min(out.len());
        let out = out.get_mut(..len).unwrap_or_default();
        if is_packed {
            // If the last call ended with the low half of a byte, the byte is read again.
            let odd = usize::from(self.pos % 2 == 1);
            let bytes = out.get_mut(..(odd + len).div_ceil(2)).unwrap_or_default();
            self.stored.file.read_at(start + self.pos / 2, bytes)?;
            unpack(out, odd);
        } else {
            self.stored.file.read_at(start + self.pos, out)?;
        }
        self.pos += len as u64;
        Ok(len)
    }
}

/// Unpacks the bytes at the front of `out` into all of it, low halves first, without the first `skipped` halves.
fn unpack(out: &mut [u8], skipped: usize) {
    // Backwards, so that no byte is overwritten before it is unpacked.
    for i in (0..out.len()).rev() {
        let byte = out.get((skipped + i) / 2).copied().unwrap_or_default();
        if let Some(element) = out.get_mut(i) {
            *element = byte >> (4 * ((skipped + i) % 2)) & 0xf;
        }
    }
}
