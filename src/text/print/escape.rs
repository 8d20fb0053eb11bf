//! Escapes strings.
//!
//! A line feed, a carriage return, a tab, both quotes and the backslash have escapes of one letter. Other control
//! characters are three octal digits, and so is each byte outside ASCII in a string that need not be UTF-8.

use super::buffer::TextBuffer;
use crate::error::Result;
use crate::name::is_printable;

/// The number of bytes for which space is reserved at once.
const PIECE: usize = 2 << 10;

/// The number of bytes that are checked at once.
const BLOCK: usize = 16;

/// The output of each byte: up to four bytes, and their number.
#[derive(Debug)]
pub(super) struct Escapes {
    table: [([u8; 4], u8); 256],
    /// The last byte from 127 on that is escaped.
    high: u8,
}

/// Escapes for output in ASCII.
pub(super) static OCTAL: Escapes = Escapes::new(255);

/// Escapes for output in UTF-8: bytes from 128 on are not escaped.
pub(super) static UTF8: Escapes = Escapes::new(127);

impl Escapes {
    /// The escapes, with octal digits for the bytes from 127 to `high`.
    #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "byte < 256")]
    const fn new(high: u8) -> Self {
        let mut table = [([0; 4], 0); 256];
        let mut byte = 0;
        while byte < 256 {
            let b = byte as u8;
            table[byte] = match b {
                b'\n' => (*b"\\n\0\0", 2),
                b'\r' => (*b"\\r\0\0", 2),
                b'\t' => (*b"\\t\0\0", 2),
                b'"' | b'\'' | b'\\' => ([b'\\', b, 0, 0], 2),
                _ if b < b' ' || (b >= 127 && b <= high) => {
                    ([b'\\', b'0' + (b >> 6), b'0' + (b >> 3 & 7), b'0' + (b & 7)], 4)
                }
                _ => ([b, 0, 0, 0], 1),
            };
            byte += 1;
        }
        Self { table, high }
    }

    /// Whether a byte is not escaped.
    #[inline]
    fn is_plain(&self, b: u8) -> bool {
        // No branches, so that the compiler checks a block with vectors.
        (b >= b' ') & ((b < 127) | (b > self.high)) & (b != b'"') & (b != b'\'') & (b != b'\\')
    }

    /// Appends `bytes`, escaped.
    #[inline]
    pub(super) fn write(&self, bytes: &[u8], out: &mut TextBuffer<'_>) -> Result<()> {
        for piece in bytes.chunks(PIECE) {
            // A byte becomes up to four, and a block is always written whole.
            let room = out.room(4 * piece.len() + 4 * BLOCK)?;
            let len = self.write_piece(piece, room);
            out.advance(len);
        }
        Ok(())
    }

    #[inline]
    fn write_piece(&self, piece: &[u8], room: &mut [u8]) -> usize {
        let mut len = 0;
        let (blocks, rest) = piece.as_chunks::<BLOCK>();
        for block in blocks {
            let Some(place) = room.get_mut(len..).and_then(|room| room.first_chunk_mut()) else {
                return len;
            };
            len += self.write_block(block, place);
        }
        if rest.is_empty() {
            return len;
        }
        // The last bytes, filled up to a block with spaces, which are not escaped.
        let mut block = [b' '; BLOCK];
        for (to, from) in block.iter_mut().zip(rest) {
            *to = *from;
        }
        if let Some(place) = room.get_mut(len..).and_then(|room| room.first_chunk_mut()) {
            len += self.write_block(&block, place) - (BLOCK - rest.len());
        }
        len
    }

    #[inline]
    fn write_block(&self, block: &[u8; BLOCK], place: &mut [u8; 4 * BLOCK]) -> usize {
        if block.iter().fold(true, |plain, b| plain & self.is_plain(*b)) {
            if let Some(place) = place.first_chunk_mut() {
                *place = *block;
            }
            return BLOCK;
        }
        let mut len = 0;
        for b in block {
            #[expect(clippy::indexing_slicing, reason = "the table has 256 entries")]
            let (text, text_len) = self.table[usize::from(*b)];
            if let Some(place) = place.get_mut(len..len + 4) {
                place.copy_from_slice(&text);
            }
            len += usize::from(text_len);
        }
        len
    }
}

/// Appends a string for a terminal: printable characters unescaped, all other bytes as octal digits.
pub(super) fn write_printable(bytes: &[u8], out: &mut TextBuffer<'_>) -> Result<()> {
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        // A line break and the like have escapes of their own.
        let is_special = |c: char| !c.is_ascii() && !is_printable(c);
        while let Some((at, special)) = rest.char_indices().find(|(_, c)| is_special(*c)) {
            let (plain, from) = rest.split_at(at);
            let (special, behind) = from.split_at(special.len_utf8());
            UTF8.write(plain.as_bytes(), out)?;
            OCTAL.write(special.as_bytes(), out)?;
            rest = behind;
        }
        UTF8.write(rest.as_bytes(), out)?;
        OCTAL.write(chunk.invalid(), out)?;
    }
    Ok(())
}

/// Appends a string that may not be UTF-8: characters unescaped, invalid bytes as octal digits.
pub(super) fn write_lossy(bytes: &[u8], out: &mut TextBuffer<'_>) -> Result<()> {
    for chunk in bytes.utf8_chunks() {
        UTF8.write(chunk.valid().as_bytes(), out)?;
        OCTAL.write(chunk.invalid(), out)?;
    }
    Ok(())
}
