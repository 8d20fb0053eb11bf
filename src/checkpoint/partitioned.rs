//! A tensor stored in slices, put together while it is read.
//!
//! Row-major order through the whole tensor is row-major order through each slice, so every slice is read once, from
//! its start to its end, and only a small buffer of each is held.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::tensor::{DType, Fingerprint, Shape, Slice, TensorSource, TensorStream};

use super::runs::{Run, Walk};

/// Bytes for the buffers of one tensor's slices, together.
const BUFFERS: usize = 4 << 20;
/// Runs from this size on need no buffer.
const LONG_RUN: u64 = 4096;

/// One slice.
#[derive(Debug)]
pub(crate) struct Part {
    /// Where it lies in the whole.
    pub(crate) slice: Slice,
    /// Its content, of the slice's shape.
    pub(crate) source: Box<dyn TensorSource>,
}

/// A tensor of several slices.
#[derive(Debug)]
pub(crate) struct Partitioned {
    dtype: DType,
    shape: Shape,
    parts: Vec<Part>,
    /// Where the slices are listed.
    file: PathBuf,
}

impl Partitioned {
    /// The tensor that `parts`, all of type `dtype` and listed in `file`, make up.
    ///
    /// # Errors
    /// When they hold more or fewer elements than the tensor. That they do not overlap is seen when it is read.
    pub(crate) fn new(
        dtype: DType,
        shape: Shape,
        mut parts: Vec<Part>,
        file: PathBuf,
    ) -> Result<Self> {
        parts.sort_by(|a, b| a.slice.extents().cmp(b.slice.extents()));
        let held = parts.iter().fold(0u64, |n, p| n.saturating_add(p.slice.shape().elements()));
        if held != shape.elements() {
            let mut walk = Walk::new(parts.iter().map(|part| &part.slice), &shape);
            // Enough to name the place in most cases, and never more work than reading the slices' list was.
            for _ in 0..16 * parts.len() {
                if walk.next().map_err(|error| error.in_file(&file))?.is_none() {
                    break;
                }
            }
            let allowed = format!("shape {shape} has {}", shape.elements());
            let error = Error::unexpected("number of elements in all slices", held, allowed);
            return Err(error.in_file(&file));
        }
        Ok(Self { dtype, shape, parts, file })
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

    fn fingerprint(&self) -> Option<Fingerprint> {
        let mut whole = Fingerprint::default();
        for part in &self.parts {
            let of_part = part.source.fingerprint()?;
            for &(start, len) in part.slice.extents() {
                whole.layout.extend(start.to_le_bytes());
                whole.layout.extend(len.to_le_bytes());
            }
            whole.layout.extend(of_part.layout);
            whole.checksums.extend(of_part.checksums);
        }
        Some(whole)
    }

    fn parts(&self) -> Vec<(&Slice, &dyn TensorSource)> {
        self.parts.iter().map(|part| (&part.slice, &*part.source)).collect()
    }

    fn part(&self, slice: &Slice) -> Option<&dyn TensorSource> {
        let by_place = |part: &Part| part.slice.extents().cmp(slice.extents());
        let at = self.parts.binary_search_by(by_place).ok()?;
        self.parts.get(at).map(|part| &*part.source)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        let short = self.parts.iter().filter(|part| {
            let run = part.slice.extents().last().map_or(1, |&(_, len)| len);
            let size = self.dtype.size().map_or(0, |size| size as u64);
            run.saturating_mul(size) < LONG_RUN
        });
        let buffer = (BUFFERS / short.count().max(1)).clamp(512, 64 << 10) / 16 * 16;
        Ok(Box::new(Assembly {
            parts: &self.parts,
            file: &self.file,
            element: self.dtype.size(),
            walk: Walk::new(self.parts.iter().map(|part| &part.slice), &self.shape),
            readers: self.parts.iter().map(|_| None).collect(),
            current: None,
            buffer,
            done: false,
        }))
    }
}

/// Reads the whole out of its slices.
struct Assembly<'a> {
    parts: &'a [Part],
    file: &'a Path,
    /// Bytes of an element, where all have as many.
    element: Option<usize>,
    walk: Walk<'a>,
    /// Those slices that are begun and not at their end.
    readers: Vec<Option<Reader<'a>>>,
    current: Option<Run>,
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
                Some(run) => {
                    let reader = reader(&mut self.readers, self.parts, run.part, self.buffer)?;
                    let read = reader.read(rest, &mut run.elements, self.element)?;
                    written += read;
                    if run.elements == 0 && reader.element_left == 0 {
                        if run.last {
                            reader.finish()?;
                            let part = run.part;
                            self.readers.get_mut(part).map(Option::take);
                        }
                        self.current = None;
                    } else if read == 0 {
                        // What is left of `out` holds no whole element.
                        break;
                    }
                }
                None => match self.walk.next().map_err(|error| error.in_file(self.file))? {
                    Some(run) => self.current = Some(run),
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
    /// Slices without elements have checksums too.
    fn verify_empty(&self) -> Result<()> {
        for part in self.parts.iter().filter(|part| part.slice.shape().elements() == 0) {
            Reader::new(&*part.source, 0)?.finish()?;
        }
        Ok(())
    }
}

fn reader<'r, 'a>(
    readers: &'r mut [Option<Reader<'a>>],
    parts: &'a [Part],
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
    stream: Box<dyn TensorStream + 'a>,
    buffer: Vec<u8>,
    pos: usize,
    capacity: usize,
    /// Bytes left of an element of any length, its framing included.
    element_left: u64,
}

impl<'a> Reader<'a> {
    fn new(source: &'a dyn TensorSource, capacity: usize) -> Result<Self> {
        let stream = source.stream()?;
        Ok(Self { stream, buffer: Vec::new(), pos: 0, capacity, element_left: 0 })
    }

    /// Fills `out` with up to `elements` elements, counting them down; returns the bytes.
    fn read(&mut self, out: &mut [u8], elements: &mut u64, size: Option<usize>) -> Result<usize> {
        let Some(size) = size else {
            return self.read_framed(out, elements);
        };
        let fitting = (out.len() / size) as u64;
        let count = fitting.min(*elements);
        // Not more than `out.len()`, by the line above.
        let len = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size);
        let run_bytes = elements.saturating_mul(size as u64);
        self.copy(out.get_mut(..len).unwrap_or_default(), run_bytes >= LONG_RUN)?;
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
                self.element_left = 8u64.saturating_add(self.peek_length()?);
            }
            let len = usize::try_from(self.element_left).unwrap_or(usize::MAX).min(rest.len());
            self.copy(rest.get_mut(..len).unwrap_or_default(), len as u64 >= LONG_RUN)?;
            self.element_left -= len as u64;
            written += len;
        }
        Ok(written)
    }

    /// The length that the next element's framing gives.
    fn peek_length(&mut self) -> Result<u64> {
        while self.buffer.len() - self.pos < 8 {
            if self.fill()? == 0 {
                return Err(self.cut_short(8));
            }
        }
        let header = self.buffer.get(self.pos..).and_then(|rest| rest.first_chunk::<8>());
        Ok(header.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// Reads more into the buffer, behind what is left there.
    fn fill(&mut self) -> Result<usize> {
        self.buffer.drain(..self.pos);
        self.pos = 0;
        let have = self.buffer.len();
        self.buffer.resize(have + self.capacity, 0);
        let read = self.stream.read(self.buffer.get_mut(have..).unwrap_or_default());
        self.buffer.truncate(have + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Fills `out`, past the buffer where that is `direct`.
    fn copy(&mut self, mut out: &mut [u8], direct: bool) -> Result<()> {
        while !out.is_empty() {
            let have = self.buffer.get(self.pos..).unwrap_or(&[]);
            if have.is_empty() && direct {
                let read = self.stream.read(out)?;
                if read == 0 {
                    return Err(self.cut_short(out.len() as u64));
                }
                out = out.get_mut(read..).unwrap_or_default();
                continue;
            }
            if have.is_empty() && self.fill()? == 0 {
                return Err(self.cut_short(out.len() as u64));
            }
            let have = self.buffer.get(self.pos..).unwrap_or(&[]);
            let len = have.len().min(out.len());
            let (head, tail) = out.split_at_mut(len);
            head.copy_from_slice(have.get(..len).unwrap_or(&[]));
            self.pos += len;
            out = tail;
        }
        Ok(())
    }

    /// Has the checksums verified; nothing may be left.
    fn finish(&mut self) -> Result<()> {
        let mut rest = [0; 16];
        let left = self.buffer.len() - self.pos + self.stream.read(&mut rest)?;
        if left > 0 {
            let found = format!("at least {left} bytes");
            return Err(Error::unexpected("rest of a slice", found, "none may be left"));
        }
        Ok(())
    }

    fn cut_short(&self, need: u64) -> Error {
        Error::truncated("the rest of a slice", need, 0)
    }
}
