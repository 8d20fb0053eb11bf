//! The fixed parts of a table: footer, block handle, block trailer.

use crate::bytes::{Cursor, ReadAt, varint};
use crate::error::{Error, Result};

/// Bytes of the footer, the last of the file.
pub const FOOTER_LEN: usize = 48;

/// Bytes after each block's payload: its type and checksum.
pub(super) const TRAILER_LEN: u64 = 5;

/// The type of a block that is not compressed.
pub(super) const RAW: u8 = 0;

pub(super) const MAGIC: u64 = 0xdb47_7524_8b80_fb57;

/// Where a block's payload lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHandle {
    /// The first byte of the payload.
    pub offset: u64,
    /// Bytes of the payload, without its type and checksum.
    pub size: u64,
}

impl BlockHandle {
    /// Reads a handle: two varints.
    ///
    /// # Errors
    /// When one is cut short, or together they pass what 64 bits can address.
    pub fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        let start = cursor.offset();
        let offset = cursor.varint("block handle")?;
        let size = cursor.varint("block handle")?;
        let handle = Self { offset, size };
        handle.end().map(|_| handle).ok_or_else(|| {
            let found = format!("{size} bytes at {offset}");
            Error::unexpected("block handle", found, "it must end below 2^64").at(start)
        })
    }

    /// Appends the handle: two varints.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        varint::write(self.offset, out);
        varint::write(self.size, out);
    }

    /// The byte after the block's trailer.
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.size)?.checked_add(TRAILER_LEN)
    }

    /// Checks that the block and its trailer lie before `limit`; `at` is where the handle was found.
    pub(super) fn check(&self, limit: u64, at: u64) -> Result<()> {
        if self.end().is_some_and(|end| end <= limit) {
            return Ok(());
        }
        let found = format!("{} bytes at {}", self.size, self.offset);
        let allowed = format!("it and its checksum must end by byte {limit}");
        Err(Error::unexpected("block handle", found, allowed).at(at))
    }
}

/// The end of a table: where its index blocks lie, and the magic number that tells a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// The block of meta blocks, always empty in checkpoints.
    pub metaindex: BlockHandle,
    /// The block of data blocks.
    pub index: BlockHandle,
    /// Where its padding starts, when that is not all zero.
    pub stray: Option<u64>,
}

impl Footer {
    /// Reads the footer at the end of `file`.
    ///
    /// # Errors
    /// When the file is too short, does not end in the magic number, or the index block does not lie before the footer.
    pub fn read(file: &dyn ReadAt) -> Result<Self> {
        let start = file.len().checked_sub(FOOTER_LEN as u64).ok_or_else(|| {
            Error::truncated("the footer of a table", FOOTER_LEN as u64, file.len())
        })?;
        let mut bytes = [0; FOOTER_LEN];
        file.read_at(start, &mut bytes)?;
        let (handles, magic) = bytes.split_at(FOOTER_LEN - 8);
        let found = Cursor::new(magic, start + 40).u64("magic number")?;
        if found != MAGIC {
            let allowed = format!("a table ends in {MAGIC:#018x}");
            let error = Error::unexpected("magic number", format!("{found:#018x}"), allowed);
            return Err(error.at(start + 40));
        }
        let mut cursor = Cursor::new(handles, start);
        let metaindex = BlockHandle::parse(&mut cursor)?;
        let index = BlockHandle::parse(&mut cursor)?;
        index.check(start, start)?;
        let padding = cursor.offset();
        let padded =
            cursor.take("footer padding", cursor.remaining())?.iter().all(|&byte| byte == 0);
        Ok(Self { metaindex, index, stray: (!padded).then_some(padding) })
    }
}

/// Whether a file whose last bytes are `tail`, at least as many as a footer has, ends in a table's magic number.
pub fn is_end_of_table(tail: &[u8]) -> bool {
    tail.len() >= FOOTER_LEN && tail.ends_with(&MAGIC.to_le_bytes())
}
