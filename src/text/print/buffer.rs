//! The output buffer of the printer, which is flushed when it is full or keeps the whole text.

use std::io::{ErrorKind, Write};

use crate::error::{Error, Result};

/// The number of bytes that are written at a time.
const LEN: usize = 64 << 10;

/// The maximum number of bytes that are kept in memory. A longer segment is printed directly to the output.
const MAX_LEN: usize = 4 << 20;

const SPACES: [u8; 64] = [b' '; 64];

/// Printed text that is not written yet.
pub(super) struct TextBuffer<'w> {
    /// The text is the first `len` bytes.
    buffer: Vec<u8>,
    len: usize,
    /// The maximum number of bytes, if there is no `out`.
    most: usize,
    out: Option<&'w mut dyn Write>,
}

impl<'w> TextBuffer<'w> {
    /// A buffer that is flushed to `out`.
    pub(super) fn stream(out: &'w mut dyn Write) -> Self {
        Self { buffer: vec![0; LEN], len: 0, most: MAX_LEN, out: Some(out) }
    }

    /// A buffer that keeps the text, up to a limit. It reuses `buffer`.
    pub(super) fn memory(mut buffer: Vec<u8>) -> Self {
        buffer.resize(buffer.capacity().max(LEN), 0);
        Self { buffer, len: 0, most: MAX_LEN, out: None }
    }

    /// A buffer that keeps up to `most` bytes and refuses more.
    pub(super) fn brief(most: usize) -> Self {
        Self { buffer: vec![0; 256], len: 0, most, out: None }
    }

    /// Returns the text.
    pub(super) fn into_text(mut self) -> Vec<u8> {
        self.buffer.truncate(self.len);
        self.buffer
    }

    /// Writes the rest of the text.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush(0)
    }

    /// Writes the rest of the text, without a space at its end.
    pub(super) fn finish_line(mut self) -> Result<()> {
        let text = self.buffer.get(..self.len).unwrap_or_default();
        self.len = text.strip_suffix(b" ").unwrap_or(text).len();
        self.flush(0)
    }

    /// Writes the text so far, and then `text`.
    pub(super) fn write_through(&mut self, text: &[u8]) -> Result<()> {
        self.flush(0)?;
        let Some(out) = &mut self.out else { return Ok(()) };
        out.write_all(text).map_err(|error| Error::io("write", error))
    }

    /// Writes all but the last `keep` bytes, 0 or 1.
    fn flush(&mut self, keep: usize) -> Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let end = self.len.saturating_sub(keep);
        let (text, kept) = self.buffer.split_at_mut_checked(end).unwrap_or_default();
        out.write_all(text).map_err(|error| Error::io("write", error))?;
        if let (Some(first), Some(last)) = (text.first_mut(), kept.first()) {
            *first = *last;
        }
        self.len -= end;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, len: usize) -> Result<()> {
        // The last byte is kept: it may be the space that `finish_line` removes.
        self.flush(1)?;
        if self.out.is_none() && self.len + len > self.most {
            return Err(Error::io("keep the text", ErrorKind::OutOfMemory.into()));
        }
        if self.buffer.len() - self.len < len {
            self.buffer.resize((self.len + len).max(2 * self.buffer.len()), 0);
        }
        Ok(())
    }

    /// Space for `len` bytes; [`advance`](Self::advance) takes those that were used.
    #[inline]
    pub(super) fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        if self.buffer.len() - self.len < len {
            self.make_room(len)?;
        }
        Ok(self.buffer.get_mut(self.len..).unwrap_or_default())
    }

    /// Adds the first `len` bytes of [`room`](Self::room) to the text.
    #[inline]
    pub(super) fn advance(&mut self, len: usize) {
        self.len += len;
    }

    /// Appends `text`, which is short.
    #[inline]
    pub(super) fn put(&mut self, text: &[u8]) -> Result<()> {
        let room = self.room(text.len())?;
        if let Some(place) = room.get_mut(..text.len()) {
            place.copy_from_slice(text);
        }
        self.advance(text.len());
        Ok(())
    }

    /// Appends text of constant length.
    #[inline]
    pub(super) fn put_array<const N: usize>(&mut self, text: &[u8; N]) -> Result<()> {
        if let Some(place) = self.room(N)?.first_chunk_mut() {
            *place = *text;
        }
        self.advance(N);
        Ok(())
    }

    /// Appends `count` spaces.
    #[inline]
    pub(super) fn spaces(&mut self, count: usize) -> Result<()> {
        // A constant number of spaces is faster to write than a variable one.
        let room = self.room(count.max(SPACES.len()))?;
        if let Some(place) = room.first_chunk_mut() {
            *place = SPACES;
        }
        if let Some(rest) = room.get_mut(SPACES.len()..count) {
            rest.fill(b' ');
        }
        self.advance(count);
        Ok(())
    }

    /// Appends a number.
    #[inline]
    pub(super) fn unsigned(&mut self, number: u64) -> Result<()> {
        self.put(itoa::Buffer::new().format(number).as_bytes())
    }

    /// Appends a number.
    #[inline]
    pub(super) fn signed(&mut self, number: i64) -> Result<()> {
        self.put(itoa::Buffer::new().format(number).as_bytes())
    }

    /// Appends `0x` and `digits` hexadecimal digits.
    pub(super) fn hex(&mut self, number: u64, digits: usize) -> Result<()> {
        self.put(format!("{number:#0width$x}", width = digits + 2).as_bytes())
    }
}
