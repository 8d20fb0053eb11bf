//! A forward reader over bytes in memory that knows their offset in the file.

use crate::error::{Error, Result};

use super::varint;

/// Reads structures from a byte slice; every error has the absolute offset.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    base: u64,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, the first of which is at offset `base` of its file.
    pub fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, pos: 0, base }
    }

    /// The offset of the next byte in the file.
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// The number of bytes that are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// The next `len` bytes.
    pub fn take(&mut self, what: &'static str, len: usize) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let taken = rest.get(..len).ok_or_else(|| {
            Error::truncated(what, len as u64, rest.len() as u64).at(self.offset())
        })?;
        self.pos += len;
        Ok(taken)
    }

    /// The next byte.
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        Ok(self.take(what, 1)?.first().copied().unwrap_or_default())
    }

    /// The next four bytes, little-endian.
    pub fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(self.take(what, 4)?.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b)))
    }

    /// The next eight bytes, little-endian.
    pub fn u64(&mut self, what: &'static str) -> Result<u64> {
        Ok(self.take(what, 8)?.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    /// The next varint.
    #[inline]
    pub fn varint(&mut self, what: &'static str) -> Result<u64> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let Some((value, len)) = varint::read(rest) else {
            return Err(if rest.len() < varint::MAX_LEN {
                Error::truncated(what, rest.len() as u64 + 1, rest.len() as u64)
            } else {
                Error::unexpected(what, "a varint of over 64 bits", "at most 10 bytes")
            }
            .at(self.offset()));
        };
        self.pos += len;
        Ok(value)
    }
}
