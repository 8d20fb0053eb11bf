//! A checked entry of an index, and its shard.

use std::sync::Arc;

use crate::bytes::File;
use crate::error::{Error, ErrorKind, Result};
use crate::tensor::{ComplexNumber, DType, Number, Visit};

use super::super::shards::Shards;
use super::entry::{BundleEntry, ByteOrder};

/// A tensor or a slice whose content is one contiguous range.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) entry: BundleEntry,
    /// The order of the bytes of numbers and checksums.
    pub(super) order: ByteOrder,
    /// The size of each number in an element; 0 for elements of any length.
    pub(super) number_bytes: usize,
    shards: Arc<Shards>,
}

impl Stored {
    /// Checks an entry.
    ///
    /// # Errors
    /// If the size does not fit the dtype and the shape, or the content would end beyond 2^64.
    pub(super) fn new(entry: BundleEntry, order: ByteOrder, shards: &Arc<Shards>) -> Result<Self> {
        let number_bytes = entry.dtype.visit(NumberBytes);
        if let Some(element) = entry.dtype.size() {
            let need = entry.shape.elements().checked_mul(element as u64);
            if need != Some(entry.size) {
                let expected = format!(
                    "{2}, as {0} of shape {1} has",
                    entry.dtype,
                    entry.shape,
                    match need {
                        Some(need) => format!("{need} bytes"),
                        None => "over 2^64 bytes".into(),
                    }
                );
                return Err(Error::unexpected("size", entry.size, expected));
            }
        } else if entry.dtype == DType::Resource {
            return Err(Error::unsupported("a resource has no content that could be stored"));
        } else if entry.shape.elements() > entry.size {
            let expected = format!("at least {}, a byte for each element", entry.shape.elements());
            return Err(Error::unexpected("size", entry.size, expected));
        }
        if entry.offset.checked_add(entry.size).is_none() {
            let expected = format!("at most 2^64 - 1 less the size, {}", entry.size);
            return Err(Error::unexpected("offset", entry.offset, expected));
        }
        Ok(Self { entry, order, number_bytes, shards: Arc::clone(shards) })
    }

    /// Opens the shard, and checks that it contains all of the content.
    pub(super) fn open(&self) -> Result<Arc<File>> {
        let BundleEntry { shard, offset, size, .. } = self.entry;
        self.shards.file_with(shard, offset, size)
    }

    /// Adds the location of the content to an error.
    pub(super) fn locate(&self, error: Error) -> Error {
        error.at(self.entry.offset).in_file(&self.shards.path(self.entry.shard))
    }

    /// Verifies the checksum of the whole content.
    pub(super) fn check(&self, computed: u32) -> Result<()> {
        let stored = self.entry.crc32c;
        if stored == computed {
            return Ok(());
        }
        Err(self.locate(ErrorKind::Checksum { what: "content", stored, computed }.into()))
    }
}

/// The size of each number in an element; 0 for elements of any length.
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
