//! One slice of a V1 checkpoint: the value of a table entry, decoded while it is read.

use std::sync::Arc;

use crate::bytes::{Limits, Stream};
use crate::error::{Error, Result};
use crate::schema::field::{saved_slice, saved_tensor_slices};
use crate::tensor::{DType, Shape, TensorSource, TensorStream, ValueField};

use super::super::elements::{Elements, Framed};
use super::super::proto;
use super::table_file::{TableFile, Wanted};
use super::values::Numbers;

/// A slice, in most cases all of its tensor.
#[derive(Debug)]
pub(super) struct Saved {
    file: Arc<TableFile>,
    /// Which of the file's wanted slices.
    number: usize,
    dtype: DType,
    shape: Shape,
    /// See [`TensorSource::stored_at`].
    stored_at: (u32, u64),
}

impl Saved {
    pub(super) fn new(file: Arc<TableFile>, place: Place, dtype: DType, shape: Shape) -> Self {
        Self { file, number: place.wanted, dtype, shape, stored_at: (place.file, place.listed) }
    }

    fn place(&self, error: Error) -> Error {
        error.in_file(self.file.path())
    }
}

/// Where a slice is to be found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The number of its file.
    pub(super) file: u32,
    /// How many slices that file lists before it.
    pub(super) listed: u64,
    /// Which of the file's wanted slices it is.
    pub(super) wanted: usize,
}

impl TensorSource for Saved {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        match self.dtype.size() {
            Some(size) => self.shape.elements().saturating_mul(size as u64),
            None => self.file.value_bytes(self.number),
        }
    }

    fn stored_at(&self) -> (u32, u64) {
        self.stored_at
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        let walk = Walk::new(self)?;
        Ok(match self.dtype {
            DType::String => {
                let left = self.shape.elements();
                Box::new(Framed::new(Strings { walk, left }))
            }
            _ => Box::new(Numbers::new(walk, self.dtype, &self.shape)?),
        })
    }
}

/// Walks the fields of a slice's value that hold its elements:
/// `SavedTensorSlices { data: SavedSlice { name, slice, data: TensorProto } }`.
pub(super) struct Walk<'a> {
    saved: &'a Saved,
    wanted: &'a Wanted,
    pub(super) stream: Stream<'static>,
    /// Where the messages that we are in end, outermost first.
    ends: Vec<u64>,
    named: bool,
    sliced: bool,
}

/// Where the elements of one field lie.
pub(super) struct Piece {
    pub(super) field: u32,
    pub(super) wire: u64,
    /// The byte after it; of a varint that stands alone, which has any length, the byte after its first.
    pub(super) end: u64,
}

impl<'a> Walk<'a> {
    fn new(saved: &'a Saved) -> Result<Self> {
        let wanted = saved.file.wanted(saved.number)?;
        let stream = saved.file.value(saved.number)?;
        let ends = vec![stream.offset() + stream.remaining()];
        Ok(Self { saved, wanted, stream, ends, named: false, sliced: false })
    }

    /// Names the file in `error`, and where the walk is.
    pub(super) fn place(&self, error: Error) -> Error {
        self.saved.place(error.at(self.stream.offset()))
    }

    /// Goes to the next field of the `TensorProto`, its content being next in the stream; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Piece>> {
        while let Some(&end) = self.ends.last() {
            if self.stream.offset() == end {
                self.ends.pop();
                continue;
            }
            let depth = self.ends.len();
            let piece = self.field(end)?;
            if depth == 3 {
                return Ok(Some(piece));
            }
            match (depth, piece.field, piece.wire) {
                (1, saved_tensor_slices::DATA, 2) | (2, saved_slice::DATA, 2) => {
                    self.ends.push(piece.end)
                }
                (2, saved_slice::NAME, 2) => self.check_name(piece.end)?,
                (2, saved_slice::SLICE, 2) => self.check_slice(piece.end)?,
                _ => self.skip(&piece)?,
            }
        }
        if self.named && (self.sliced || self.wanted.extents.is_empty()) {
            return Ok(None);
        }
        Err(Error::unexpected("slice", "without its name", "name and slice must be stored"))
    }

    /// Passes over the content of `piece`.
    pub(super) fn skip(&mut self, piece: &Piece) -> Result<()> {
        if piece.wire == 0 {
            return self.stream.varint("a field").map(drop);
        }
        let len = piece.end - self.stream.offset();
        self.stream.skip("a field", len)
    }

    /// Reads a tag, and the length where there is one.
    fn field(&mut self, end: u64) -> Result<Piece> {
        let tag = self.stream.varint("a field's tag")?;
        let wire = tag & 7;
        let len = match wire {
            0 => 1,
            1 => 8,
            2 => self.stream.varint("a field's length")?,
            5 => 4,
            _ => {
                return Err(Error::unexpected("wire type", wire, "0, 1, 2 or 5 is allowed"));
            }
        };
        match end.checked_sub(self.stream.offset()) {
            Some(left) if len <= left => {}
            left => return Err(Error::truncated("a field", len, left.unwrap_or(0))),
        }
        let field = u32::try_from(tag >> 3)
            .map_err(|_| Error::unexpected("field number", tag >> 3, "1 to 2^29 - 1 is allowed"))?;
        Ok(Piece { field, wire, end: self.stream.offset() + len })
    }

    fn check_name(&mut self, end: u64) -> Result<()> {
        let name = self.wanted.name.as_bytes();
        let len = end - self.stream.offset();
        let mut stored = vec![0; name.len().min(usize::try_from(len).unwrap_or(usize::MAX))];
        self.stream.read("name", &mut stored)?;
        if stored != name || len != name.len() as u64 {
            let found = format!("of another tensor, \"{}\"", stored.escape_ascii());
            return Err(Error::unexpected("content", found, "it must be of this one"));
        }
        self.named = true;
        Ok(())
    }

    fn check_slice(&mut self, end: u64) -> Result<()> {
        /// 254 extents of two long numbers.
        const LONGEST: u64 = 8 << 10;
        let base = self.stream.offset();
        let len = end - base;
        if len > LONGEST {
            let allowed = format!("at most {LONGEST} are allowed");
            return Err(Error::unexpected("bytes of a slice", len, allowed));
        }
        let mut stored = vec![0; usize::try_from(len).unwrap_or(0)];
        self.stream.read("slice", &mut stored)?;
        let extents =
            proto::extents(&stored, &Limits::default()).map_err(|error| error.at(base))?;
        if extents != self.wanted.extents {
            let allowed = format!("it must be {:?}", self.wanted.extents);
            return Err(Error::unexpected("slice", format_args!("{extents:?}"), allowed));
        }
        self.sliced = true;
        Ok(())
    }
}

/// The elements of a string tensor.
struct Strings<'a> {
    walk: Walk<'a>,
    left: u64,
}

impl Strings<'_> {
    fn advance(&mut self) -> Result<Option<u64>> {
        while let Some(piece) = self.walk.next()? {
            if piece.field != ValueField::of(DType::String).number {
                self.walk.skip(&piece)?;
                continue;
            }
            if piece.wire != 2 {
                return Err(Error::unexpected("wire type of a string", piece.wire, "it must be 2"));
            }
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                let elements = self.walk.saved.shape.elements();
                let allowed = format!("shape {} has {elements}", self.walk.saved.shape);
                Error::unexpected("number of values", format_args!("over {elements}"), allowed)
            })?;
            return Ok(Some(piece.end - self.walk.stream.offset()));
        }
        if self.left > 0 {
            let elements = self.walk.saved.shape.elements();
            let found = elements - self.left;
            let allowed = format!("shape {} has {elements}", self.walk.saved.shape);
            return Err(Error::unexpected("number of values", found, allowed));
        }
        Ok(None)
    }
}

impl Elements for Strings<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        self.advance().map_err(|error| self.walk.place(error))
    }

    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        self.walk.stream.read("a string", out).map_err(|error| self.walk.place(error))
    }
}
