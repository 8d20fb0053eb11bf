//! The content of one index entry: a stretch of a shard under one checksum.

use std::sync::Arc;

use crate::bytes::{Checksum, ChecksumKind, Crc32c, File, ReadAt};
use crate::error::{Error, ErrorKind, Result};
use crate::tensor::{
    ComplexNumber, DType, Extent, Fingerprint, Number, Shape, TensorSource, TensorStream, Visit,
};

use super::super::elements::Framed;
use super::super::shards::Shards;
use super::entry::{BundleEntry, ByteOrder};
use super::strings::Strings;
use super::variants::Variants;

/// A tensor, or a slice of one, that lies in one piece.
#[derive(Debug)]
pub(super) struct Stored {
    entry: BundleEntry,
    order: ByteOrder,
    /// Bytes of each number in an element; 0 for elements of any length.
    number_bytes: usize,
    shards: Arc<Shards>,
}

impl Stored {
    /// What `entry` says is there, if that can be.
    pub(super) fn new(entry: BundleEntry, order: ByteOrder, shards: &Arc<Shards>) -> Result<Self> {
        let number_bytes = entry.dtype.visit(NumberBytes);
        if let Some(element) = entry.dtype.size() {
            let need = entry.shape.elements().checked_mul(element as u64);
            if need != Some(entry.size) {
                let allowed = format!(
                    "{} of shape {} has {}",
                    entry.dtype,
                    entry.shape,
                    match need {
                        Some(need) => format!("{need} bytes"),
                        None => "over 2^64 bytes".into(),
                    }
                );
                return Err(Error::unexpected("size", entry.size, allowed));
            }
        } else if entry.dtype == DType::Resource {
            let kind = "a resource has no content that could be stored";
            return Err(ErrorKind::Unsupported(kind.into()).into());
        } else if entry.shape.elements() > entry.size {
            let allowed = format!("{} elements need a byte each", entry.shape.elements());
            return Err(Error::unexpected("size", entry.size, allowed));
        }
        if entry.offset.checked_add(entry.size).is_none() {
            let allowed = format!("{} bytes follow it", entry.size);
            return Err(Error::unexpected("offset", entry.offset, allowed));
        }
        Ok(Self { entry, order, number_bytes, shards: Arc::clone(shards) })
    }

    /// The shard, which holds all of the content.
    pub(super) fn open(&self) -> Result<Arc<File>> {
        let file = self.shards.file(self.entry.shard)?;
        let have = file.len().saturating_sub(self.entry.offset);
        if have < self.entry.size {
            let error = Error::truncated("content", self.entry.size, have);
            return Err(error.at(self.entry.offset).in_file(file.path()));
        }
        Ok(file)
    }

    /// The entry that says where the content is.
    pub(super) fn entry(&self) -> &BundleEntry {
        &self.entry
    }

    /// The order of the bytes of numbers and checksums.
    pub(super) fn order(&self) -> ByteOrder {
        self.order
    }

    /// Names the place in `error`, which is about the content.
    pub(super) fn place(&self, error: Error) -> Error {
        error.at(self.entry.offset).in_file(&self.shards.path(self.entry.shard))
    }

    /// Checks the checksum of the whole content.
    pub(super) fn check(&self, computed: u32) -> Result<()> {
        let stored = self.entry.crc32c;
        if stored == computed {
            return Ok(());
        }
        Err(self.place(ErrorKind::Checksum { what: "content", stored, computed }.into()))
    }
}

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

    fn fingerprint(&self) -> Option<Fingerprint> {
        // The byte order counts only where it makes a difference.
        let swapped = self.order == ByteOrder::Big && self.number_bytes != 1;
        let mut checksums = self.entry.size.to_le_bytes().to_vec();
        checksums.extend(self.entry.crc32c.to_le_bytes());
        Some(Fingerprint { layout: vec![u8::from(swapped)], checksums })
    }

    fn stored_at(&self) -> (u32, u64) {
        (self.entry.shard, self.entry.offset)
    }

    fn stream(&self) -> Result<Box<dyn TensorStream + '_>> {
        let file = self.open()?;
        Ok(match self.entry.dtype {
            DType::String => Box::new(Framed::new(Strings::open(self, file)?)),
            DType::Variant => Box::new(Framed::new(Variants::open(self, file))),
            _ => Box::new(Numbers { stored: self, file, pos: 0, crc: Crc32c::default() }),
        })
    }
}

impl Extent for Stored {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let have = self.entry.size.saturating_sub(offset);
        if have < out.len() as u64 {
            return Err(self.place(Error::truncated("read", out.len() as u64, have)));
        }
        self.open()?.read_at(self.entry.offset + offset, out)
    }

    fn stored_checksum(&self) -> Option<Checksum> {
        Some(Checksum::stored(ChecksumKind::Crc32c, self.entry.crc32c, self.entry.size))
    }

    fn verify(&self, computed: Checksum) -> Result<()> {
        self.check(computed.value())
    }
}

/// Fixed-width content, its numbers turned to little-endian.
struct Numbers<'a> {
    stored: &'a Stored,
    file: Arc<File>,
    pos: u64,
    crc: Crc32c,
}

impl TensorStream for Numbers<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let entry = &self.stored.entry;
        let left = usize::try_from(entry.size - self.pos).unwrap_or(usize::MAX);
        if left == 0 {
            self.stored.check(self.crc.value())?;
            return Ok(0);
        }
        let len = left.min(out.len());
        let out = out.get_mut(..len).unwrap_or_default();
        self.file.read_at(entry.offset + self.pos, out)?;
        self.pos += len as u64;
        self.crc.update(out);
        if self.stored.order == ByteOrder::Big && self.stored.number_bytes > 1 {
            out.chunks_exact_mut(self.stored.number_bytes).for_each(<[u8]>::reverse);
        }
        Ok(len)
    }
}

/// Bytes per number of a type; 0 for elements of any length.
struct NumberBytes;

impl Visit for NumberBytes {
    type Out = usize;

    fn number<T: Number>(self) -> usize {
        T::NUMBER_BYTES
    }

    fn complex<T: ComplexNumber>(self) -> usize {
        T::NUMBER_BYTES
    }

    fn boolean(self) -> usize {
        1
    }

    fn bytes(self) -> usize {
        0
    }
}
