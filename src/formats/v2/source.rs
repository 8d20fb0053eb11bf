//! Reads the content of a tensor or slice from its shard.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::bytes::{Checksum, ChecksumKind, File, ReadAt, ReadWindow};
use crate::error::{Error, Result};
use crate::tensor::framing::Framed;
use crate::tensor::{
    DType, Extent, Section, Sections, Shape, StoredChecksums, TensorSource, TensorStream,
};

use super::entry::ByteOrder;
use super::stored::Stored;
use super::strings::Strings;
use super::variants::Variants;

impl TensorSource for Stored {
    fn dtype(&self) -> DType {
        self.entry.dtype
    }

    fn shape(&self) -> &Shape {
        &self.entry.shape
    }

    fn stored_bytes(&self) -> u64 {
        self.entry.size
    }

    fn extent(&self) -> Option<&dyn Extent> {
        let as_is = self.order == ByteOrder::Little || self.number_bytes == 1;
        (self.number_bytes > 0 && as_is).then_some(self)
    }

    fn sections(&self) -> Option<&dyn Sections> {
        (self.number_bytes > 0).then_some(self)
    }

    fn stored_checksums(&self) -> Option<StoredChecksums> {
        // The byte order matters only for numbers of several bytes.
        let swapped = self.order == ByteOrder::Big && self.number_bytes != 1;
        let checksums = self.stored_checksum().into_iter().collect();
        Some(StoredChecksums { layout: vec![u8::from(swapped)], checksums })
    }

    fn stored_at(&self) -> (u32, u64) {
        (self.entry.shard, self.entry.offset)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        let file = self.open()?;
        Ok(match self.entry.dtype {
            DType::String => Box::new(Framed::new(Strings::open(self, file)?)),
            DType::Variant => Box::new(Framed::new(Variants::open(self, file))),
            _ => Box::new(Numbers::new(self, file, 0)),
        })
    }
}

impl Extent for Stored {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.read(offset, out.len() as u64, |file, at| file.read_at(at, out))
    }

    fn read_through(&self, window: &mut ReadWindow, offset: u64, out: &mut [u8]) -> Result<()> {
        self.read(offset, out.len() as u64, |file, at| window.read(file, at, out))
    }

    fn stored_checksum(&self) -> Option<Checksum> {
        Some(Checksum::stored(ChecksumKind::Crc32c, self.entry.crc32c, self.entry.size))
    }

    fn verify(&self, computed: Checksum) -> Result<()> {
        self.check(computed.value())
    }
}

impl Sections for Stored {
    fn check_files(&self) -> Result<()> {
        self.open().map(drop)
    }

    fn section(&self, positions: Range<u64>) -> Result<Box<dyn Section + '_>> {
        let size = self.entry.dtype.size().unwrap_or_default() as u64;
        Ok(Box::new(Numbers::new(self, self.open()?, positions.start.saturating_mul(size))))
    }

    fn verify_places(&self, computed: &BTreeMap<usize, Checksum>) -> Result<()> {
        self.check(computed.get(&0).map_or(0, |checksum| checksum.value()))
    }
}

/// Reads elements of fixed size, with their numbers converted to little-endian.
struct Numbers<'a> {
    stored: &'a Stored,
    file: Arc<File>,
    pos: u64,
    checksum: Checksum,
}

impl<'a> Numbers<'a> {
    fn new(stored: &'a Stored, file: Arc<File>, pos: u64) -> Self {
        Self { stored, file, pos, checksum: Checksum::new(ChecksumKind::Crc32c) }
    }
}

impl TensorStream for Numbers<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let left = self.stored.entry.size - self.pos;
        if left == 0 {
            self.stored.check(self.checksum.value())?;
            return Ok(0);
        }
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
        Section::read(self, out.get_mut(..len).unwrap_or_default())?;
        Ok(len)
    }
}

impl Section for Numbers<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<()> {
        let stored = self.stored;
        let left = stored.entry.size.saturating_sub(self.pos);
        if left < out.len() as u64 {
            return Err(stored.locate(Error::truncated("read", out.len() as u64, left)));
        }
        self.file.read_at(stored.entry.offset + self.pos, out)?;
        self.pos += out.len() as u64;
        self.checksum.update(out);
        if stored.order == ByteOrder::Big && stored.number_bytes > 1 {
            out.chunks_exact_mut(stored.number_bytes).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    fn checksums(&self) -> BTreeMap<usize, Checksum> {
        [(0, self.checksum)].into()
    }
}
