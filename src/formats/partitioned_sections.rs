//! Some elements of a partitioned tensor, read from the slices that have them.

use std::collections::BTreeMap;
use std::ops::Range as Positions;

use crate::bytes::Checksum;
use crate::error::{Error, Result};
use crate::tensor::{Section, Sections, TensorSource};

use super::partitioned::Partitioned;
use super::ranges::{Range, RangeWalk, elements_before};

/// The size of the buffers of all slices together.
const BUFFERS: usize = 4 << 20;

impl Sections for Partitioned {
    fn check_files(&self) -> Result<()> {
        let mut sections = self.parts().iter().filter_map(|part| part.source.sections());
        sections.try_for_each(Sections::check_files)
    }

    fn section(&self, positions: Positions<u64>) -> Result<Box<dyn Section + '_>> {
        let element = self.dtype().size().unwrap_or(1);
        let mut readers = BTreeMap::new();
        for (number, part) in self.parts().iter().enumerate() {
            let before = |position| elements_before(&part.slice, self.shape(), position);
            let elements = before(positions.start)..before(positions.end);
            if !elements.is_empty()
                && let Some(sections) = part.source.sections()
            {
                readers.insert(
                    number,
                    Reader::new(sections.section(elements.clone())?, elements, element),
                );
            }
        }
        let buffer = (BUFFERS / readers.len().max(1)).clamp(512, 64 << 10) / 16 * 16;
        let slices = self.parts().iter().map(|part| &part.slice);
        let walk = RangeWalk::between(slices, self.shape(), positions);
        Ok(Box::new(Assembly { whole: self, walk, readers, current: None, element, buffer }))
    }

    fn verify_places(&self, computed: &BTreeMap<usize, Checksum>) -> Result<()> {
        self.parts().iter().enumerate().try_for_each(|(number, part)| {
            let of_part = computed.get(&number).map(|&checksum| (0, checksum));
            let of_part = of_part.into_iter().collect();
            part.source.sections().map_or(Ok(()), |sections| sections.verify_places(&of_part))
        })
    }
}

/// Reads elements from several slices.
struct Assembly<'a> {
    whole: &'a Partitioned,
    walk: RangeWalk<'a>,
    /// A reader for each slice with some of the elements.
    readers: BTreeMap<usize, Reader<'a>>,
    current: Option<Range>,
    /// The size of an element.
    element: usize,
    /// The size of the buffer of a slice.
    buffer: usize,
}

impl Section for Assembly<'_> {
    fn read(&mut self, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let mut range = match self.current.take() {
                Some(range) => range,
                None => {
                    let next =
                        self.walk.next().map_err(|error| error.in_file(self.whole.file()))?;
                    next.ok_or_else(|| Error::truncated("a tensor", out.len() as u64, 0))?
                }
            };
            let count = range.elements.min((out.len() / self.element) as u64);
            // At most `out.len()`.
            let len = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(self.element);
            let (now, later) = out.split_at_mut_checked(len).unwrap_or_default();
            if let Some(reader) = self.readers.get_mut(&range.slice) {
                reader.read(now, self.buffer)?;
            }
            out = later;
            range.elements -= count;
            self.current = Some(range).filter(|range| range.elements > 0);
        }
        Ok(())
    }

    fn checksums(&self) -> BTreeMap<usize, Checksum> {
        let of_slice = |reader: &Reader<'_>| reader.section.checksums().remove(&0);
        self.readers
            .iter()
            .filter_map(|(&slice, reader)| Some((slice, of_slice(reader)?)))
            .collect()
    }
}

/// Reads some elements of one slice; short ranges through a buffer.
struct Reader<'a> {
    section: Box<dyn Section + 'a>,
    /// Bytes of the section that were not read.
    left: u64,
    buffer: Vec<u8>,
    /// The bytes of the buffer that were not taken.
    taken: usize,
}

impl<'a> Reader<'a> {
    fn new(section: Box<dyn Section + 'a>, elements: Positions<u64>, element: usize) -> Self {
        let left = (elements.end - elements.start).saturating_mul(element as u64);
        Self { section, left, buffer: Vec::new(), taken: 0 }
    }

    fn read(&mut self, mut out: &mut [u8], buffer: usize) -> Result<()> {
        while !out.is_empty() {
            let buffered = self.buffer.get(self.taken..).unwrap_or_default();
            if buffered.is_empty() && out.len() >= buffer {
                self.left = self.left.saturating_sub(out.len() as u64);
                return self.section.read(out);
            }
            if buffered.is_empty() {
                let len = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer);
                if len == 0 {
                    return Err(Error::truncated("the rest of a slice", out.len() as u64, 0));
                }
                self.buffer.resize(len, 0);
                self.taken = 0;
                self.left -= len as u64;
                self.section.read(&mut self.buffer)?;
                continue;
            }
            let len = buffered.len().min(out.len());
            let (now, later) = out.split_at_mut_checked(len).unwrap_or_default();
            now.copy_from_slice(buffered.get(..len).unwrap_or_default());
            self.taken += len;
            out = later;
        }
        Ok(())
    }
}
