//! Walks the value of a table entry to the elements of a slice.

use std::sync::Arc;

use crate::bytes::Stream;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::schema::field::{saved_slice, saved_tensor_slices};
use crate::tensor::{DType, Shape};

use super::super::proto;
use super::table_file::{ListedSlice, TableFile};

/// A slice, which in most cases is the whole tensor.
#[derive(Debug)]
pub(super) struct SliceSource {
    pub(super) file: Arc<TableFile>,
    /// The number of the slice in the file's list of slices.
    pub(super) number: usize,
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    /// See [`TensorSource::stored_at`].
    pub(super) stored_at: (u32, u64),
}

impl SliceSource {
    pub(super) fn new(
        file: Arc<TableFile>,
        location: SliceLocation,
        dtype: DType,
        shape: Shape,
    ) -> Self {
        Self {
            file,
            number: location.number,
            dtype,
            shape,
            stored_at: (location.file, location.listed),
        }
    }
}

/// The location of a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceLocation {
    /// The number of its file.
    pub(super) file: u32,
    /// The number of slices that the file lists before this one.
    pub(super) listed: u64,
    /// The number of the slice in the file's list of slices.
    pub(super) number: usize,
}

/// Walks the fields with the elements of a slice:
/// `SavedTensorSlices { data: SavedSlice { name, slice, data: TensorProto } }`.
pub(super) struct Walk<'a> {
    pub(super) saved: &'a SliceSource,
    slice: &'a ListedSlice,
    pub(super) stream: Stream,
    /// The offsets where the enclosing messages end, outermost first.
    ends: Vec<u64>,
    named: bool,
    sliced: bool,
}

/// A field of a message.
pub(super) struct Field {
    pub(super) number: u32,
    pub(super) wire: u64,
    /// The offset of the byte after the content; for an unpacked varint, of the byte after its first one.
    pub(super) end: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(saved: &'a SliceSource) -> Result<Self> {
        let slice = saved.file.slice(saved.number)?;
        let stream = saved.file.value(saved.number)?;
        let ends = vec![stream.offset() + stream.remaining()];
        Ok(Self { saved, slice, stream, ends, named: false, sliced: false })
    }

    /// Adds the file and the current offset to an error.
    pub(super) fn locate(&self, error: Error) -> Error {
        error.at(self.stream.offset()).in_file(self.saved.file.path())
    }

    /// Reads the tag of the next field of the `TensorProto`, whose content follows in the stream; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Field>> {
        while let Some(&end) = self.ends.last() {
            if self.stream.offset() == end {
                self.ends.pop();
                continue;
            }
            let depth = self.ends.len();
            let field = self.field(end)?;
            if depth == 3 {
                return Ok(Some(field));
            }
            match (depth, field.number, field.wire) {
                (1, saved_tensor_slices::DATA, 2) | (2, saved_slice::DATA, 2) => {
                    self.ends.push(field.end)
                }
                (2, saved_slice::NAME, 2) => self.check_name(field.end)?,
                (2, saved_slice::SLICE, 2) => self.check_slice(field.end)?,
                _ => self.skip(&field)?,
            }
        }
        let found = match (self.named, self.sliced || self.slice.extents.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) => "no extents",
            (false, true) => "no name",
            (false, false) => "neither",
        };
        Err(Error::unexpected("slice", found, "a name and extents"))
    }

    /// Skips the content of `field`.
    pub(super) fn skip(&mut self, field: &Field) -> Result<()> {
        if field.wire == 0 {
            return self.stream.varint("a field").map(drop);
        }
        let len = field.end - self.stream.offset();
        self.stream.skip("a field", len)
    }

    /// Reads a tag, and the length of length-delimited content.
    fn field(&mut self, end: u64) -> Result<Field> {
        let tag = self.stream.varint("a field's tag")?;
        let wire = tag & 7;
        let len = match wire {
            0 => 1,
            1 => 8,
            2 => self.stream.varint("a field's length")?,
            5 => 4,
            _ => {
                return Err(Error::unexpected("wire type", wire, "0, 1, 2 or 5"));
            }
        };
        match end.checked_sub(self.stream.offset()) {
            Some(left) if len <= left => {}
            left => return Err(Error::truncated("a field", len, left.unwrap_or(0))),
        }
        let number = u32::try_from(tag >> 3)
            .map_err(|_| Error::unexpected("field number", tag >> 3, "1 to 2^29 - 1"))?;
        Ok(Field { number, wire, end: self.stream.offset() + len })
    }

    fn check_name(&mut self, end: u64) -> Result<()> {
        let name = self.slice.name.as_bytes();
        let len = end - self.stream.offset();
        let mut stored = vec![0; name.len().min(usize::try_from(len).unwrap_or(usize::MAX))];
        self.stream.read("name", &mut stored)?;
        if stored != name || len != name.len() as u64 {
            let found = format!("that of \"{}\"", stored.escape_ascii());
            return Err(Error::unexpected("content", found, "that of this tensor"));
        }
        self.named = true;
        Ok(())
    }

    fn check_slice(&mut self, end: u64) -> Result<()> {
        /// 254 extents of two long numbers.
        const MAX_LEN: u64 = 8 << 10;
        let base = self.stream.offset();
        let len = end - base;
        if len > MAX_LEN {
            let expected = format!("at most {MAX_LEN}");
            return Err(Error::unexpected("bytes of a slice", len, expected));
        }
        let mut stored = vec![0; usize::try_from(len).unwrap_or(0)];
        self.stream.read("slice", &mut stored)?;
        let extents =
            proto::extents(&stored, &Limits::default()).map_err(|error| error.at(base))?;
        if extents != self.slice.extents {
            let expected = format!("{:?}", self.slice.extents);
            return Err(Error::unexpected("slice", format_args!("{extents:?}"), expected));
        }
        self.sliced = true;
        Ok(())
    }
}
