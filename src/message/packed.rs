//! Packed numbers.

use super::record::Value;
use super::wire::overlong;
use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::schema::{Kind, WireType};

/// An iterator over packed numbers. It ends after an error: the bytes end inside a number.
#[derive(Debug, Clone)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    wire_type: WireType,
    /// The offset of the first remaining byte.
    base: u64,
}

impl<'a> Packed<'a> {
    /// Iterates over the numbers of `kind` in `bytes`, which start at offset `base` of the outermost message.
    pub fn new(kind: Kind, bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, wire_type: kind.wire_type(), base }
    }
}

impl<'a> Iterator for Packed<'a> {
    type Item = Result<Value<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let read = match self.wire_type {
            WireType::Fixed64 => self
                .bytes
                .first_chunk()
                .map(|bytes| (Value::Fixed64(u64::from_le_bytes(*bytes)), 8)),
            WireType::Fixed32 => self
                .bytes
                .first_chunk()
                .map(|bytes| (Value::Fixed32(u32::from_le_bytes(*bytes)), 4)),
            _ => varint::read(self.bytes)
                .or_else(|| overlong(self.bytes))
                .map(|(value, len)| (Value::Varint(value), len)),
        };
        let Some((value, len)) = read else {
            let have = self.bytes.len() as u64;
            self.bytes = &[];
            return Some(Err(Error::truncated("a packed number", have + 1, have).at(self.base)));
        };
        self.bytes = self.bytes.get(len..).unwrap_or_default();
        self.base += len as u64;
        Some(Ok(value))
    }
}
