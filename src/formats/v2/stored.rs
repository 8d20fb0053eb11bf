//! A checked entry of an index, and its shard.

use std::sync::Arc;

use crate::bytes::File;
use crate::error::{Error, ErrorKind, Result};
use crate::tensor::{ComplexNumber, Number, Visit};

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
    /// As [`BundleEntry::check`].
    pub(super) fn new(entry: BundleEntry, order: ByteOrder, shards: &Arc<Shards>) -> Result<Self> {
        entry.check()?;
        let number_bytes = entry.dtype.visit(NumberBytes);
        Ok(Self { entry, order, number_bytes, shards: Arc::clone(shards) })
    }

    /// Opens the shard, and checks that it contains all of the content.
    pub(super) fn open(&self) -> Result<Arc<File>> {
        let BundleEntry { shard, offset, size, .. } = self.entry;
        self.shards.file_with(shard, offset, size)
    }

    /// Calls `read` with the shard and the position in it of byte `offset` of the content, if `bytes` bytes follow.
    pub(super) fn read(
        &self,
        offset: u64,
        bytes: u64,
        read: impl FnOnce(&File, u64) -> Result<()>,
    ) -> Result<()> {
        let BundleEntry { shard, offset: start, size, .. } = self.entry;
        let have = size.saturating_sub(offset);
        if have < bytes {
            return Err(self.locate(Error::truncated("read", bytes, have)));
        }
        self.shards.with_content(shard, start, size, |file| read(file, start + offset))
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
