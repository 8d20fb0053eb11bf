//! A buffered forward reader over a range of a file.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};

use super::{Crc32c, ReadAt, varint};

const BUFFER: usize = 64 << 10;

/// Reads the bytes `start..end` of a source in order, through one small buffer.
pub struct Stream {
    source: Arc<dyn ReadAt>,
    buffer: Vec<u8>,
    pos: usize,
    /// The offset of the byte after the buffer.
    next: u64,
    end: u64,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({}..{} of {:?})", self.offset(), self.end, self.source)
    }
}

impl Stream {
    /// A reader of the bytes `start..end`.
    pub fn new(source: Arc<dyn ReadAt>, start: u64, end: u64) -> Self {
        Self { source, buffer: Vec::new(), pos: 0, next: start, end: end.max(start) }
    }

    /// The offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.next - (self.buffer.len() - self.pos) as u64
    }

    /// The number of bytes before the end.
    pub fn remaining(&self) -> u64 {
        self.end - self.offset()
    }

    /// The buffered bytes: at least one, unless the end is reached.
    pub fn fill(&mut self) -> Result<&[u8]> {
        if self.pos == self.buffer.len() {
            let len = usize::try_from(self.end - self.next).map_or(BUFFER, |left| left.min(BUFFER));
            self.buffer.resize(len, 0);
            self.pos = 0;
            if let Err(error) = self.source.read_at(self.next, &mut self.buffer) {
                self.buffer.clear();
                return Err(error);
            }
            self.next += len as u64;
        }
        Ok(self.buffer.get(self.pos..).unwrap_or(&[]))
    }

    /// Skips `len` of the bytes that [`fill`](Self::fill) returned.
    pub fn consume(&mut self, len: usize) {
        self.pos = (self.pos + len).min(self.buffer.len());
    }

    /// Fills `out` with the next bytes.
    pub fn read(&mut self, what: &'static str, mut out: &mut [u8]) -> Result<()> {
        if self.remaining() < out.len() as u64 {
            let error = Error::truncated(what, out.len() as u64, self.remaining());
            return Err(error.at(self.offset()));
        }
        while !out.is_empty() {
            if self.pos == self.buffer.len() && out.len() >= BUFFER {
                self.source.read_at(self.next, out)?;
                self.next += out.len() as u64;
                return Ok(());
            }
            let have = self.fill()?;
            let len = have.len().min(out.len());
            let (head, tail) = out.split_at_mut(len);
            head.copy_from_slice(have.get(..len).unwrap_or(&[]));
            self.consume(len);
            out = tail;
        }
        Ok(())
    }

    /// The next byte.
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        let mut byte = [0];
        self.read(what, &mut byte)?;
        Ok(u8::from_le_bytes(byte))
    }

    /// The next four bytes, little-endian.
    pub fn u32(&mut self, what: &'static str) -> Result<u32> {
        let mut bytes = [0; 4];
        self.read(what, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// The next varint.
    pub fn varint(&mut self, what: &'static str) -> Result<u64> {
        let offset = self.offset();
        let mut bytes = [0; varint::MAX_LEN];
        for len in 1..=varint::MAX_LEN {
            let byte = self.u8(what).map_err(|error| error.at(offset))?;
            if let Some(slot) = bytes.get_mut(len - 1) {
                *slot = byte;
            }
            if byte < 0x80
                && let Some((value, _)) = varint::read(&bytes)
            {
                return Ok(value);
            }
        }
        let expected = "at most 10 bytes";
        Err(Error::unexpected(what, "a varint of over 64 bits", expected).at(offset))
    }

    /// Skips `len` bytes, and does not read those that are not in the buffer.
    pub fn skip(&mut self, what: &'static str, len: u64) -> Result<()> {
        if self.remaining() < len {
            return Err(Error::truncated(what, len, self.remaining()).at(self.offset()));
        }
        let have = self.buffer.len() - self.pos;
        match usize::try_from(len) {
            Ok(len) if len <= have => self.consume(len),
            _ => {
                self.next += len - have as u64;
                self.buffer.clear();
                self.pos = 0;
            }
        }
        Ok(())
    }

    /// The checksum of all bytes up to the end.
    pub fn crc32c(mut self) -> Result<Crc32c> {
        let mut crc = Crc32c::default();
        while self.remaining() > 0 {
            let bytes = self.fill()?;
            crc.update(bytes);
            let len = bytes.len();
            self.consume(len);
        }
        Ok(crc)
    }
}
