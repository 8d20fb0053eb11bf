//! Reads a `variant` tensor: the length of each element, its bytes, and the checksum of everything so far.

use std::sync::Arc;

use crate::bytes::{Crc32c, File, Stream};
use crate::error::{Error, Result};
use crate::tensor::framing::Elements;

use super::entry::ByteOrder;
use super::stored::Stored;

/// Reads the elements in order.
pub(super) struct Variants<'a> {
    stored: &'a Stored,
    stream: Stream,
    left: u64,
    /// Whether the checksum of an element follows.
    inside: bool,
    crc: Crc32c,
}

impl<'a> Variants<'a> {
    pub(super) fn open(stored: &'a Stored, file: Arc<File>) -> Self {
        let entry = &stored.entry;
        let stream = Stream::new(file, entry.offset, entry.offset + entry.size);
        let left = entry.shape.elements();
        Self { stored, stream, left, inside: false, crc: Crc32c::default() }
    }

    fn advance(&mut self) -> Result<Option<u64>> {
        let big = self.stored.order == ByteOrder::Big;
        if std::mem::take(&mut self.inside) {
            let offset = self.stream.offset();
            let raw = self.stream.u32("checksum of a variant")?;
            let masked = if big { raw.swap_bytes() } else { raw };
            self.crc.verify("a variant", masked).map_err(|error| error.at(offset))?;
            self.crc.update(&raw.to_le_bytes());
        }
        if self.left == 0 {
            if self.stream.remaining() > 0 {
                let found = format!("{} bytes", self.stream.remaining());
                let error = Error::unexpected("rest after the last variant", found, "none");
                return Err(error.at(self.stream.offset()));
            }
            self.stored.check(self.crc.value())?;
            return Ok(None);
        }
        let len = self.stream.varint("length of a variant")?;
        if len > self.stream.remaining() {
            let error = Error::truncated("a variant", len, self.stream.remaining());
            return Err(error.at(self.stream.offset()));
        }
        self.crc.update(&if big { len.swap_bytes() } else { len }.to_le_bytes());
        self.left -= 1;
        self.inside = true;
        Ok(Some(len))
    }
}

impl Elements for Variants<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        self.advance().map_err(|error| self.stored.locate(error))
    }

    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        self.stream.read("bytes of a variant", out).map_err(|e| self.stored.locate(e))?;
        self.crc.update(out);
        Ok(())
    }
}
