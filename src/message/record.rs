//! One field of a message in the wire format: a tag and its value.

use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::schema::WireType;

/// A value as it is encoded, whatever field it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A base-128 varint.
    Varint(u64),
    /// Eight bytes, little-endian.
    Fixed64(u64),
    /// Bytes with their length: a string, a message, packed numbers.
    Len(&'a [u8]),
    /// The content of a group, between its start tag and its end tag.
    Group(&'a [u8]),
    /// Four bytes, little-endian.
    Fixed32(u32),
}

impl Value<'_> {
    /// The wire type.
    #[inline]
    pub fn wire_type(&self) -> WireType {
        match self {
            Self::Varint(_) => WireType::Varint,
            Self::Fixed64(_) => WireType::Fixed64,
            Self::Len(_) => WireType::Len,
            Self::Group(_) => WireType::Start,
            Self::Fixed32(_) => WireType::Fixed32,
        }
    }
}

/// A tag and its value.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The number of the field.
    pub number: u32,
    /// The value.
    pub value: Value<'a>,
    /// The bytes of tag and value.
    pub bytes: &'a [u8],
    /// The offset of the tag from the start of the outermost message.
    pub offset: u64,
    /// The offset of the content of the value, likewise.
    pub content: u64,
}

impl<'a> Record<'a> {
    /// The content of a length-delimited value or a group; empty for a number.
    #[inline]
    pub fn payload(&self) -> &'a [u8] {
        match self.value {
            Value::Len(bytes) | Value::Group(bytes) => bytes,
            _ => &[],
        }
    }

    /// The payload as a string; empty where it is not UTF-8.
    #[inline]
    pub fn text(&self) -> &'a str {
        str::from_utf8(self.payload()).unwrap_or_default()
    }

    /// The bytes of the value, without its tag.
    pub(super) fn encoded_value(&self) -> &'a [u8] {
        let tag = usize::try_from(self.content - self.offset).unwrap_or_default();
        self.bytes.get(tag..).unwrap_or_default()
    }

    /// The value as an `int64`.
    ///
    /// # Errors
    /// If it has another wire type; the error names `what` and the byte, as those of the functions below do.
    pub(crate) fn int64(&self, what: &'static str) -> Result<i64> {
        match self.value {
            Value::Varint(bits) => Ok(bits.cast_signed()),
            _ => Err(self.mistyped(what, "a varint")),
        }
    }

    /// The value as an `int32` or an enum: the low bits of larger numbers, as protobuf reads them.
    pub(crate) fn int32(&self, what: &'static str) -> Result<i32> {
        self.int64(what).map(|bits| varint::int32(bits.cast_unsigned()))
    }

    /// The value as a `fixed32`.
    pub(crate) fn fixed32(&self, what: &'static str) -> Result<u32> {
        match self.value {
            Value::Fixed32(bits) => Ok(bits),
            _ => Err(self.mistyped(what, "4 fixed bytes")),
        }
    }

    /// The value as `bytes` or a `string`.
    pub(crate) fn len_delimited(&self, what: &'static str) -> Result<&'a [u8]> {
        match self.value {
            Value::Len(bytes) => Ok(bytes),
            _ => Err(self.mistyped(what, "length-delimited bytes")),
        }
    }

    #[cold]
    fn mistyped(&self, what: &'static str, expected: &'static str) -> Error {
        let found = match self.value {
            Value::Varint(_) => "a varint",
            Value::Fixed64(_) => "8 fixed bytes",
            Value::Len(_) => "length-delimited bytes",
            Value::Group(_) => "a group",
            Value::Fixed32(_) => "4 fixed bytes",
        };
        Error::unexpected(what, found, expected).at(self.offset)
    }

    /// Whether tag, length and varint take no more bytes than they must.
    #[inline]
    pub(super) fn is_shortest(&self) -> bool {
        let tag = || varint::len(u64::from(self.number) << 3);
        // The tag, and the length where there is one.
        let before = self.content - self.offset;
        match self.value {
            Value::Varint(_) if self.bytes.len() == 2 => true,
            Value::Varint(bits) => {
                let len = varint::len(bits);
                // The last of ten bytes may hold bits that are lost.
                let is_whole = len < varint::MAX_LEN || self.bytes.last() == Some(&1);
                self.bytes.len() == tag() + len && is_whole
            }
            Value::Len(_) if before == 2 => true,
            Value::Len(bytes) => before == (tag() + varint::len(bytes.len() as u64)) as u64,
            Value::Group(bytes) => self.bytes.len() == tag() + bytes.len() + tag(),
            Value::Fixed64(_) | Value::Fixed32(_) => before == tag() as u64,
        }
    }
}
