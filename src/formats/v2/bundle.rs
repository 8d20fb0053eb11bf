//! Reads a V2 checkpoint: the index, and a source for each name in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::magic;
use crate::probe::Probe;
use crate::tensor::{Name, Shape, Slice};

use super::super::contents::StoredAs;
use super::super::partitioned::{Partitioned, StoredSlice};
use super::super::proto::Extents;
use super::super::shards::Shards;
use super::super::{Contents, Entry, slice_key};
use super::entry::{BundleEntry, ByteOrder};
use super::index::Index;
use super::path;
use super::slices::{NamedEntry, Slices};
use super::stored::Stored;

pub(super) fn read(probe: &Probe, prefix: &Path, limits: &Limits) -> Result<Contents> {
    let index = path::index_of(prefix);
    let is_named_by_index = probe.path() == index;
    let other = probe.at(&index);
    let (table, bundle) = open(if is_named_by_index { probe } else { &other }, limits)?;
    let has_data = !is_named_by_index || bundle.shards.any();
    Ok(bundle.contents(table.entries, table.damage, has_data))
}

pub(super) fn read_file(probe: &Probe, limits: &Limits) -> Result<Contents> {
    let (table, bundle) = open(probe, limits)?;
    Ok(bundle.contents(table.entries, table.damage, false))
}

/// Reads an index without opening shards.
pub(super) fn open<'l>(index: &Probe, limits: &'l Limits) -> Result<(Index, Bundle<'l>)> {
    if let Some(other) = magic::other_kind(index) {
        return Err(other);
    }
    let file = index.path();
    let table = Index::read(index.open()?, limits).map_err(|error| error.in_file(file))?;
    let prefix = path::prefix_of(index.path());
    let shards = shards(&prefix, &table);
    let bundle = Bundle { order: table.order, index: file.to_path_buf(), prefix, shards, limits };
    Ok((table, bundle))
}

fn shards(prefix: &Path, index: &Index) -> Arc<Shards> {
    Arc::new(Shards::new(path::data_of(prefix), index.shards))
}

/// What all entries of a checkpoint share.
pub(super) struct Bundle<'a> {
    order: ByteOrder,
    index: PathBuf,
    pub(super) prefix: PathBuf,
    pub(super) shards: Arc<Shards>,
    limits: &'a Limits,
}

impl Bundle<'_> {
    fn contents(
        &self,
        mut entries: Vec<NamedEntry>,
        mut damage: Vec<Error>,
        has_data: bool,
    ) -> Contents {
        let files = self.files(&entries, has_data);
        // Keys that start with NUL precede all others.
        let keyed = entries.partition_point(|(name, _)| name.as_bytes().first() == Some(&0));
        let named = entries.split_off(keyed);
        let mut slices = Slices::new(entries);
        let mut out = Vec::with_capacity(named.len());
        for (name, read) in named {
            let source = read.and_then(|entry| self.source(&name, entry, &mut slices));
            out.push(self.entry(name, source));
        }
        for (name, read) in slices.take_parents() {
            let source = read.and_then(|entry| self.source(&name, entry, &mut slices));
            out.push(self.entry(name, source));
        }
        out.sort_by(|a, b| a.name.cmp(&b.name));
        let whole = out.len();
        for (name, read) in slices.unclaimed() {
            match slice_key::name(name.as_bytes()).map(|parent| Name::from(&parent)) {
                Some(parent) => {
                    let found = out.get(..whole).unwrap_or(&[]);
                    damage.extend(orphan(&parent, found).map(|error| error.in_file(&self.index)));
                }
                None => {
                    let source = read.and_then(|entry| self.source(&name, entry, &mut slices));
                    out.push(self.entry(name, source));
                }
            }
        }
        out.sort_by(|a, b| a.name.cmp(&b.name));
        let prefix = self.prefix.clone();
        let (metadata, scan) = (Vec::new(), Box::new(Vec::new));
        Contents { prefix, files, entries: out, metadata, damage, has_data, scan }
    }

    fn entry(&self, name: Name, stored: Result<StoredAs>) -> Entry {
        Entry::stored(name, stored, |error, name| error.of_tensor(name).in_file(&self.index))
    }

    fn source(&self, name: &Name, mut entry: BundleEntry, slices: &mut Slices) -> Result<StoredAs> {
        let extents = std::mem::take(&mut entry.slices);
        // TensorFlow reads a full slice from the entry of the tensor.
        if extents.is_empty() || matches!(&*extents, [only] if is_full(only)) {
            return Ok(StoredAs::Whole(Box::new(self.stored(entry)?)));
        }
        let parts = self.parts(name, &entry, &extents, slices)?;
        let index = self.index.clone();
        Ok(StoredAs::Slices(Partitioned::new(entry.dtype, entry.shape, parts, index)))
    }

    fn parts(
        &self,
        name: &Name,
        whole: &BundleEntry,
        extents: &[Extents],
        slices: &mut Slices,
    ) -> Result<Vec<StoredSlice>> {
        let mut key = Vec::new();
        // Each key repeats the name, so many slices of a long name take more memory than the file.
        let key_bytes = (name.as_bytes().len() as u64).saturating_mul(extents.len() as u64);
        if key_bytes > self.limits.entry_bytes {
            let expected = format!("at most {}", self.limits.entry_bytes);
            return Err(Error::unexpected("bytes of a tensor's slice keys", key_bytes, expected));
        }
        let mut parts = Vec::with_capacity(extents.len());
        for extent in extents {
            let slice = Slice::new(extent, &whole.shape)?;
            key.clear();
            slice_key::write(name.as_bytes(), extent, &mut key);
            let part = slices.take(&key, &slice)?;
            if part.dtype != whole.dtype {
                let expected = format!("{}, that of the tensor", whole.dtype);
                return Err(Error::unexpected("dtype of a slice", part.dtype, expected));
            }
            if part.shape != *slice.shape() {
                return Err(wrong_shape(&part.shape, &slice));
            }
            parts.push(StoredSlice { slice, source: Box::new(self.stored(part)?) });
        }
        Ok(parts)
    }

    fn stored(&self, entry: BundleEntry) -> Result<Stored> {
        Stored::new(entry, self.order, &self.shards)
    }

    /// The index and its shards; if the index claims many shards, only those with entries.
    fn files(&self, entries: &[NamedEntry], has_data: bool) -> Vec<PathBuf> {
        let mut files = vec![self.index.clone()];
        if has_data {
            let used: BTreeSet<u32> = match self.shards.count() {
                count @ 0..=1024 => (0..count).collect(),
                _ => {
                    entries.iter().filter_map(|(_, read)| Some(read.as_ref().ok()?.shard)).collect()
                }
            };
            files.extend(used.into_iter().map(|number| self.shards.path(number)));
        }
        files
    }
}

/// The error for a slice that its tensor `parent` does not list; `None` if `parent` is damaged itself.
fn orphan(parent: &Name, entries: &[Entry]) -> Option<Error> {
    let expected = match entries.binary_search_by(|entry| entry.name.cmp(parent)) {
        Ok(i) if entries.get(i).is_some_and(|entry| entry.source.is_err()) => return None,
        Ok(_) => "a slice that the tensor lists",
        Err(_) => "a slice of a tensor in the index",
    };
    let found = format!("a slice of tensor {}", parent.printable());
    Some(Error::unexpected("slice", found, expected))
}

fn is_full(extents: &Extents) -> bool {
    extents.iter().all(|&extent| extent == (0, -1))
}

fn wrong_shape(found: &Shape, slice: &Slice) -> Error {
    Error::unexpected("shape of a slice", found, format_args!("{}, that of {slice}", slice.shape()))
}
