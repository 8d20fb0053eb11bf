//! The fixed parts of a table: footer, block handle, block trailer.

use crate::bytes::{Cursor, ReadAt, varint};
use crate::error::{Error, Result};

/// The length of the footer, the last bytes of the file.
pub const FOOTER_LEN: usize = 48;

/// The length of the trailer after the payload of a block: type and checksum.
pub(super) const TRAILER_LEN: u64 = 5;

/// The type of a block that is not compressed.
pub(super) const RAW: u8 = 0;

pub(super) const MAGIC: u64 = 0xdb47_7524_8b80_fb57;

/// The offset and size of a block's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHandle {
    /// The offset of the payload.
    pub offset: u64,
    /// The size of the payload in bytes, without the trailer.
    pub size: u64,
}

impl BlockHandle {
    /// Reads a handle: two varints.
    ///
    /// # Errors
    /// If a varint is cut off, or the block would end beyond 2^64.
    pub fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        let start = cursor.offset();
        let offset = cursor.varint("block handle")?;
        let size = cursor.varint("block handle")?;
        let handle = Self { offset, size };
        handle.end().map(|_| handle).ok_or_else(|| {
            let found = format!("{size} bytes at byte {offset}");
            Error::unexpected("block", found, "an end below byte 2^64").at(start)
        })
    }

    /// Appends the handle: two varints.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        varint::write(self.offset, out);
        varint::write(self.size, out);
    }

    /// The offset of the byte after the block's trailer.
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.size)?.checked_add(TRAILER_LEN)
    }

    /// Checks that the block and its trailer end by `limit`; `at` is the offset of the handle, for the error.
    pub(super) fn check(&self, limit: u64, at: u64) -> Result<()> {
        if self.end().is_some_and(|end| end <= limit) {
            return Ok(());
        }
        let found = format!("{} bytes at byte {}", self.size, self.offset);
        let expected = format!("an end at byte {limit} or before, checksum included");
        Err(Error::unexpected("block", found, expected).at(at))
    }
}

/// The end of a table: the handles of its index and metaindex blocks, and the magic number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// The metaindex block, which is always empty in checkpoints.
    pub metaindex: BlockHandle,
    /// The index block.
    pub index: BlockHandle,
    /// The offset of the padding, if that is not all zero.
    pub bad_padding: Option<u64>,
}

impl Footer {
    /// Reads the footer at the end of `file`.
    ///
    /// # Errors
    /// If the file is too short, does not end with the magic number, or the index block is not before the footer.
    pub fn read(file: &dyn ReadAt) -> Result<Self> {
        let start = file.len().checked_sub(FOOTER_LEN as u64).ok_or_else(|| {
            Error::truncated("the footer of a table", FOOTER_LEN as u64, file.len())
        })?;
        let mut bytes = [0; FOOTER_LEN];
        file.read_at(start, &mut bytes)?;
        let (handles, magic) = bytes.split_at(FOOTER_LEN - 8);
        let found = Cursor::new(magic, start + 40).u64("magic number")?;
        if found != MAGIC {
            let expected = format!("{MAGIC:#018x}");
            let error = Error::unexpected("magic number", format!("{found:#018x}"), expected);
            return Err(error.at(start + 40));
        }
        let mut cursor = Cursor::new(handles, start);
        let metaindex = BlockHandle::parse(&mut cursor)?;
        let index = BlockHandle::parse(&mut cursor)?;
        index.check(start, start)?;
        let padding = cursor.offset();
        let padded =
            cursor.take("footer padding", cursor.remaining())?.iter().all(|&byte| byte == 0);
        Ok(Self { metaindex, index, bad_padding: (!padded).then_some(padding) })
    }
}

/// Whether `tail`, the last bytes of a file, ends with a table's footer.
pub fn is_end_of_table(tail: &[u8]) -> bool {
    tail.len() >= FOOTER_LEN && tail.ends_with(&MAGIC.to_le_bytes())
}
