//! The `*_val` lists of a `TensorProto`, decoded to little-endian numbers while they are read.

use crate::bytes::varint;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::field::tensor_proto;
use crate::tensor::{Coding, DType, Shape, TensorStream, ValueField};

use super::saved::{Piece, Walk};

/// Where the numbers of `dtype` are; `None` where V1 has no list for them.
fn field_of(dtype: DType) -> Option<ValueField> {
    let field = ValueField::of(dtype);
    (!matches!(field.coding, Coding::Bytes | Coding::Each)).then_some(field)
}

/// The wire type of a value that stands alone.
fn wire(field: ValueField) -> u64 {
    match (field.coding, field.bytes) {
        (Coding::Fixed, 4) => 5,
        (Coding::Fixed, _) => 1,
        _ => 0,
    }
}

/// Decodes one varint, which must be in the range of its type.
fn decode(field: ValueField, value: u64) -> Result<[u8; 8]> {
    let signed = value.cast_signed();
    match field.coding {
        Coding::Varint { min, max } if !(min..=max).contains(&signed) => {
            Err(Error::unexpected("value", signed, format!("{min} to {max} is allowed")))
        }
        Coding::Bool => Ok(u64::from(value != 0).to_le_bytes()),
        _ => Ok(value.to_le_bytes()),
    }
}

/// Checks that V1 checkpoints hold tensors of this type.
pub(super) fn supported(dtype: DType) -> Result<()> {
    if dtype == DType::String || field_of(dtype).is_some() {
        return Ok(());
    }
    Err(ErrorKind::Unsupported(format!("{dtype} in a V1 checkpoint is not read")).into())
}

/// Content of fixed-width elements.
pub(super) struct Numbers<'a> {
    walk: Walk<'a>,
    field: ValueField,
    piece: Option<(Piece, ValueField)>,
    /// Numbers still to come.
    left: u64,
    total: u64,
    /// Which of the two ways to store content was met: `tensor_content` or the list.
    met: Option<u32>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(walk: Walk<'a>, dtype: DType, shape: &Shape) -> Result<Self> {
        supported(dtype)?;
        let field = field_of(dtype).ok_or_else(|| {
            Error::unexpected("type", dtype, "elements of fixed width are needed")
        })?;
        let per_element = dtype.size().unwrap_or(field.bytes) / field.bytes;
        // Each number is at least a byte, so what is left of the value bounds them.
        let total = shape.elements().saturating_mul(per_element as u64);
        let have = walk.stream.remaining();
        if total > have {
            let error = Error::truncated("the list of values", total, have);
            return Err(walk.place(error));
        }
        Ok(Self { walk, field, piece: None, left: total, total, met: None })
    }

    /// The next field that holds values, or `None` after the last, when all are there.
    fn advance(&mut self) -> Result<bool> {
        while let Some(piece) = self.walk.next()? {
            let packed = piece.wire == 2;
            let as_is = ValueField { coding: Coding::Fixed, ..self.field };
            let field = match piece.field {
                number if number == self.field.number => self.field,
                tensor_proto::TENSOR_CONTENT if packed => as_is,
                _ => {
                    self.walk.skip(&piece)?;
                    continue;
                }
            };
            if !packed && piece.wire != wire(field) {
                let allowed = format!("2 or {} is allowed", wire(field));
                return Err(Error::unexpected("wire type of values", piece.wire, allowed));
            }
            let len = piece.end - self.walk.stream.offset();
            if field.coding == Coding::Fixed && !len.is_multiple_of(field.bytes as u64) {
                let allowed = format!("each value has {}", field.bytes);
                return Err(Error::unexpected("bytes of values", len, allowed));
            }
            if len > 0 && self.met.replace(piece.field).is_some_and(|met| met != piece.field) {
                let allowed = "one is enough";
                return Err(Error::unexpected("content", "in a list and as bytes", allowed));
            }
            self.piece = Some((piece, field));
            return Ok(true);
        }
        if self.left > 0 {
            return Err(self.wrong_count(self.total - self.left));
        }
        Ok(false)
    }

    fn too_many(&self) -> Error {
        self.wrong_count(format_args!("over {}", self.total))
    }

    fn wrong_count(&self, found: impl std::fmt::Display) -> Error {
        Error::unexpected("number of values", found, format!("{} are needed", self.total))
    }

    /// Decodes into `out`, which takes whole numbers, what the piece has; returns the bytes.
    fn decode(&mut self, out: &mut [u8]) -> Result<usize> {
        let Some((piece, field)) = &self.piece else {
            return Ok(0);
        };
        let (end, field, alone) = (piece.end, *field, piece.wire == 0);
        let room = out.len() / field.bytes;
        let stream = &mut self.walk.stream;
        if field.coding == Coding::Fixed {
            let have = end - stream.offset();
            let len = usize::try_from(have).unwrap_or(usize::MAX).min(room * field.bytes);
            let count = (len / field.bytes) as u64;
            self.left = self.left.checked_sub(count).ok_or_else(|| self.too_many())?;
            self.walk.stream.read("values", out.get_mut(..len).unwrap_or_default())?;
            return Ok(len);
        }
        let mut written = 0;
        for slot in out.chunks_exact_mut(field.bytes) {
            if stream.offset() >= end {
                break;
            }
            let (value, len) = match varint::read(stream.fill()?) {
                Some(read) => read,
                None => (stream.varint("a value")?, 0),
            };
            stream.consume(len);
            if stream.offset() > end && !alone {
                return Err(Error::unexpected("value", "past the end", "it must end in its list"));
            }
            let bytes = decode(field, value)?;
            slot.copy_from_slice(bytes.get(..field.bytes).unwrap_or(&[]));
            written += field.bytes;
        }
        let count = (written / field.bytes) as u64;
        self.left = self.left.checked_sub(count).ok_or_else(|| self.too_many())?;
        Ok(written)
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut written = 0;
        loop {
            let rest = out.get_mut(written..).unwrap_or_default();
            if rest.len() < self.field.bytes {
                return Ok(written);
            }
            if self.piece.is_none() && !self.advance()? {
                return Ok(written);
            }
            written += self.decode(rest)?;
            let at_end = |(piece, _): &(Piece, ValueField)| self.walk.stream.offset() >= piece.end;
            if self.piece.as_ref().is_none_or(at_end) {
                self.piece = None;
            }
        }
    }
}

impl TensorStream for Numbers<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        self.fill(out).map_err(|error| self.walk.place(error))
    }
}
