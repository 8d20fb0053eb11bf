//! One file of a V1 checkpoint: where in it the wanted slices are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::bytes::{Limits, ReadAt, Stream};
use crate::error::{Error, ErrorKind, Result};
use crate::table::{Block, BlockHandle, Entries, Table};
use crate::tensor::Name;

use super::super::slice_key;
use super::super::wire::Extents;

/// A slice that the meta lists.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: Name,
    pub(super) extents: Extents,
}

impl Wanted {
    fn key(&self, key: &mut Vec<u8>) {
        key.clear();
        slice_key::write(self.name.as_bytes(), &self.extents, key);
    }
}

/// A table, what is wanted of it, and in which blocks that must be.
#[derive(Debug)]
pub(super) struct TableFile {
    path: PathBuf,
    table: Arc<Table>,
    limits: Limits,
    /// In the order of the keys.
    wanted: Vec<Wanted>,
    /// In the order of the keys; those that nothing is wanted of are left out.
    groups: Vec<Group>,
    kept: Mutex<Option<Block>>,
}

/// The wanted slices of one block.
#[derive(Debug)]
struct Group {
    /// Which of the wanted: those before `end`, and not in the groups before.
    start: usize,
    end: usize,
    block: Result<BlockHandle>,
    /// Where the values are; found when the first is asked for.
    found: OnceLock<Result<Found>>,
}

/// A verified block.
#[derive(Debug)]
struct Found {
    /// Of each wanted slice of the block, from where to where its value lies.
    places: Vec<Option<(u64, u64)>>,
    compressed: bool,
}

impl TableFile {
    /// Finds the block of each wanted slice, by the index alone; gives what is damaged of that, too.
    pub(super) fn new(
        path: PathBuf,
        table: Arc<Table>,
        wanted: Vec<Wanted>,
        limits: &Limits,
    ) -> (Self, Vec<Error>) {
        let mut damage = Vec::new();
        let mut groups = Vec::new();
        let mut start = 0;
        // Composing a key takes as long as its name is, so each is composed once, not once for each block.
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
            while let Some(slice) = wanted.get(end) {
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
        // After a broken entry of the index, nothing is known of the blocks that follow.
        if let Some(error) = broken.filter(|_| start < wanted.len()) {
            let end = wanted.len();
            groups.push(Group { start, end, block: Err(error), found: OnceLock::new() });
        }
        let (limits, kept) = (limits.clone(), Mutex::default());
        (Self { path, table, limits, wanted, groups, kept }, damage)
    }

    /// What the wanted slice of this number is.
    pub(super) fn wanted(&self, number: usize) -> Result<&Wanted> {
        self.wanted.get(number).ok_or_else(|| self.not_found())
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The value of a wanted slice, its block verified.
    pub(super) fn value(&self, number: usize) -> Result<Stream<'static>> {
        let group = self.groups.partition_point(|group| group.end <= number);
        let group = self.groups.get(group).filter(|group| group.start <= number);
        let group = group.ok_or_else(|| self.not_found())?;
        let handle = group.block.clone()?;
        let found = group.found.get_or_init(|| {
            let block = self.table.block(handle)?;
            let places = self.find(group, &block)?;
            let compressed = block.is_compressed();
            if compressed {
                self.keep(block);
            }
            Ok(Found { places, compressed })
        });
        let found = found.as_ref().map_err(|error| error.clone().in_file(&self.path))?;
        let place = found.places.get(number - group.start).copied().flatten();
        let (start, end) = place.ok_or_else(|| self.not_found())?;
        let source = if found.compressed { self.decompressed(handle)? } else { self.table.file() };
        Ok(Stream::shared(source, start, end))
    }

    /// The length of a wanted slice's value; 0 if it cannot be read.
    pub(super) fn value_bytes(&self, number: usize) -> u64 {
        // Asked for a number to show; the error comes when the tensor is read.
        self.value(number).map_or(0, |value| value.remaining())
    }

    fn not_found(&self) -> Error {
        let kind = ErrorKind::NotFound("the file has no content for it".into());
        Error::from(kind).in_file(&self.path)
    }

    /// Goes through a block once, for all that is wanted of it.
    fn find(&self, group: &Group, block: &Block) -> Result<Vec<Option<(u64, u64)>>> {
        let wanted = self.wanted.get(group.start..group.end).unwrap_or(&[]);
        let mut found = vec![None; wanted.len()];
        let mut slots = wanted.iter().zip(&mut found);
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
                let error = Error::unexpected("key", "not greater", "than the one before it");
                return Err(error.at(value.offset()));
            }
        }
        Ok(found)
    }

    /// Keeps the last block for the next tensor in it: without, a block of many tensors would be decompressed for each.
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
