//! One file of a V1 checkpoint, and the locations of its slices.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::bytes::{ReadAt, Stream};
use crate::error::{Error, Result, shortened};
use crate::limits::Limits;
use crate::table::{AFTER_PREVIOUS, Block, BlockHandle, Entries, Table, out_of_order};
use crate::tensor::Name;

use super::super::proto::Extents;
use super::super::slice_key;

/// A slice that the meta lists.
#[derive(Debug)]
pub(super) struct ListedSlice {
    pub(super) name: Name,
    pub(super) extents: Extents,
}

impl ListedSlice {
    fn key(&self, key: &mut Vec<u8>) {
        key.clear();
        slice_key::write(self.name.as_bytes(), &self.extents, key);
    }
}

/// A table, its slices, and the blocks that must contain them.
#[derive(Debug)]
pub(super) struct TableFile {
    path: PathBuf,
    table: Table,
    limits: Limits,
    /// In the order of the keys.
    slices: Vec<ListedSlice>,
    /// In the order of the keys, without blocks that contain no slice.
    groups: Vec<Group>,
    kept: Mutex<Option<Block>>,
}

/// The slices in one block.
#[derive(Debug)]
struct Group {
    /// The range of the slices.
    start: usize,
    end: usize,
    block: Result<BlockHandle>,
    /// The locations of the values, found when the first one is read.
    found: OnceLock<Result<VerifiedBlock>>,
}

/// A verified block.
#[derive(Debug)]
struct VerifiedBlock {
    /// For each slice of the block, the offsets of its value and of the byte after it.
    places: Vec<Option<(u64, u64)>>,
    compressed: bool,
}

impl TableFile {
    /// Finds the block of each slice by the index alone. Also returns the damage to the index.
    pub(super) fn new(
        path: PathBuf,
        table: Table,
        slices: Vec<ListedSlice>,
        limits: &Limits,
    ) -> (Self, Vec<Error>) {
        let mut damage = Vec::new();
        let mut groups = Vec::new();
        let mut start = 0;
        // A key is as long as the name in it, so each is composed once and not once per block.
        let (mut key, mut composed) = (Vec::new(), None);
        let mut blocks = table.blocks();
        let mut broken = None;
        while let Some(block) = blocks.next() {
            let block = block.map_err(|error| error.in_file(&path));
            damage.extend(block.as_ref().err().cloned());
            if block.is_err() {
                broken = block.as_ref().err().cloned();
            }
            let mut end = start;
            while let Some(slice) = slices.get(end) {
                if composed != Some(end) {
                    slice.key(&mut key);
                    composed = Some(end);
                }
                if key.as_slice() > blocks.separator() {
                    break;
                }
                end += 1;
            }
            if end > start {
                groups.push(Group { start, end, block, found: OnceLock::new() });
                start = end;
            }
        }
        // A broken entry of the index hides the blocks that follow.
        if let Some(error) = broken.filter(|_| start < slices.len()) {
            let end = slices.len();
            groups.push(Group { start, end, block: Err(error), found: OnceLock::new() });
        }
        let (limits, kept) = (limits.clone(), Mutex::default());
        (Self { path, table, limits, slices, groups, kept }, damage)
    }

    /// Reads every block, and returns the damage: blocks that cannot be read, and entries that the list of tensors lacks. The list may
    /// lack the slices of `refused` tensors, whose errors are already known.
    pub(super) fn scan(&self, refused: &BTreeSet<Name>) -> Vec<Error> {
        let mut listed = self.slices.iter();
        // The key of the next listed slice; empty at the end.
        let mut next = Vec::new();
        let mut advance = |next: &mut Vec<u8>| match listed.next() {
            Some(slice) => slice.key(next),
            None => next.clear(),
        };
        advance(&mut next);
        let (mut first, mut count) = (None, 0_u64);
        let mut damage = self.table.scan(&mut |key, value| {
            while !next.is_empty() && next.as_slice() < key {
                advance(&mut next);
            }
            if !key.is_empty() && next != key {
                let name = slice_key::name(key).map_or(Name::from(key), |name| Name::from(&name));
                if !refused.contains(&name) {
                    first.get_or_insert((name, value.offset()));
                    count += 1;
                }
            }
            ControlFlow::Continue(())
        });
        damage.extend(first.map(|(name, offset)| unlisted(&name, count).at(offset)));
        damage.into_iter().map(|error| error.in_file(&self.path)).collect()
    }

    /// The slice with this number.
    pub(super) fn slice(&self, number: usize) -> Result<&ListedSlice> {
        self.slices.get(number).ok_or_else(|| self.no_content(number))
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The value of a slice. Its block is verified.
    pub(super) fn value(&self, number: usize) -> Result<Stream> {
        let group = self.groups.partition_point(|group| group.end <= number);
        let group = self.groups.get(group).filter(|group| group.start <= number);
        let group = group.ok_or_else(|| self.no_content(number))?;
        let handle = group.block.clone()?;
        let found = group.found.get_or_init(|| {
            let block = self.table.block(handle)?;
            let places = self.find(group, &block)?;
            let compressed = block.is_compressed();
            if compressed {
                self.keep(block);
            }
            Ok(VerifiedBlock { places, compressed })
        });
        let found = found.as_ref().map_err(|error| error.clone().in_file(&self.path))?;
        let place = found.places.get(number - group.start).copied().flatten();
        let (start, end) = place.ok_or_else(|| self.no_content(number))?;
        let source = if found.compressed { self.decompressed(handle)? } else { self.table.file() };
        Ok(Stream::new(source, start, end))
    }

    /// The length of the value of a slice; 0 if it cannot be read.
    pub(super) fn value_bytes(&self, number: usize) -> u64 {
        // The length is only displayed; reading the tensor reports the error.
        self.value(number).map_or(0, |value| value.remaining())
    }

    fn no_content(&self, number: usize) -> Error {
        let error = Error::not_found("the table has no content for it").in_file(&self.path);
        match self.slices.get(number) {
            Some(slice) => error.of_tensor(&slice.name),
            None => error,
        }
    }

    /// Finds all slices of a block in one pass.
    fn find(&self, group: &Group, block: &Block) -> Result<Vec<Option<(u64, u64)>>> {
        let slices = self.slices.get(group.start..group.end).unwrap_or(&[]);
        let mut found = vec![None; slices.len()];
        let mut slots = slices.iter().zip(&mut found);
        let mut next = slots.next();
        let (mut key, mut composed) = (Vec::new(), false);
        let mut entries = Entries::new(block, &self.limits);
        while let Some((stored, value)) = entries.next()? {
            while let Some((slice, slot)) = &mut next {
                if !composed {
                    slice.key(&mut key);
                    composed = true;
                }
                if key.as_slice() > stored {
                    break;
                }
                if key == stored {
                    **slot = Some((value.offset(), value.end()));
                }
                next = slots.next();
                composed = false;
            }
            if next.is_none() {
                break;
            }
            if !entries.is_ascending() {
                return Err(out_of_order("key", entries.key(), AFTER_PREVIOUS).at(value.offset()));
            }
        }
        Ok(found)
    }

    /// Keeps the last block, so that it is not decompressed for every tensor in it.
    fn keep(&self, block: Block) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(block);
    }

    /// The content of a compressed block.
    fn decompressed(&self, handle: BlockHandle) -> Result<Arc<dyn ReadAt>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(block) = kept.filter(|block| block.handle() == handle) {
            return Ok(block.source());
        }
        let block = self.table.block(handle).map_err(|error| error.in_file(&self.path))?;
        self.keep(block.clone());
        Ok(block.source())
    }
}

/// The error for entries that the list of tensors lacks; `name` is the tensor of the first.
fn unlisted(name: &Name, count: u64) -> Error {
    let name = name.printable();
    let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
    let found = format!("a slice of tensor {}{more}", shortened(&name));
    Error::unexpected("slice", found, "a slice that the list of tensors has")
}
