//! Strings between quotes.
//!
//! A newline, a return, a tab, both quotes and the backslash have escapes of one letter; other control characters, and
//! every byte that is not ASCII where the text may not be UTF-8, are three octal digits.

use super::sink::Sink;
use crate::error::Result;

/// Bytes for which room is made at once.
const PIECE: usize = 2 << 10;

/// Bytes looked at together.
const BLOCK: usize = 16;

/// What becomes of each byte: up to four bytes, and how many.
#[derive(Debug)]
pub(super) struct Escapes {
    table: [([u8; 4], u8); 256],
    /// The first byte that is not written as it is, of those from 127.
    high: u8,
}

/// Only ASCII.
pub(super) static OCTAL: Escapes = Escapes::new(255);

/// Bytes from 128 stay: they are characters.
pub(super) static UTF8: Escapes = Escapes::new(127);

impl Escapes {
    /// The escapes where bytes from 127 to `high` have three digits.
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

    /// Whether a byte is written as it is.
    #[inline]
    fn is_plain(&self, b: u8) -> bool {
        // No branches: whole blocks are looked at with vectors.
        (b >= b' ') & ((b < 127) | (b > self.high)) & (b != b'"') & (b != b'\'') & (b != b'\\')
    }

    /// Appends `bytes`, escaped.
    #[inline]
    pub(super) fn write(&self, bytes: &[u8], out: &mut Sink<'_>) -> Result<()> {
        for piece in bytes.chunks(PIECE) {
            // Each byte gives up to four, and a block is written whole.
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
        // The last bytes in a block of their own, filled up with what has no escape.
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
            #[expect(clippy::indexing_slicing, reason = "the table has every byte")]
            let (text, text_len) = self.table[usize::from(*b)];
            if let Some(place) = place.get_mut(len..len + 4) {
                place.copy_from_slice(&text);
            }
            len += usize::from(text_len);
        }
        len
    }
}

/// Appends a string that may not be UTF-8: characters as they are, bytes that belong to none as octal digits.
pub(super) fn write_lossy(bytes: &[u8], out: &mut Sink<'_>) -> Result<()> {
    for chunk in bytes.utf8_chunks() {
        UTF8.write(chunk.valid().as_bytes(), out)?;
        OCTAL.write(chunk.invalid(), out)?;
    }
    Ok(())
}
