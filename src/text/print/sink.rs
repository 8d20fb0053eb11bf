//! Where text goes: a buffer that is written out when it is full, or that holds everything.

use std::io::{ErrorKind, Write};

use crate::error::{Error, Result};

/// How much is written at a time.
const LEN: usize = 64 << 10;

/// The most that is held in memory: what is larger is printed when its turn comes.
const MOST: usize = 4 << 20;

/// What two digits look like: "00" to "99".
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut n = 0;
    while n < 100 {
        #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "n < 100")]
        {
            pairs[n] = [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
        }
        n += 1;
    }
    pairs
};

const SPACES: [u8; 64] = [b' '; 64];

/// Text on its way out.
pub(super) struct Sink<'w> {
    /// All of it may be written to; the text is what lies before `len`.
    buffer: Vec<u8>,
    len: usize,
    /// The most that is held where nothing is written out.
    most: usize,
    out: Option<&'w mut dyn Write>,
}

impl<'w> Sink<'w> {
    /// Writes to `out`, a buffer at a time.
    pub(super) fn stream(out: &'w mut dyn Write) -> Self {
        Self { buffer: vec![0; LEN], len: 0, most: MOST, out: Some(out) }
    }

    /// Holds everything, or fails where that is too much; `buffer` is used again.
    pub(super) fn memory(mut buffer: Vec<u8>) -> Self {
        buffer.resize(buffer.capacity().max(LEN), 0);
        Self { buffer, len: 0, most: MOST, out: None }
    }

    /// Holds up to `most` bytes, and fails where that is too little for what comes next.
    pub(super) fn brief(most: usize) -> Self {
        Self { buffer: vec![0; 256], len: 0, most, out: None }
    }

    /// What is held.
    pub(super) fn into_text(mut self) -> Vec<u8> {
        self.buffer.truncate(self.len);
        self.buffer
    }

    /// Writes out what is left.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush(0)
    }

    /// Writes out what is left, except for a space at the end.
    pub(super) fn finish_line(mut self) -> Result<()> {
        let text = self.buffer.get(..self.len).unwrap_or_default();
        self.len = text.strip_suffix(b" ").unwrap_or(text).len();
        self.flush(0)
    }

    /// Writes out `text` behind what is there.
    pub(super) fn write_through(&mut self, text: &[u8]) -> Result<()> {
        self.flush(0)?;
        let Some(out) = &mut self.out else { return Ok(()) };
        out.write_all(text).map_err(|error| Error::io("write", error))
    }

    /// Writes out all but the last `keep` bytes, 0 or 1.
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
        // The last byte stays: at the very end it may be a space too many.
        self.flush(1)?;
        if self.out.is_none() && self.len + len > self.most {
            return Err(Error::io("hold the text", ErrorKind::OutOfMemory.into()));
        }
        if self.buffer.len() - self.len < len {
            self.buffer.resize((self.len + len).max(2 * self.buffer.len()), 0);
        }
        Ok(())
    }

    /// Room for `len` bytes; [`advance`](Self::advance) says how many of them count.
    #[inline]
    pub(super) fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        if self.buffer.len() - self.len < len {
            self.make_room(len)?;
        }
        Ok(self.buffer.get_mut(self.len..).unwrap_or_default())
    }

    /// Takes the first `len` bytes of what [`room`](Self::room) gave.
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

    /// Appends text of a length that is known when compiling.
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
        // More than are asked for, since a fixed number is written at once.
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
        if let (Ok(digit @ 0..10), place) = (u8::try_from(number), self.room(20)?) {
            if let Some(first) = place.first_mut() {
                *first = b'0' + digit;
            }
            self.advance(1);
            return Ok(());
        }
        let mut digits = [0; 20];
        let start = decimal(number, &mut digits);
        self.put(digits.get(start..).unwrap_or_default())
    }

    /// Appends a number.
    #[inline]
    pub(super) fn signed(&mut self, number: i64) -> Result<()> {
        if number < 0 {
            self.put_array(b"-")?;
        }
        self.unsigned(number.unsigned_abs())
    }

    /// Appends `0x` and `digits` hexadecimal digits.
    pub(super) fn hex(&mut self, number: u64, digits: usize) -> Result<()> {
        self.put(format!("{number:#0width$x}", width = digits + 2).as_bytes())
    }
}

/// Writes the digits of a number to the end of `digits`; returns where they start.
#[inline]
pub(super) fn decimal(mut number: u64, digits: &mut [u8; 20]) -> usize {
    let mut start = digits.len();
    let mut pair = |number: u64, start: usize| {
        let (to, from) = (digits.get_mut(start..start + 2), PAIRS.get((number % 100) as usize));
        if let (Some(to), Some(from)) = (to, from) {
            to.copy_from_slice(from);
        }
    };
    while number >= 10 {
        start -= 2;
        pair(number, start);
        number /= 100;
    }
    if number > 0 || start == 20 {
        start -= 1;
        if let (Some(to), Ok(digit)) = (digits.get_mut(start), u8::try_from(number)) {
            *to = b'0' + digit;
        }
    }
    start
}
