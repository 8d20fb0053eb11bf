//! The output buffer: brackets, commas, line breaks, strings.

use std::io::Write;

use crate::bytes::base64;
use crate::error::{Error, Result};
use crate::json::Layout;
use crate::name::is_printable;

/// The size at which the buffer is flushed.
const FULL: usize = 64 << 10;

/// Writes JSON tokens to a buffer and flushes it to a writer.
pub(super) struct TokenWriter<'o> {
    out: &'o mut dyn Write,
    buffer: Vec<u8>,
    layout: Layout,
    level: usize,
    /// Whether the innermost object or list is empty so far.
    fresh: bool,
}

impl<'o> TokenWriter<'o> {
    pub(super) fn new(layout: Layout, out: &'o mut dyn Write) -> Self {
        Self { out, buffer: Vec::with_capacity(FULL + FULL / 4), layout, level: 0, fresh: true }
    }

    /// Opens an object or a list.
    #[inline]
    pub(super) fn open(&mut self, bracket: u8) {
        self.buffer.push(bracket);
        self.level += 1;
        self.fresh = true;
    }

    /// Closes the innermost object or list.
    #[inline]
    pub(super) fn close(&mut self, bracket: u8) {
        self.level -= 1;
        if !self.fresh {
            self.line();
        }
        self.fresh = false;
        self.buffer.push(bracket);
    }

    /// Starts a member or an element.
    #[inline]
    pub(super) fn item(&mut self) -> Result<()> {
        if self.buffer.len() >= FULL {
            self.flush()?;
        }
        if !self.fresh {
            self.buffer.push(b',');
        }
        self.fresh = false;
        self.line();
        Ok(())
    }

    #[inline]
    fn line(&mut self) {
        if let Layout::Indented(width) = self.layout {
            self.buffer.push(b'\n');
            let len = self.buffer.len() + self.level * width;
            self.buffer.resize(len, b' ');
        }
    }

    /// Writes the separator between a name and its value.
    #[inline]
    pub(super) fn colon(&mut self) {
        match self.layout {
            Layout::Indented(_) => self.buffer.extend_from_slice(b": "),
            Layout::Compact => self.buffer.push(b':'),
        }
    }

    /// Writes text verbatim.
    #[inline]
    pub(super) fn plain(&mut self, text: &[u8]) {
        self.buffer.extend_from_slice(text);
    }

    /// The unflushed output, for printers of numbers.
    #[inline]
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes `text`, which is UTF-8, as a quoted string.
    #[inline]
    pub(super) fn string(&mut self, text: &[u8]) -> Result<()> {
        self.buffer.push(b'"');
        let mut rest = text;
        while !rest.is_empty() {
            let part = rest.get(..FULL).unwrap_or(rest);
            let at = escape(part).unwrap_or(part.len());
            self.buffer.extend_from_slice(part.get(..at).unwrap_or_default());
            rest = rest.get(at..).unwrap_or_default();
            if at < part.len() {
                rest = self.character(rest);
            }
            if self.buffer.len() >= FULL {
                self.flush()?;
            }
        }
        self.buffer.push(b'"');
        Ok(())
    }

    /// Writes the first character of `text`, which may need an escape. Returns the text after it.
    #[cold]
    fn character<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let first = text.get(..4).unwrap_or(text).utf8_chunks().next();
        let first = first.and_then(|chunk| chunk.valid().chars().next()).unwrap_or('\0');
        match u8::try_from(first) {
            Ok(byte) if byte.is_ascii() => self.escaped(byte),
            _ if is_printable(first) => {
                self.buffer.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => first.encode_utf16(&mut [0; 2]).iter().for_each(|unit| self.unit(*unit)),
        }
        text.get(first.len_utf8()..).unwrap_or_default()
    }

    /// Writes an escape with four digits.
    fn unit(&mut self, unit: u16) {
        // Writing to a Vec cannot fail.
        let _ = write!(self.buffer, "\\u{unit:04x}");
    }

    #[cold]
    fn escaped(&mut self, byte: u8) {
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => return self.unit(byte.into()),
        };
        self.buffer.extend([b'\\', short]);
    }

    /// Writes bytes as a base64 string.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.push(b'"');
        // A multiple of three bytes, so that only the last group is padded.
        for part in bytes.chunks(FULL / 4 * 3) {
            self.buffer.extend_from_slice(base64::encode(part).as_bytes());
            if self.buffer.len() >= FULL {
                self.flush()?;
            }
        }
        self.buffer.push(b'"');
        Ok(())
    }

    /// Flushes the buffer.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.out.write_all(&self.buffer).map_err(|error| Error::io("write", error))?;
        self.buffer.clear();
        Ok(())
    }
}

/// The index of the first byte that needs an escape, or starts a character that may need one.
#[inline]
fn escape(text: &[u8]) -> Option<usize> {
    let special = |byte: u8| !(0x20..0x7f).contains(&byte) || byte == b'"' || byte == b'\\';
    let (words, rest) = text.as_chunks::<8>();
    // Eight bytes at a time; the highest bit of each byte is the result.
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    for (index, bytes) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*bytes);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = zero(word ^ (ONES * 0x22));
        let backslash = zero(word ^ (ONES * 0x5c));
        let delete = zero(word ^ (ONES * 0x7f));
        let found = (control | quote | backslash | delete | word) & HIGH;
        // A borrow may mark a byte after the first special one, never one before it.
        if found != 0 {
            return Some(index * 8 + (found.trailing_zeros() / 8) as usize);
        }
    }
    let at = rest.iter().position(|&byte| special(byte))?;
    Some(words.len() * 8 + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found_wherever_it_is() {
        for special in (0..0x20).chain([b'"', b'\\', 0x7f, 0x80, 0xff]) {
            for len in 0..40 {
                for at in 0..len {
                    let mut text = [0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7e, 0x30, 0x61].repeat(5);
                    text.truncate(len);
                    assert_eq!(escape(&text), None);
                    text[at] = special;
                    assert_eq!(escape(&text), Some(at));
                    text[len - 1] = special;
                    assert_eq!(escape(&text), Some(at));
                }
            }
        }
    }
}
