//! A tensor that is assembled from its slices while it is read.
//!
//! The row-major order of the tensor is also the row-major order of each slice, so every slice is read once, from start to end,
//! with a small buffer.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tensor::{
    BufferedStream, DType, Sections, Shape, Slice, StoredChecksums, Tensor, TensorSource,
    TensorStream, cut, framing,
};

use super::ranges::{Range, RangeWalk};

/// The size of the buffers of one tensor's slices together.
const BUFFERS: usize = 4 << 20;
/// Ranges of at least this size need no buffer.
const LONG_RANGE: u64 = 4096;
/// What an error calls the content that is not read yet.
const REST: &str = "the rest of a slice";

/// One slice of a tensor, with its content.
#[derive(Debug)]
pub(crate) struct StoredSlice {
    /// The position in the whole tensor.
    pub(crate) slice: Slice,
    /// The content, which has the shape of the slice.
    pub(crate) source: Box<dyn TensorSource>,
}

/// A tensor in several slices.
#[derive(Debug)]
pub(crate) struct Partitioned {
    dtype: DType,
    shape: Shape,
    parts: Vec<StoredSlice>,
    /// The file that lists the slices.
    file: PathBuf,
}

impl Partitioned {
    /// A tensor with these slices of type `dtype`, which `file` lists.
    pub(crate) fn new(
        dtype: DType,
        shape: Shape,
        mut parts: Vec<StoredSlice>,
        file: PathBuf,
    ) -> Self {
        parts.sort_by(|a, b| a.slice.extents().cmp(b.slice.extents()));
        Self { dtype, shape, parts, file }
    }

    /// Checks that the slices can be assembled to the tensor.
    ///
    /// # Errors
    /// If the slices have more or fewer elements than the tensor. Overlaps are found while the tensor is read.
    pub(crate) fn check(&self) -> Result<()> {
        let counts = self.parts.iter().map(|part| part.slice.shape().elements());
        let elements = counts.fold(0, u64::saturating_add);
        if elements == self.shape.elements() {
            return Ok(());
        }
        let in_file = |error: Error| error.in_file(&self.file);
        let mut walk = RangeWalk::new(self.parts.iter().map(|part| &part.slice), &self.shape);
        // This finds most gaps, in time linear in the number of slices.
        for _ in 0..16 * self.parts.len() {
            if walk.next().map_err(in_file)?.is_none() {
                break;
            }
        }
        let expected = format!("{}, as shape {} has", self.shape.elements(), self.shape);
        Err(in_file(Error::unexpected("number of elements in all slices", elements, expected)))
    }

    /// The slices, in the order of their positions.
    pub(super) fn parts(&self) -> &[StoredSlice] {
        &self.parts
    }

    /// The file that lists the slices.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// The number of slices.
    pub(crate) fn count(&self) -> usize {
        self.parts.len()
    }

    /// Whether the slices have all elements of `wanted`. Linear in the number of slices.
    pub(crate) fn covers(&self, wanted: &Slice) -> bool {
        let inside = self.parts.iter().filter_map(|part| part.slice.intersection(wanted));
        let count = inside.map(|slice| slice.shape().elements()).fold(0, u64::saturating_add);
        count >= wanted.shape().elements()
    }

    /// The size of all slices with elements of `wanted`, in bytes.
    pub(crate) fn stored_bytes_of(&self, wanted: &Slice) -> u64 {
        let parts = self.parts.iter().filter(|part| part.slice.intersection(wanted).is_some());
        parts.map(|part| part.source.stored_bytes()).fold(0, u64::saturating_add)
    }

    /// Reads the elements of `wanted` from the slices that have some of them.
    ///
    /// # Errors
    /// If the slices do not have all of it, overlap inside it, or cannot be read.
    pub(crate) fn read_slice(&self, wanted: &Slice, limits: &Limits) -> Result<Tensor> {
        if !self.covers(wanted) {
            let kind = format!("the checkpoint does not have all of slice {wanted}");
            return Err(Error::not_found(kind).in_file(&self.file));
        }
        let mut parts = Vec::new();
        for part in &self.parts {
            let Some(inside) = part.slice.intersection(wanted) else { continue };
            let stored = Tensor::read(&*part.source, limits)?;
            let offsets = cut::offsets(&stored).unwrap_or_default();
            let content = cut::cut(&stored, &offsets, &inside.within(&part.slice)?)?;
            parts.push(StoredSlice { slice: inside.within(wanted)?, source: Box::new(content) });
        }
        let shape = wanted.shape().clone();
        let found = Self::new(self.dtype, shape, parts, self.file.clone());
        found.check()?;
        Tensor::read(&found, limits)
    }
}

impl TensorSource for Partitioned {
    fn dtype(&self) -> DType {
        self.dtype
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn stored_bytes(&self) -> u64 {
        self.parts.iter().fold(0, |n, part| n.saturating_add(part.source.stored_bytes()))
    }

    fn sections(&self) -> Option<&dyn Sections> {
        self.parts.iter().all(|part| part.source.sections().is_some()).then_some(self)
    }

    fn stored_checksums(&self) -> Option<StoredChecksums> {
        let mut whole = StoredChecksums::default();
        for part in &self.parts {
            let of_part = part.source.stored_checksums()?;
            for &(start, len) in part.slice.extents() {
                whole.layout.extend(start.to_le_bytes());
                whole.layout.extend(len.to_le_bytes());
            }
            whole.layout.extend(of_part.layout);
            whole.checksums.extend(of_part.checksums);
        }
        Some(whole)
    }

    fn slices(&self) -> Vec<(&Slice, &dyn TensorSource)> {
        self.parts.iter().map(|part| (&part.slice, &*part.source)).collect()
    }

    fn slice(&self, slice: &Slice) -> Option<&dyn TensorSource> {
        let by_place = |part: &StoredSlice| part.slice.extents().cmp(slice.extents());
        let at = self.parts.binary_search_by(by_place).ok()?;
        self.parts.get(at).map(|part| &*part.source)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        let short = self.parts.iter().filter(|part| {
            let range = part.slice.extents().last().map_or(1, |&(_, len)| len);
            let size = self.dtype.size().map_or(0, |size| size as u64);
            range.saturating_mul(size) < LONG_RANGE
        });
        let buffer = (BUFFERS / short.count().max(1)).clamp(512, 64 << 10) / 16 * 16;
        Ok(Box::new(Assembly {
            parts: &self.parts,
            file: &self.file,
            element: self.dtype.size(),
            walk: RangeWalk::new(self.parts.iter().map(|part| &part.slice), &self.shape),
            readers: self.parts.iter().map(|_| None).collect(),
            current: None,
            buffer,
            done: false,
        }))
    }
}

/// Reads a tensor from its slices.
struct Assembly<'a> {
    parts: &'a [StoredSlice],
    file: &'a Path,
    /// The size of an element; `None` for elements of variable length.
    element: Option<usize>,
    walk: RangeWalk<'a>,
    /// A reader for each slice that was begun and not finished.
    readers: Vec<Option<Reader<'a>>>,
    current: Option<Range>,
    buffer: usize,
    done: bool,
}

impl TensorStream for Assembly<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut written = 0;
        while !self.done {
            let Some(rest) = out.get_mut(written..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            match &mut self.current {
                Some(range) => {
                    let reader = reader(&mut self.readers, self.parts, range.slice, self.buffer)?;
                    let read = reader.read(rest, &mut range.elements, self.element)?;
                    written += read;
                    if range.elements == 0 && reader.element_left == 0 {
                        if range.last {
                            reader.finish()?;
                            let part = range.slice;
                            self.readers.get_mut(part).map(Option::take);
                        }
                        self.current = None;
                    } else if read == 0 {
                        // The rest of `out` has no room for a whole element.
                        break;
                    }
                }
                None => match self.walk.next().map_err(|error| error.in_file(self.file))? {
                    Some(range) => self.current = Some(range),
                    None => {
                        self.verify_empty()?;
                        self.done = true;
                    }
                },
            }
        }
        Ok(written)
    }
}

impl Assembly<'_> {
    /// Verifies slices without elements, which have checksums too.
    fn verify_empty(&self) -> Result<()> {
        for part in self.parts.iter().filter(|part| part.slice.shape().elements() == 0) {
            Reader::new(&*part.source, 0)?.finish()?;
        }
        Ok(())
    }
}

fn reader<'r, 'a>(
    readers: &'r mut [Option<Reader<'a>>],
    parts: &'a [StoredSlice],
    part: usize,
    buffer: usize,
) -> Result<&'r mut Reader<'a>> {
    let lost = || Error::truncated("slices", part as u64 + 1, parts.len() as u64);
    let slot = readers.get_mut(part).ok_or_else(lost)?;
    match slot {
        Some(reader) => Ok(reader),
        None => {
            let source = &*parts.get(part).ok_or_else(lost)?.source;
            Ok(slot.insert(Reader::new(source, buffer)?))
        }
    }
}

/// Reads one slice.
struct Reader<'a> {
    stream: BufferedStream<'a>,
    /// The bytes that are left of an element of variable length, with its framing.
    element_left: u64,
}

impl<'a> Reader<'a> {
    fn new(source: &'a dyn TensorSource, capacity: usize) -> Result<Self> {
        let stream = BufferedStream::new(source.stream()?, capacity);
        Ok(Self { stream, element_left: 0 })
    }

    /// Fills `out` with up to `elements` elements, and subtracts them. Returns the number of bytes.
    fn read(&mut self, out: &mut [u8], elements: &mut u64, size: Option<usize>) -> Result<usize> {
        let Some(size) = size else {
            return self.read_framed(out, elements);
        };
        let fitting = (out.len() / size) as u64;
        let count = fitting.min(*elements);
        // At most `out.len()`.
        let len = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size);
        let range_bytes = elements.saturating_mul(size as u64);
        self.copy(out.get_mut(..len).unwrap_or_default(), range_bytes >= LONG_RANGE)?;
        *elements -= count;
        Ok(len)
    }

    fn read_framed(&mut self, out: &mut [u8], elements: &mut u64) -> Result<usize> {
        let mut written = 0;
        while let Some(rest) = out.get_mut(written..).filter(|rest| !rest.is_empty()) {
            if self.element_left == 0 {
                if *elements == 0 {
                    break;
                }
                *elements -= 1;
                let len = framing::peek_length(&mut self.stream)?;
                let len = len.ok_or_else(|| Error::truncated(REST, framing::LENGTH as u64, 0))?;
                self.element_left = len.saturating_add(framing::LENGTH as u64);
            }
            let len = usize::try_from(self.element_left).unwrap_or(usize::MAX).min(rest.len());
            self.copy(rest.get_mut(..len).unwrap_or_default(), len as u64 >= LONG_RANGE)?;
            self.element_left -= len as u64;
            written += len;
        }
        Ok(written)
    }

    fn copy(&mut self, out: &mut [u8], direct: bool) -> Result<()> {
        self.stream.copy(REST, out, direct)
    }

    /// Reads on at the end, which verifies the checksums. No content may be left.
    fn finish(&mut self) -> Result<()> {
        match self.stream.finish()? {
            0 => Ok(()),
            left => {
                let found = format!("at least {left} bytes");
                Err(Error::unexpected("rest of a slice", found, "none"))
            }
        }
    }
}
