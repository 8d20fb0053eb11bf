//! The protobuf wire format: a message as a row of records.
//!
//! ```text
//! record := tag: varint (number << 3 | wire type), value
//! value  := varint | 8 bytes LE | length: varint, bytes | records, end tag | 4 bytes LE
//! ```
//! Source: the protobuf encoding specification.

use super::record::{Record, Value};
use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::schema::WireType;

/// The size of the largest message, in bytes: that of protobuf.
pub const MAX_BYTES: u64 = i32::MAX as u64;

/// The maximum nesting depth of messages; the outermost message has depth 0.
pub const MAX_DEPTH: usize = 1_000;

/// The maximum nesting depth of groups in the schema. Each level scans for the end of its group again, and protobuf's
/// own readers accept no more levels.
pub const MAX_GROUPS: usize = 100;

/// Bytes of a tag: it has 32 bits.
const MAX_TAG: usize = 5;

const WIRE_TYPES: [WireType; 6] = [
    WireType::Varint,
    WireType::Fixed64,
    WireType::Len,
    WireType::Start,
    WireType::End,
    WireType::Fixed32,
];

/// Walks the records of one message, not those of the messages inside.
///
/// Ends after the first error, which names the byte.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    pos: usize,
    base: u64,
    /// The field number of the malformed record, if its tag was readable.
    broken: Option<u32>,
}

impl<'a> Records<'a> {
    /// The records of `bytes`, the first of which is at `base` in the outermost message.
    pub fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, pos: 0, base, broken: None }
    }

    /// The field number of the record that caused the error, if its tag was readable.
    pub fn broken(&self) -> Option<u32> {
        self.broken
    }

    #[inline]
    fn record(&mut self) -> Result<Record<'a>> {
        let start = self.pos;
        let (number, wire_type) = self.tag()?;
        let mut content = self.pos;
        let value = match wire_type {
            WireType::Varint => Value::Varint(self.varint("a field")?),
            WireType::Fixed64 => Value::Fixed64(u64::from_le_bytes(self.array("a field")?)),
            WireType::Len => {
                let len = self.varint("the length of a field")?;
                content = self.pos;
                Value::Len(self.take("a field", len)?)
            }
            WireType::Start => Value::Group(self.group(number)?),
            WireType::Fixed32 => Value::Fixed32(u32::from_le_bytes(self.array("a field")?)),
            WireType::End => {
                let found = format!("the end of group {number}");
                let error = Error::unexpected(
                    "a field's tag",
                    found,
                    "the start of a group before its end",
                );
                return Err(error.at(self.base + start as u64));
            }
        };
        let bytes = self.bytes.get(start..self.pos).unwrap_or_default();
        let (offset, content) = (self.base + start as u64, self.base + content as u64);
        Ok(Record { number, value, bytes, offset, content })
    }

    #[inline]
    fn tag(&mut self) -> Result<(u32, WireType)> {
        // Nearly all tags are one byte.
        if let Some(&byte @ 8..0x80) = self.bytes.get(self.pos)
            && let Some(&wire_type) = WIRE_TYPES.get(usize::from(byte & 7))
        {
            self.pos += 1;
            return Ok((u32::from(byte >> 3), wire_type));
        }
        self.long_tag()
    }

    #[cold]
    fn long_tag(&mut self) -> Result<(u32, WireType)> {
        let start = self.pos;
        let at = self.base + start as u64;
        let tag = self.varint("a field's tag")?;
        if self.pos - start > MAX_TAG {
            let found = format!("a varint of {} bytes", self.pos - start);
            let error = Error::unexpected("a field's tag", found, "at most 5 bytes");
            return Err(error.at(at));
        }
        let Some(&wire_type) = WIRE_TYPES.get((tag & 7) as usize) else {
            let error = Error::unexpected("wire type", tag & 7, "0 to 5");
            return Err(error.at(at));
        };
        match u32::try_from(tag >> 3) {
            Ok(number @ 1..0x2000_0000) => Ok((number, wire_type)),
            _ => {
                let expected = "1 to 536,870,911";
                Err(Error::unexpected("number of a field", tag >> 3, expected).at(at))
            }
        }
    }

    #[inline]
    fn varint(&mut self, what: &'static str) -> Result<u64> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        match varint::read(rest).or_else(|| overlong(rest)) {
            Some((value, len)) => {
                self.pos += len;
                Ok(value)
            }
            None => Err(self.no_varint(what, rest)),
        }
    }

    #[cold]
    fn no_varint(&self, what: &'static str, rest: &[u8]) -> Error {
        let error = if rest.len() < varint::MAX_LEN {
            Error::truncated(what, rest.len() as u64 + 1, rest.len() as u64)
        } else {
            Error::unexpected(what, "a varint of over 64 bits", "at most 10 bytes")
        };
        error.at(self.base + self.pos as u64)
    }

    #[inline]
    fn take(&mut self, what: &'static str, len: u64) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        match usize::try_from(len).ok().and_then(|len| rest.get(..len)) {
            Some(taken) => {
                self.pos += taken.len();
                Ok(taken)
            }
            None => {
                let error = Error::truncated(what, len, rest.len() as u64);
                Err(error.at(self.base + self.pos as u64))
            }
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let taken = self.take(what, N as u64)?;
        Ok(taken.try_into().unwrap_or([0; N]))
    }

    /// Passes over the group `number`, whose start tag was read; returns what is inside.
    fn group(&mut self, number: u32) -> Result<&'a [u8]> {
        let start = self.pos;
        let mut open = vec![number];
        loop {
            let at = self.pos;
            if at == self.bytes.len() {
                let what = "a group without an end";
                return Err(Error::truncated(what, 1, 0).at(self.base + at as u64));
            }
            match self.tag()? {
                (inner, WireType::Start) if open.len() < MAX_DEPTH => open.push(inner),
                (_, WireType::Start) => return Err(too_deep().at(self.base + at as u64)),
                (ended, WireType::End) if open.last() == Some(&ended) => {
                    open.pop();
                    if open.is_empty() {
                        return Ok(self.bytes.get(start..at).unwrap_or_default());
                    }
                }
                (ended, WireType::End) => {
                    let found = format!("the end of group {ended}");
                    let expected = format!("the end of group {}", open.last().unwrap_or(&number));
                    let error = Error::unexpected("a field's tag", found, expected);
                    return Err(error.at(self.base + at as u64));
                }
                (_, WireType::Varint) => drop(self.varint("a field")?),
                (_, WireType::Fixed64) => drop(self.take("a field", 8)?),
                (_, WireType::Fixed32) => drop(self.take("a field", 4)?),
                (_, WireType::Len) => {
                    let len = self.varint("the length of a field")?;
                    self.take("a field", len)?;
                }
            }
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.short() {
            Some(record) => Some(Ok(record)),
            // Every message ends, and most are short.
            None if self.pos == self.bytes.len() => None,
            None => Some(self.any()),
        }
    }
}

impl<'a> Records<'a> {
    /// Fast path for a tag of one byte with a varint of one byte, or with a length of one or two bytes. Leaves everything else to
    /// [`any`](Self::any), so that this function is small enough to be inlined.
    #[inline(always)]
    fn short(&mut self) -> Option<Record<'a>> {
        let rest = self.bytes.get(self.pos..)?;
        let &[tag @ 8..0x80, second, ref rest @ ..] = rest else { return None };
        let (value, content, len) = match (tag & 7, second, rest) {
            (0, 0..0x80, _) => (Value::Varint(second.into()), 1, 2),
            (2, 0..0x80, rest) => {
                (Value::Len(rest.get(..second.into())?), 2, 2 + usize::from(second))
            }
            (2, _, &[third @ 0..0x80, ref rest @ ..]) => {
                let len = usize::from(third) << 7 | usize::from(second & 0x7f);
                (Value::Len(rest.get(..len)?), 3, 3 + len)
            }
            _ => return None,
        };
        let start = self.pos;
        let bytes = self.bytes.get(start..start + len)?;
        self.pos += len;
        let offset = self.base + start as u64;
        let (number, content) = (u32::from(tag >> 3), offset + content);
        Some(Record { number, value, bytes, offset, content })
    }

    /// The next record.
    #[inline(never)]
    fn any(&mut self) -> Result<Record<'a>> {
        let start = self.pos;
        let record = self.record();
        if record.is_err() {
            self.pos = start;
            self.broken = self.tag().ok().map(|(number, _)| number);
            self.pos = self.bytes.len();
        }
        record
    }
}

/// Decodes a varint of ten bytes that overflows 64 bits; protobuf ignores the excess bits.
#[cold]
pub(super) fn overlong(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut bytes = *bytes.first_chunk::<{ varint::MAX_LEN }>()?;
    let last = bytes.last_mut().filter(|last| **last < 0x80)?;
    *last &= 1;
    varint::read(&bytes)
}

/// Messages inside messages beyond the limit.
pub(crate) fn too_deep() -> Error {
    Error::unexpected("nesting", "more", format!("at most {MAX_DEPTH} levels"))
}

impl<'a> Record<'a> {
    /// The records of the message in the value.
    pub(crate) fn message(&self, what: &'static str) -> Result<Records<'a>> {
        Ok(Records::new(self.len_delimited(what)?, self.content))
    }
}
