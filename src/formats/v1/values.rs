//! The `*_val` lists of a `TensorProto`, decoded to little-endian numbers while they are read.

use crate::bytes::varint;
use crate::error::{Error, Result};
use crate::schema::field::tensor_proto;
use crate::tensor::{Coding, DType, Shape, TensorStream, ValueField};

use super::walk::{Field, Walk};

/// The field with numbers of type `dtype`; `None` if V1 has no list for them.
fn field_of(dtype: DType) -> Option<ValueField> {
    let field = ValueField::of(dtype);
    (!matches!(field.coding, Coding::Bytes | Coding::Each)).then_some(field)
}

/// The wire type of an unpacked value.
fn wire(field: ValueField) -> u64 {
    match (field.coding, field.bytes) {
        (Coding::Fixed, 4) => 5,
        (Coding::Fixed, _) => 1,
        _ => 0,
    }
}

/// Decodes a varint, and checks the range of its type.
fn decode(field: ValueField, value: u64) -> Result<[u8; 8]> {
    let signed = value.cast_signed();
    match field.coding {
        Coding::Varint { min, max } if !(min..=max).contains(&signed) => {
            Err(Error::unexpected("value", signed, format!("{min} to {max}")))
        }
        Coding::Bool => Ok(u64::from(value != 0).to_le_bytes()),
        _ => Ok(value.to_le_bytes()),
    }
}

/// Checks that V1 checkpoints can have tensors of this type.
pub(super) fn supported(dtype: DType) -> Result<()> {
    if dtype == DType::String || field_of(dtype).is_some() {
        return Ok(());
    }
    Err(Error::unsupported(format!("{dtype} in a V1 checkpoint is not read")))
}

/// Content of fixed-width elements.
pub(super) struct Numbers<'a> {
    walk: Walk<'a>,
    field: ValueField,
    list: Option<(Field, ValueField)>,
    /// The number of values that are left.
    left: u64,
    total: u64,
    /// The field that was found first: `tensor_content` or the list of values.
    found: Option<u32>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(walk: Walk<'a>, dtype: DType, shape: &Shape) -> Result<Self> {
        supported(dtype)?;
        let field = field_of(dtype)
            .ok_or_else(|| Error::unexpected("dtype", dtype, "a dtype of fixed width"))?;
        let per_element = dtype.size().unwrap_or(field.bytes) / field.bytes;
        // Each number takes at least a byte, so the rest of the value bounds the total.
        let total = shape.elements().saturating_mul(per_element as u64);
        let have = walk.stream.remaining();
        if total > have {
            let error = Error::truncated("the list of values", total, have);
            return Err(walk.locate(error));
        }
        Ok(Self { walk, field, list: None, left: total, total, found: None })
    }

    /// Goes to the next field with values. Returns false after the last, once all values were found.
    fn advance(&mut self) -> Result<bool> {
        while let Some(list) = self.walk.next()? {
            let packed = list.wire == 2;
            let as_is = ValueField { coding: Coding::Fixed, ..self.field };
            let field = match list.number {
                number if number == self.field.number => self.field,
                tensor_proto::TENSOR_CONTENT if packed => as_is,
                _ => {
                    self.walk.skip(&list)?;
                    continue;
                }
            };
            if !packed && list.wire != wire(field) {
                let expected = format!("2 or {}", wire(field));
                return Err(Error::unexpected("wire type of values", list.wire, expected));
            }
            let len = list.end - self.walk.stream.offset();
            if field.coding == Coding::Fixed && !len.is_multiple_of(field.bytes as u64) {
                let expected = format!("a multiple of {}", field.bytes);
                return Err(Error::unexpected("bytes of values", len, expected));
            }
            if len > 0 && self.found.replace(list.number).is_some_and(|found| found != list.number)
            {
                let expected = "a list of values or bytes";
                return Err(Error::unexpected("content", "a list and bytes", expected));
            }
            self.list = Some((list, field));
            return Ok(true);
        }
        if self.left > 0 {
            return Err(self.wrong_count(self.total - self.left));
        }
        Ok(false)
    }

    fn too_many(&self) -> Error {
        self.wrong_count("more")
    }

    fn wrong_count(&self, found: impl std::fmt::Display) -> Error {
        Error::unexpected("number of values", found, self.total)
    }

    /// Decodes whole numbers of the list into `out`. Returns the number of bytes.
    fn decode(&mut self, out: &mut [u8]) -> Result<usize> {
        let Some((list, field)) = &self.list else {
            return Ok(0);
        };
        let (end, field, unpacked) = (list.end, *field, list.wire == 0);
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
            if stream.offset() > end && !unpacked {
                return Err(Error::unexpected(
                    "value",
                    "one that ends after its list",
                    "one that ends in its list",
                ));
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
            if self.list.is_none() && !self.advance()? {
                return Ok(written);
            }
            written += self.decode(rest)?;
            let at_end = |(list, _): &(Field, ValueField)| self.walk.stream.offset() >= list.end;
            if self.list.as_ref().is_none_or(at_end) {
                self.list = None;
            }
        }
    }
}

impl TensorStream for Numbers<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        self.fill(out).map_err(|error| self.walk.locate(error))
    }
}
