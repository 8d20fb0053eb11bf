//! A stream of content behind a buffer of fixed size.

use crate::error::{Error, Result};

use super::TensorStream;

/// A stream of content whose next bytes can be looked at before they are taken.
pub(crate) struct BufferedStream<'a> {
    stream: Box<dyn TensorStream + 'a>,
    /// `capacity` bytes, once some were needed.
    buffer: Vec<u8>,
    capacity: usize,
    /// The bytes of the buffer that were not taken.
    start: usize,
    end: usize,
}

impl<'a> BufferedStream<'a> {
    /// `capacity` is a multiple of the size of fixed-width elements.
    pub(crate) fn new(stream: Box<dyn TensorStream + 'a>, capacity: usize) -> Self {
        Self { stream, buffer: Vec::new(), capacity, start: 0, end: 0 }
    }

    /// The bytes in the buffer: at least `least`, unless fewer are left or the capacity is less.
    ///
    /// # Errors
    /// If the stream cannot be read.
    #[inline]
    pub(crate) fn fill(&mut self, least: usize) -> Result<&[u8]> {
        if self.end - self.start < least {
            self.refill(least)?;
        }
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    #[inline(never)]
    fn refill(&mut self, least: usize) -> Result<()> {
        if self.buffer.is_empty() {
            self.buffer = vec![0; self.capacity];
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < least {
            let free = self.buffer.get_mut(self.end..).unwrap_or_default();
            let read = self.stream.read(free)?;
            if read == 0 {
                break;
            }
            self.end += read;
        }
        Ok(())
    }

    /// Consumes `count` buffered bytes.
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// Fills `out`; `what` names the bytes in errors. With `direct`, reads past an empty buffer.
    ///
    /// # Errors
    /// If the stream cannot be read, or has fewer bytes left.
    pub(crate) fn copy(
        &mut self,
        what: &'static str,
        mut out: &mut [u8],
        direct: bool,
    ) -> Result<()> {
        while !out.is_empty() {
            let len = if direct && self.start == self.end {
                self.stream.read(out)?
            } else {
                let have = self.fill(1)?;
                let len = have.len().min(out.len());
                let (head, _) = out.split_at_mut(len);
                head.copy_from_slice(have.get(..len).unwrap_or_default());
                self.consume(len);
                len
            };
            if len == 0 {
                return Err(Error::truncated(what, out.len() as u64, 0));
            }
            out = out.get_mut(len..).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads on at the end, which verifies the checksums. A result other than 0 means that content is left.
    ///
    /// # Errors
    /// If the stream cannot be read, or a checksum does not match.
    pub(crate) fn finish(&mut self) -> Result<usize> {
        let buffered = self.end - self.start;
        Ok(buffered + self.stream.read(&mut [0; 16])?)
    }
}
