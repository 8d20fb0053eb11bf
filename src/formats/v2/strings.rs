//! Reads a `string` tensor: all lengths, their checksum, then all bytes.

use std::sync::Arc;

use crate::bytes::{Crc32c, File, Stream};
use crate::error::{Error, Result};
use crate::tensor::framing::Elements;

use super::entry::ByteOrder;
use super::stored::Stored;

/// Reads lengths and bytes in parallel, with a small buffer for each.
pub(super) struct Strings<'a> {
    stored: &'a Stored,
    lengths: Stream,
    bytes: Stream,
    left: u64,
    crc: Crc32c,
}

impl<'a> Strings<'a> {
    /// Verifies the lengths, and begins to read.
    pub(super) fn open(stored: &'a Stored, file: Arc<File>) -> Result<Self> {
        let entry = &stored.entry;
        let (start, end) = (entry.offset, entry.offset + entry.size);
        let left = entry.shape.elements();
        let lengths = Stream::new(Arc::clone(&file) as _, start, end);
        let mut bytes = Stream::new(file, start, end);
        let place = |error| stored.locate(error);
        let crc = check_lengths(&mut bytes, left, stored.order).map_err(place)?;
        Ok(Self { stored, lengths, bytes, left, crc })
    }
}

/// Verifies the lengths, and leaves `stream` at the first string. Returns the checksum so far.
fn check_lengths(stream: &mut Stream, elements: u64, order: ByteOrder) -> Result<Crc32c> {
    const BATCH: usize = 4096;
    let mut crc = Crc32c::default();
    if elements == 0 && stream.remaining() == 0 {
        return Ok(crc);
    }
    let mut total = 0u64;
    let mut batch = Vec::new();
    for _ in 0..elements {
        let len = stream.varint("length of a string")?;
        total = total.saturating_add(len);
        push_length(len, order, &mut batch);
        if batch.len() >= BATCH {
            crc.update(&batch);
            batch.clear();
        }
    }
    crc.update(&batch);
    let offset = stream.offset();
    let raw = stream.u32("checksum of the lengths")?;
    let masked = if order == ByteOrder::Big { raw.swap_bytes() } else { raw };
    crc.verify("the lengths of strings", masked).map_err(|error| error.at(offset))?;
    crc.update(&raw.to_le_bytes());
    if total != stream.remaining() {
        let expected = format!("{}, the number of bytes that follow", stream.remaining());
        return Err(Error::unexpected("length of all strings", total, expected).at(offset));
    }
    Ok(crc)
}

/// Appends a length as the checksum covers it.
fn push_length(len: u64, order: ByteOrder, out: &mut Vec<u8>) {
    let start = out.len();
    match u32::try_from(len) {
        Ok(len) => out.extend(len.to_le_bytes()),
        Err(_) => out.extend(len.to_le_bytes()),
    }
    if order == ByteOrder::Big {
        out.get_mut(start..).unwrap_or_default().reverse();
    }
}

impl Elements for Strings<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        if self.left == 0 {
            self.stored.check(self.crc.value())?;
            return Ok(None);
        }
        self.left -= 1;
        self.lengths.varint("length of a string").map(Some).map_err(|e| self.stored.locate(e))
    }

    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        self.bytes.read("bytes of a string", out).map_err(|e| self.stored.locate(e))?;
        self.crc.update(out);
        Ok(())
    }
}
