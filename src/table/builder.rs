//! Writes a table, entry by entry, without keeping values in memory.

use std::io::{self, Write};

use crate::bytes::{Crc32c, varint};

use super::format::{BlockHandle, FOOTER_LEN, MAGIC, RAW, TRAILER_LEN};

/// The size at which a block ends, with its restart offsets: the default of TensorFlow's tables.
const BLOCK_BYTES: u64 = 262_144;
/// One of this many keys of a data block is stored in full; in the index block, each is.
const RESTART_INTERVAL: u32 = 16;

/// Writes a table byte for byte as TensorFlow's builder does.
///
/// ```
/// use std::sync::Arc;
/// use ckdiff::bytes::Memory;
/// use ckdiff::Limits;
/// use ckdiff::table::{Builder, Table};
///
/// let mut builder = Builder::new(Vec::new());
/// builder.add(b"", b"header")?;
/// builder.add(b"weights", b"entry")?;
/// let file = Memory(builder.finish()?.into());
/// let table = Table::open(Arc::new(file), &Limits::default())?;
/// let mut keys = Vec::new();
/// let damage = table.scan(&mut |key, _| {
///     keys.push(key.to_vec());
///     std::ops::ControlFlow::Continue(())
/// });
/// assert_eq!((keys, damage.len()), (vec![b"".to_vec(), b"weights".to_vec()], 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder<W> {
    out: W,
    /// The offset of the block that is being written.
    start: u64,
    block: Block,
    /// The last key.
    last_key: Option<Vec<u8>>,
    /// The number of bytes that are missing in the last value.
    missing: u64,
    /// The separators with their blocks. The last separator is the last key of its block until the next key is known.
    index: Vec<(Vec<u8>, BlockHandle)>,
}

/// The block that is being written.
#[derive(Debug, Default)]
struct Block {
    bytes: u64,
    entries: u32,
    crc: Crc32c,
    /// The offsets of keys that are stored in full, except the first of the block.
    restarts: Vec<u32>,
}

impl Block {
    /// The size of the payload in bytes.
    fn size(&self) -> u64 {
        self.bytes + 4 * (self.restarts.len() as u64 + 2)
    }
}

impl<W: Write> Builder<W> {
    /// A table without entries.
    pub fn new(out: W) -> Self {
        let index = Vec::new();
        Self { out, start: 0, block: Block::default(), last_key: None, missing: 0, index }
    }

    /// Adds an entry, whose key must be greater than all before.
    ///
    /// # Errors
    /// If `out` cannot be written, or the key is out of order.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        self.begin(key, value.len() as u64)?;
        self.value(value)
    }

    /// Begins an entry whose value has `len` bytes, to be passed to [`value`](Self::value) in any number of parts.
    ///
    /// # Errors
    /// If `out` cannot be written, the key is out of order, or the value before is not complete.
    pub fn begin(&mut self, key: &[u8], len: u64) -> io::Result<()> {
        self.check_complete()?;
        if self.last_key.as_ref().is_some_and(|last| key <= last.as_slice()) {
            return Err(misuse("the keys of a table must ascend"));
        }
        if self.block.entries == 0
            && let Some((separator, _)) = self.index.last_mut()
        {
            shorten_to_separator(separator, key);
        }
        self.entry(key, len, RESTART_INTERVAL)?;
        self.last_key = Some(key.to_vec());
        self.missing = len;
        self.end_large_block()
    }

    /// Writes the next bytes of the value.
    ///
    /// # Errors
    /// If `out` cannot be written, or the value gets longer than announced.
    pub fn value(&mut self, bytes: &[u8]) -> io::Result<()> {
        let missing = self.missing.checked_sub(bytes.len() as u64);
        self.missing = missing.ok_or_else(|| misuse("a value is longer than was announced"))?;
        self.write(bytes)?;
        self.end_large_block()
    }

    /// Ends the table, and returns the writer.
    ///
    /// # Errors
    /// If `out` cannot be written, or the last value is not complete.
    pub fn finish(mut self) -> io::Result<W> {
        self.check_complete()?;
        if self.block.entries > 0 {
            self.end_block()?;
        }
        let metaindex = self.close()?;
        let mut index = std::mem::take(&mut self.index);
        if let Some((last, _)) = index.last_mut() {
            shorten_to_successor(last);
        }
        let mut value = Vec::new();
        for (separator, handle) in index {
            value.clear();
            handle.write(&mut value);
            self.entry(&separator, value.len() as u64, 1)?;
            self.write(&value)?;
        }
        let index = self.close()?;
        let mut footer = Vec::with_capacity(FOOTER_LEN);
        metaindex.write(&mut footer);
        index.write(&mut footer);
        footer.resize(FOOTER_LEN - 8, 0);
        footer.extend(MAGIC.to_le_bytes());
        self.out.write_all(&footer)?;
        Ok(self.out)
    }

    fn check_complete(&self) -> io::Result<()> {
        if self.missing == 0 { Ok(()) } else { Err(misuse("the last value is not complete")) }
    }

    /// Writes an entry up to its value.
    fn entry(&mut self, key: &[u8], len: u64, interval: u32) -> io::Result<()> {
        let restarts = self.block.entries.is_multiple_of(interval);
        if restarts && self.block.entries > 0 {
            let offset = u32::try_from(self.block.bytes);
            self.block.restarts.push(offset.map_err(|_| misuse("a block is over 4 GiB"))?);
        }
        let before = self.last_key.as_deref().filter(|_| !restarts).unwrap_or_default();
        let shared = key.iter().zip(before).take_while(|(a, b)| a == b).count();
        let rest = key.get(shared..).unwrap_or_default();
        let mut head = Vec::with_capacity(rest.len() + 16);
        varint::write(shared as u64, &mut head);
        varint::write(rest.len() as u64, &mut head);
        varint::write(len, &mut head);
        head.extend_from_slice(rest);
        self.block.entries += 1;
        self.write(&head)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.block.crc.update(bytes);
        self.block.bytes += bytes.len() as u64;
        Ok(())
    }

    fn end_large_block(&mut self) -> io::Result<()> {
        let ends = self.missing == 0 && self.block.size() >= BLOCK_BYTES;
        if ends { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        let handle = self.close()?;
        self.index.push((self.last_key.clone().unwrap_or_default(), handle));
        Ok(())
    }

    /// Writes the block's restart offsets and trailer, and begins the next block.
    fn close(&mut self) -> io::Result<BlockHandle> {
        let block = std::mem::take(&mut self.block);
        let handle = BlockHandle { offset: self.start, size: block.size() };
        let mut tail = vec![0; 4];
        block.restarts.iter().for_each(|restart| tail.extend(restart.to_le_bytes()));
        // A block is smaller than 4 GiB, so the count fits.
        let count = u32::try_from(block.restarts.len() + 1);
        tail.extend(count.unwrap_or(u32::MAX).to_le_bytes());
        tail.push(RAW);
        let mut crc = block.crc;
        crc.update(&tail);
        tail.extend(crc.masked().to_le_bytes());
        self.out.write_all(&tail)?;
        self.start += handle.size + TRAILER_LEN;
        Ok(handle)
    }
}

fn misuse(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// Shortens `last`, the last key of a block, to a separator that is less than `next`, the first key of the next block, if
/// TensorFlow does so.
fn shorten_to_separator(last: &mut Vec<u8>, next: &[u8]) {
    let shared = last.iter().zip(next).take_while(|(a, b)| a == b).count();
    if let (Some(byte), Some(&limit)) = (last.get_mut(shared), next.get(shared))
        && *byte < 0xff
        && *byte + 1 < limit
    {
        *byte += 1;
        last.truncate(shared + 1);
    }
}

/// Shortens `last`, the last key of the table, to a short key that is not less.
fn shorten_to_successor(last: &mut Vec<u8>) {
    if let Some(at) = last.iter().position(|&byte| byte != 0xff) {
        last.truncate(at + 1);
        if let Some(byte) = last.last_mut() {
            *byte += 1;
        }
    }
}
