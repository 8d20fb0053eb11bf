//! A writer of wire bytes that fills in the lengths of nested messages at the end.
//!
//! Each length gets one byte at first. Longer lengths are recorded, and a final pass from the back makes room for them, in
//! place and in linear time.

use crate::bytes::varint;
use crate::schema::WireType;

/// A buffer for a message under construction.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// The lengths of more than one byte, in the order in which their messages were closed.
    long: Vec<Long>,
    /// The number of bytes that the long lengths need beyond their reserved byte.
    missing: usize,
    open: Vec<Open>,
}

/// A length that does not fit its reserved byte.
#[derive(Debug, Clone, Copy)]
struct Long {
    at: usize,
    len: usize,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    /// The offset of the reserved byte.
    at: usize,
    missing: usize,
}

impl Writer {
    /// Writes a tag.
    #[inline]
    pub fn tag(&mut self, number: u32, wire_type: WireType) {
        varint::write(u64::from(number) << 3 | wire_type as u64, &mut self.bytes);
    }

    /// Writes a varint.
    #[inline]
    pub fn varint(&mut self, value: u64) {
        varint::write(value, &mut self.bytes);
    }

    /// Writes raw bytes.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes bytes with a length prefix.
    #[inline]
    pub fn len_prefixed(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.raw(bytes);
    }

    /// Writes a length-delimited field.
    pub fn put_bytes(&mut self, number: u32, content: &[u8]) {
        self.tag(number, WireType::Len);
        self.len_prefixed(content);
    }

    /// Writes a field that is a varint.
    pub fn put_varint(&mut self, number: u32, value: u64) {
        self.tag(number, WireType::Varint);
        self.varint(value);
    }

    /// Writes a field that is a message, whose content `content` writes.
    pub fn put_message<T>(&mut self, number: u32, content: impl FnOnce(&mut Self) -> T) -> T {
        self.begin(number);
        let result = content(self);
        self.close();
        result
    }

    /// Opens a length-delimited field, which [`close`](Self::close) ends.
    #[inline]
    pub fn begin(&mut self, number: u32) {
        self.tag(number, WireType::Len);
        self.open();
    }

    /// Opens a length-delimited value: a message, packed numbers, or a string written in parts.
    #[inline]
    pub fn open(&mut self) {
        self.open.push(Open { at: self.bytes.len(), missing: self.missing });
        self.bytes.push(0);
    }

    /// Closes the innermost open value; returns its length in bytes.
    #[inline]
    pub fn close(&mut self) -> usize {
        let Some(open) = self.open.pop() else { return 0 };
        let len = self.bytes.len() - open.at - 1 + (self.missing - open.missing);
        if let Ok(short) = u8::try_from(len)
            && short < 0x80
        {
            if let Some(kept) = self.bytes.get_mut(open.at) {
                *kept = short;
            }
        } else {
            self.long.push(Long { at: open.at, len });
            self.missing += varint::len(len as u64) - 1;
        }
        len
    }

    /// The number of bytes written, counting each length as one byte.
    pub fn position(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes written since [`position`](Self::position) was `start`, if no value was closed since.
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        self.bytes.get(start..).unwrap_or_default()
    }

    /// The underlying buffer, for appending.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Removes everything after `position`. No value opened there may have been closed with a long length.
    pub fn truncate(&mut self, position: usize) {
        self.bytes.truncate(position);
        while let Some(long) = self.long.pop_if(|long| long.at >= position) {
            self.missing -= varint::len(long.len as u64) - 1;
        }
    }

    /// Appends `bytes`, taking over their buffer if that saves a copy.
    pub(crate) fn absorb(&mut self, mut bytes: Vec<u8>) {
        if self.bytes.len() < bytes.len() / 8 {
            bytes.splice(..0, self.bytes.drain(..));
            self.bytes = bytes;
        } else {
            self.bytes.extend_from_slice(&bytes);
        }
    }

    /// Appends the output of another writer, which must have no open value.
    pub fn append(&mut self, other: &Self) {
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.long.extend(other.long.iter().map(|long| Long { at: base + long.at, ..*long }));
        self.missing += other.missing;
    }

    /// Fills in all lengths and returns the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.long.sort_unstable_by_key(|long| long.at);
        let mut end = self.bytes.len();
        self.bytes.resize(end + self.missing, 0);
        let mut shift = self.missing;
        let mut length = Vec::with_capacity(varint::MAX_LEN);
        for long in self.long.iter().rev() {
            let start = long.at + 1;
            self.bytes.copy_within(start..end, start + shift);
            length.clear();
            varint::write(long.len as u64, &mut length);
            // The reserved byte is the first byte of the length.
            shift -= length.len() - 1;
            if let Some(place) =
                self.bytes.get_mut(long.at + shift..start + shift + length.len() - 1)
            {
                place.copy_from_slice(&length);
            }
            end = long.at;
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nested messages of every size around the places where a length grows.
    #[test]
    fn lengths_of_all_sizes_come_out_right() {
        for inner in [0, 1, 120, 126, 127, 128, 129, 16_380, 16_383, 16_384, 3_000_000] {
            let mut writer = Writer::default();
            let mut expected = vec![7; inner];
            writer.raw(b"head");
            for _ in 0..5 {
                writer.open();
            }
            writer.raw(&vec![7; inner]);
            for _ in 0..5 {
                writer.close();
                let mut message = Vec::new();
                varint::write(expected.len() as u64, &mut message);
                message.extend(&expected);
                message.extend(b"tail");
                writer.raw(b"tail");
                expected = message;
            }
            let mut twice = Writer::default();
            twice.append(&writer);
            twice.append(&writer);
            let expected = [b"head".as_slice(), &expected].concat();
            assert_eq!(twice.finish(), [expected.as_slice(), &expected].concat());
            assert_eq!(writer.finish(), expected);
        }
    }
}
