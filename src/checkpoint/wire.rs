//! The protobuf wire format, as far as the few small messages of a checkpoint's index need it.
//!
//! Decoded by hand: an index of 20,000 entries is read on every start, and the errors name the byte.

use crate::bytes::{Cursor, Limits};
use crate::error::{Error, Result};
use crate::message::Writer;
use crate::schema::WireType;
use crate::schema::field::{
    tensor_shape_proto::{self, dim},
    tensor_slice_proto::{self, extent},
    version_def,
};
use crate::tensor::Shape;

/// Walks the fields of a message.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    cursor: Cursor<'a>,
}

/// A field's value, by its wire type.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wire<'a> {
    Varint(u64),
    Fixed64,
    Bytes(&'a [u8], u64),
    Fixed32(u32),
}

/// A field: its number, its value, and where its value lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) wire: Wire<'a>,
    offset: u64,
}

impl<'a> Fields<'a> {
    /// The fields of the message `bytes`, the first of which lies at `base` in its file.
    pub(super) fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { cursor: Cursor::new(bytes, base) }
    }

    /// Where the next field lies in the file.
    pub(super) fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    /// The next field; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Field<'a>>> {
        if self.cursor.remaining() == 0 {
            return Ok(None);
        }
        let offset = self.cursor.offset();
        let tag = self.cursor.varint("a field's tag")?;
        let wire = match tag & 7 {
            0 => Wire::Varint(self.cursor.varint("a field")?),
            1 => {
                self.cursor.u64("a field")?;
                Wire::Fixed64
            }
            2 => {
                let len = self.cursor.varint("a field's length")?;
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                let base = self.cursor.offset();
                Wire::Bytes(self.cursor.take("a field", len)?, base)
            }
            5 => Wire::Fixed32(self.cursor.u32("a field")?),
            other => {
                return Err(
                    Error::unexpected("wire type", other, "0, 1, 2 or 5 is allowed").at(offset)
                );
            }
        };
        match u32::try_from(tag >> 3) {
            Ok(number @ 1..0x2000_0000) => Ok(Some(Field { number, wire, offset })),
            _ => {
                let allowed = "1 to 2^29 - 1 is allowed";
                Err(Error::unexpected("field number", tag >> 3, allowed).at(offset))
            }
        }
    }
}

impl<'a> Field<'a> {
    fn wrong(&self, what: &'static str, allowed: &'static str) -> Error {
        let found = match self.wire {
            Wire::Varint(_) => "a varint",
            Wire::Fixed64 => "8 fixed bytes",
            Wire::Bytes(..) => "length-delimited",
            Wire::Fixed32(_) => "4 fixed bytes",
        };
        Error::unexpected(what, found, allowed).at(self.offset)
    }

    /// The value as an `int64`.
    pub(super) fn int64(&self, what: &'static str) -> Result<i64> {
        match self.wire {
            Wire::Varint(value) => Ok(value.cast_signed()),
            _ => Err(self.wrong(what, "it must be a varint")),
        }
    }

    /// The value as an `int32` or enum: of larger numbers the low bits, as protobuf reads them.
    #[expect(clippy::cast_possible_truncation, reason = "protobuf truncates")]
    pub(super) fn int32(&self, what: &'static str) -> Result<i32> {
        Ok(self.int64(what)? as i32)
    }

    /// The value as a `fixed32`.
    pub(super) fn fixed32(&self, what: &'static str) -> Result<u32> {
        match self.wire {
            Wire::Fixed32(value) => Ok(value),
            _ => Err(self.wrong(what, "it must be 4 fixed bytes")),
        }
    }

    /// The value as `bytes` or `string`.
    pub(super) fn bytes(&self, what: &'static str) -> Result<&'a [u8]> {
        match self.wire {
            Wire::Bytes(bytes, _) => Ok(bytes),
            _ => Err(self.wrong(what, "it must be length-delimited")),
        }
    }

    /// The value as a message.
    pub(super) fn message(&self, what: &'static str) -> Result<Fields<'a>> {
        match self.wire {
            Wire::Bytes(bytes, base) => Ok(Fields::new(bytes, base)),
            _ => Err(self.wrong(what, "it must be a message")),
        }
    }
}

/// A box of a `TensorSliceProto`: start and length per dimension, -1 for all of it.
pub(super) type Extents = Box<[(i64, i64)]>;

/// Takes in the dimensions of a `TensorShapeProto`; of one given in parts, each adds its own.
pub(super) fn shape(mut fields: Fields<'_>, dims: &mut Vec<i64>, limits: &Limits) -> Result<()> {
    while let Some(field) = fields.next()? {
        match field.number {
            tensor_shape_proto::DIM => {
                let mut size = 0;
                let mut dim = field.message("dimension")?;
                while let Some(field) = dim.next()? {
                    if field.number == dim::SIZE {
                        size = field.int64("size of a dimension")?;
                    }
                }
                if dims.len() >= limits.rank {
                    let allowed = format!("at most {} dimensions are allowed", limits.rank);
                    return Err(Error::unexpected(
                        "rank",
                        format_args!("over {}", limits.rank),
                        allowed,
                    )
                    .at(field.offset));
                }
                dims.push(size);
            }
            tensor_shape_proto::UNKNOWN_RANK if field.int64("unknown_rank")? != 0 => {
                let allowed = "a stored tensor has a shape";
                return Err(Error::unexpected("rank", "unknown", allowed).at(field.offset));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a `TensorSliceProto`.
pub(super) fn extents(mut fields: Fields<'_>, limits: &Limits) -> Result<Extents> {
    let mut extents = Vec::new();
    while let Some(field) = fields.next()? {
        if field.number != tensor_slice_proto::EXTENT {
            continue;
        }
        if extents.len() >= limits.rank {
            let allowed = format!("at most {} dimensions are allowed", limits.rank);
            return Err(Error::unexpected(
                "rank of a slice",
                format_args!("over {}", limits.rank),
                allowed,
            )
            .at(field.offset));
        }
        let (mut start, mut len) = (0, -1);
        let mut extent = field.message("extent of a slice")?;
        while let Some(field) = extent.next()? {
            match field.number {
                extent::START => start = field.int64("start of a slice")?,
                extent::LENGTH => len = field.int64("length of a slice")?,
                _ => {}
            }
        }
        extents.push((start, len));
    }
    Ok(extents.into())
}

/// Writes an integer that is not negative; nothing where it is 0.
pub(super) fn write_uint(number: u32, value: u64, out: &mut Writer) {
    if value != 0 {
        out.tag(number, WireType::Varint);
        out.varint(value);
    }
}

/// Writes a message.
pub(super) fn write_message(number: u32, out: &mut Writer, content: impl FnOnce(&mut Writer)) {
    out.tag(number, WireType::Len);
    out.open();
    content(out);
    out.close();
}

/// Writes a `TensorShapeProto`.
pub(super) fn write_shape(number: u32, shape: &Shape, out: &mut Writer) {
    write_message(number, out, |out| {
        for &dim in shape.dims() {
            write_message(tensor_shape_proto::DIM, out, |out| write_uint(dim::SIZE, dim, out));
        }
    });
}

/// Writes a `TensorSliceProto`.
pub(super) fn write_slice(number: u32, extents: &[(i64, i64)], out: &mut Writer) {
    write_message(number, out, |out| {
        for &(start, len) in extents {
            write_message(tensor_slice_proto::EXTENT, out, |out| {
                write_uint(extent::START, start.cast_unsigned(), out);
                // Its being there says that it is no whole dimension, so a 0 is written, too.
                if len >= 0 {
                    out.tag(extent::LENGTH, WireType::Varint);
                    out.varint(len.cast_unsigned());
                }
            });
        }
    });
}

/// Writes the `VersionDef` of what we write: as TensorFlow does, version 1.
pub(super) fn write_versions(number: u32, out: &mut Writer) {
    write_message(number, out, |out| write_uint(version_def::PRODUCER, 1, out));
}

/// Checks a `VersionDef` against what we read: as TensorFlow does, version 1.
pub(super) fn check_versions(mut fields: Fields<'_>) -> Result<()> {
    const OURS: i32 = 1;
    while let Some(field) = fields.next()? {
        let refused = match field.number {
            version_def::PRODUCER if field.int32("producer")? < 0 => {
                let found = field.int32("producer")?;
                Error::unexpected("version of the writer", found, "at least 0 is read")
            }
            version_def::MIN_CONSUMER if field.int32("min_consumer")? > OURS => {
                let found = field.int32("min_consumer")?;
                Error::unexpected("version a reader must have", found, "this reader has 1")
            }
            version_def::BAD_CONSUMERS if bad_consumers(&field)?.contains(&OURS) => {
                Error::unexpected("bad_consumers", OURS, "this reader has version 1")
            }
            _ => continue,
        };
        return Err(refused.at(field.offset));
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "protobuf truncates")]
fn bad_consumers(field: &Field<'_>) -> Result<Vec<i32>> {
    let Wire::Bytes(bytes, base) = field.wire else {
        return Ok(vec![field.int32("bad_consumers")?]);
    };
    let mut cursor = Cursor::new(bytes, base);
    let mut versions = Vec::new();
    while cursor.remaining() > 0 {
        versions.push(cursor.varint("bad_consumers")? as i32);
    }
    Ok(versions)
}

/// The shape of these dimensions.
pub(super) fn finish_shape(dims: &[i64], offset: u64) -> Result<Shape> {
    Shape::new(dims).map_err(|error| error.at(offset))
}

/// How many bytes the keys of a table of `file_bytes` may have together.
///
/// A key is stored without what it shares with the one before. This is far more than that saves of real names, and keeps
/// a small file from making gigabytes of them.
pub(super) fn key_bytes(file_bytes: u64) -> u64 {
    (1 << 20) + file_bytes.saturating_mul(16)
}
