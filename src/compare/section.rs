//! The elements of one side of a unit, wherever they are stored, and the checksums of what was read.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::bytes::Checksum;
use crate::error::Result;
use crate::tensor::{Extent, Section, TensorSource};

/// Checksums by the number of the place that they are of.
pub(super) type Places = BTreeMap<usize, Checksum>;

/// Whether any part of the content can be read by itself.
pub(super) fn is_divisible(source: &dyn TensorSource) -> bool {
    source.extent().is_some() || source.sections().is_some()
}

/// Checks that the files have the content of a divisible tensor.
pub(super) fn check_files(source: &dyn TensorSource) -> Result<()> {
    match source.sections() {
        Some(sections) => sections.check_files(),
        None => source.stream().map(drop),
    }
}

/// The elements of a divisible tensor from one position to another; `size` is that of an element. `None` if it is not divisible.
pub(super) fn open<'a>(
    source: &'a dyn TensorSource,
    positions: Range<u64>,
    size: usize,
) -> Result<Option<Box<dyn Section + 'a>>> {
    if let Some(extent) = source.extent() {
        let checksum = extent.stored_checksum().map(|stored| Checksum::new(stored.kind()));
        let offset = positions.start.saturating_mul(size as u64);
        return Ok(Some(Box::new(SectionOfExtent { extent, offset, checksum })));
    }
    source.sections().map(|sections| sections.section(positions)).transpose()
}

/// Adds the checksums of the following elements.
pub(super) fn append(places: &mut Places, later: &Places) {
    for (&place, &checksum) in later {
        let sum = places.entry(place).or_insert_with(|| Checksum::new(checksum.kind()));
        *sum = sum.then(checksum);
    }
}

/// Compares the checksums of all elements with the stored ones.
pub(super) fn verify(source: &dyn TensorSource, places: &Places) -> Result<()> {
    match (source.extent(), source.sections()) {
        (Some(extent), _) => places.get(&0).map_or(Ok(()), |&computed| extent.verify(computed)),
        (None, Some(sections)) => sections.verify_places(places),
        (None, None) => Ok(()),
    }
}

struct SectionOfExtent<'a> {
    extent: &'a dyn Extent,
    /// The byte to read next.
    offset: u64,
    checksum: Option<Checksum>,
}

impl Section for SectionOfExtent<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        self.extent.read_at(self.offset, out)?;
        self.offset = self.offset.saturating_add(out.len() as u64);
        if let Some(checksum) = &mut self.checksum {
            checksum.update(out);
        }
        Ok(())
    }

    fn checksums(&self) -> Places {
        self.checksum.map(|checksum| (0, checksum)).into_iter().collect()
    }
}
