//! Reads a table: its index block, and the data blocks that the index lists.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::bytes::{Cursor, ReadAt};
use crate::error::{Error, Result};
use crate::limits::Limits;

use super::block::Block;
use super::entries::{Entries, Value};
use super::format::{BlockHandle, FOOTER_LEN, Footer};

/// A table whose index block is verified.
#[derive(Debug)]
pub struct Table {
    file: Arc<dyn ReadAt>,
    index: Block,
    limits: Limits,
    damage: Vec<Error>,
}

impl Table {
    /// Opens a table.
    ///
    /// # Errors
    /// If `file` is not a table, or its index block is damaged, so that the other blocks cannot be found.
    pub fn open(file: Arc<dyn ReadAt>, limits: &Limits) -> Result<Self> {
        let footer = Footer::read(&*file)?;
        if footer.index.size > limits.index_block_bytes {
            let expected = format!("at most {} bytes", limits.index_block_bytes);
            let error = Error::unexpected("size of the index block", footer.index.size, expected);
            return Err(error.at(file.len() - FOOTER_LEN as u64));
        }
        let index = Block::open(&file, footer.index)?;
        let damage = unused_parts(&file, &footer);
        Ok(Self { file, index, limits: limits.clone(), damage })
    }

    /// Damage to the parts that no entry depends on: the metaindex block and the padding of the footer.
    pub fn damage(&self) -> &[Error] {
        &self.damage
    }

    /// The file.
    pub fn file(&self) -> Arc<dyn ReadAt> {
        Arc::clone(&self.file)
    }

    /// The handles and separators of the data blocks, in order.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks {
            entries: Entries::new(&self.index, &self.limits),
            limit: self.index.handle().offset,
            before: 0,
        }
    }

    /// Reads and verifies the block at `handle`.
    ///
    /// # Errors
    /// As for [`Block::open`].
    pub fn block(&self, handle: BlockHandle) -> Result<Block> {
        Block::open(&self.file, handle)
    }

    /// Calls `visit` with every readable entry, in order, until it breaks. Returns all damage.
    ///
    /// Skips damaged blocks, and the rest of a block after an invalid entry. Entries out of order are damage, and are visited
    /// all the same. `visit` breaks with the damage of an entry.
    pub fn scan(
        &self,
        visit: &mut dyn FnMut(&[u8], Value<'_>) -> ControlFlow<Error>,
    ) -> Vec<Error> {
        let mut damage = self.damage.clone();
        let mut blocks = self.blocks();
        let mut separator = Vec::new();
        let mut first = true;
        loop {
            match blocks.next() {
                None => return damage,
                Some(Err(error)) => damage.push(error),
                Some(Ok(handle)) => {
                    let order = Order {
                        after: (!first).then_some(separator.as_slice()),
                        up_to: blocks.separator(),
                    };
                    match self.scan_block(handle, &order, visit) {
                        ControlFlow::Continue(Ok(())) => {}
                        ControlFlow::Continue(Err(error)) => damage.push(error),
                        ControlFlow::Break(error) => {
                            damage.push(error);
                            return damage;
                        }
                    }
                }
            }
            first = false;
            separator.clear();
            separator.extend_from_slice(blocks.separator());
        }
    }

    fn scan_block(
        &self,
        handle: BlockHandle,
        order: &Order<'_>,
        visit: &mut dyn FnMut(&[u8], Value<'_>) -> ControlFlow<Error>,
    ) -> ControlFlow<Error, Result<()>> {
        let block = match self.block(handle) {
            Ok(block) => block,
            Err(error) => return ControlFlow::Continue(Err(error)),
        };
        let mut entries = Entries::new(&block, &self.limits);
        let mut outcome = Ok(());
        let mut first = true;
        loop {
            match entries.next() {
                Ok(None) => break,
                Ok(Some((key, value))) => {
                    let at = value.offset();
                    visit(key, value)?;
                    let ascending = entries.is_ascending()
                        && !(first && order.after.is_some_and(|after| entries.key() <= after));
                    if !ascending && outcome.is_ok() {
                        outcome = Err(out_of_order("key", entries.key(), AFTER_PREVIOUS).at(at));
                    }
                }
                Err(error) => return ControlFlow::Continue(Err(error)),
            }
            first = false;
        }
        if outcome.is_ok() && !first && entries.key() > order.up_to {
            outcome = Err(out_of_order(
                "separator",
                order.up_to,
                "one that is no less than the keys of its block",
            )
            .at(handle.offset));
        }
        ControlFlow::Continue(outcome)
    }
}

/// The bounds of the keys of a block.
struct Order<'a> {
    /// The separator of the previous block.
    after: Option<&'a [u8]>,
    /// The separator of the block.
    up_to: &'a [u8],
}

/// The order that keys must have.
pub(crate) const AFTER_PREVIOUS: &str = "one greater than the one before it";

/// The error for a key that is out of order.
pub(crate) fn out_of_order(what: &'static str, key: &[u8], expected: &str) -> Error {
    const SHOWN: usize = 64;
    let shown = key.get(..SHOWN).unwrap_or(key).escape_ascii();
    let dots = if key.len() > SHOWN { "…" } else { "" };
    Error::unexpected(what, format_args!("\"{shown}{dots}\""), expected)
}

/// Reads the entries of the index block.
#[derive(Debug)]
pub struct Blocks<'a> {
    entries: Entries<'a>,
    /// The offset of the index block, which follows the data blocks.
    limit: u64,
    /// The end of the previous block.
    before: u64,
}

impl Blocks<'_> {
    /// The handle of the next data block; [`separator`](Self::separator) returns its separator.
    ///
    /// After an error about one handle, or about the order of two separators, the next handles still follow.
    #[expect(clippy::should_implement_trait, reason = "the separator is borrowed from the reader")]
    pub fn next(&mut self) -> Option<Result<BlockHandle>> {
        match self.entries.next() {
            Ok(None) => None,
            Ok(Some((_, value))) => Some(self.handle(&value)),
            Err(error) => Some(Err(error)),
        }
    }

    /// The separator of the last block: not less than its keys, and less than those of the next block.
    pub fn separator(&self) -> &[u8] {
        self.entries.key()
    }

    fn handle(&mut self, value: &Value<'_>) -> Result<BlockHandle> {
        let bytes = value.bytes(20)?;
        let mut cursor = Cursor::new(&bytes, value.offset());
        let handle = BlockHandle::parse(&mut cursor)?;
        if cursor.remaining() > 0 {
            let expected = "two varints";
            let error =
                Error::unexpected("block handle", format_args!("{} bytes", bytes.len()), expected);
            return Err(error.at(value.offset()));
        }
        handle.check(self.limit, value.offset())?;
        if handle.offset < self.before {
            let expected = format!("{}, where the block before it ends", self.before);
            let error = Error::unexpected("offset of a block", handle.offset, expected);
            return Err(error.at(value.offset()));
        }
        self.before = handle.end().unwrap_or(self.limit);
        if !self.entries.is_ascending() {
            let error = out_of_order("separator", self.entries.key(), AFTER_PREVIOUS);
            return Err(error.at(value.offset()));
        }
        Ok(handle)
    }
}

fn unused_parts(file: &Arc<dyn ReadAt>, footer: &Footer) -> Vec<Error> {
    let start = file.len() - FOOTER_LEN as u64;
    let metaindex =
        footer.metaindex.check(start, start).and_then(|()| Block::open(file, footer.metaindex));
    let padding = footer
        .bad_padding
        .map(|at| Error::unexpected("padding of the footer", "not all zero", "zeros").at(at));
    metaindex.err().into_iter().chain(padding).collect()
}
