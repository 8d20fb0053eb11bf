//! The V2 checkpoint ("tensor bundle"): `P.index`, a table of names, beside `P.data-00000-of-00001` and its like, the
//! content.
//!
//! ```text
//! P.index := table; key "" → BundleHeaderProto; name → BundleEntryProto; slice key → BundleEntryProto
//! P.data  := content of tensors, in any order, gaps allowed
//!
//! numbers  := elements, row-major, in the header's byte order
//! strings  := length: varint *, masked crc32c of the lengths: u32, bytes *
//! variants := (length: varint, VariantTensorDataProto, masked crc32c so far: u32) *
//! ```
//! A partitioned variable's entry has no content but a list of slices; each slice has an entry of its own under
//! its slice key. Source: TensorFlow's `tensor_bundle.cc`. Two checksums are of other bytes than those stored: string
//! lengths count as `u32` (`u64` where they need it), variant lengths as `u64`.

mod content;
mod encode;
mod entry;
mod index;
mod merge;
mod path;
mod strings;
mod variants;
mod write;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::{ChecksumKind, Limits};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::{Name, Shape, Slice, TensorSource};

use super::format::Writer;
use super::partitioned::{Part, Partitioned};
use super::probe::Probe;
use super::shard_name::shards_of;
use super::shards::Shards;
use super::wire::Extents;
use super::{Contents, Entry, Format, slice_key};

use content::Stored;
use entry::{BundleEntry, ByteOrder};
use index::Index;
pub(crate) use merge::{MergedPart, prepare as prepare_merge};
pub use merge::{Parts, merge};

/// See [`FORMATS`](super::FORMATS).
pub(super) static FORMAT: Format = Format {
    name: "V2",
    option: "v2",
    about: "An index and data in shards: what TensorFlow has written since 2016",
    checksum: Some(ChecksumKind::Crc32c),
    version: Some(CheckpointFormatVersion::V2),
    role: path::role,
    locate: path::locate,
    files: path::files,
    listed: path::listed,
    read,
    read_file,
    writer: Some(Writer {
        opened_by: |path, _| path.to_path_buf(),
        keeps_metadata: false,
        write: write::write,
    }),
};

fn read(probe: &Probe, index: &Path, limits: &Limits) -> Result<Contents> {
    let is_named_by_index = probe.path() == index;
    let other = Probe::new(index);
    let (table, bundle) = open(if is_named_by_index { probe } else { &other }, limits)?;
    let has_data = !is_named_by_index || bundle.shards.any();
    Ok(bundle.contents(table.entries, table.damage, has_data))
}

fn read_file(probe: &Probe, limits: &Limits) -> Result<Contents> {
    let (table, bundle) = open(probe, limits)?;
    Ok(bundle.contents(table.entries, table.damage, false))
}

/// Reads an index; nothing of the shards is opened.
fn open<'l>(index: &Probe, limits: &'l Limits) -> Result<(Index, Bundle<'l>)> {
    if let Some(other) = index.other() {
        return Err(other);
    }
    let path = index.path();
    let table = Index::read(index.open()?, limits).map_err(|error| error.in_file(path))?;
    let prefix = path.with_extension("");
    let shards = shards(&prefix, &table);
    let bundle = Bundle { order: table.order, index: path.to_path_buf(), prefix, shards, limits };
    Ok((table, bundle))
}

fn shards(prefix: &Path, index: &Index) -> Arc<Shards> {
    Arc::new(Shards::new(path::data_of(prefix), index.shards))
}

/// Whether there is content of a checkpoint with this prefix.
pub(super) fn has_data(prefix: &Path) -> bool {
    !shards_of(&path::data_of(prefix), 0, "").is_empty()
}

/// What the entries of one checkpoint have in common.
struct Bundle<'a> {
    order: ByteOrder,
    index: PathBuf,
    prefix: PathBuf,
    shards: Arc<Shards>,
    limits: &'a Limits,
}

/// An index entry, or why it cannot be read.
type Read = (Name, Result<BundleEntry>);

impl Bundle<'_> {
    fn contents(&self, mut entries: Vec<Read>, mut damage: Vec<Error>, has_data: bool) -> Contents {
        let files = self.files(&entries, has_data);
        // Keys that start with NUL come before all others.
        let keyed = entries.partition_point(|(name, _)| name.as_bytes().first() == Some(&0));
        let named = entries.split_off(keyed);
        let mut slices = Slices { entries, claimed: BTreeSet::new() };
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
        let (metadata, tables) = (Vec::new(), Vec::new());
        Contents { prefix, files, entries: out, metadata, damage, has_data, tables }
    }

    fn entry(&self, name: Name, source: Result<Box<dyn TensorSource>>) -> Entry {
        let source = source.map_err(|error| error.of_tensor(&name).in_file(&self.index));
        Entry { name, source }
    }

    fn source(
        &self,
        name: &Name,
        mut entry: BundleEntry,
        slices: &mut Slices,
    ) -> Result<Box<dyn TensorSource>> {
        let extents = std::mem::take(&mut entry.slices);
        // TensorFlow takes a full slice from the entry itself.
        if extents.is_empty() || matches!(&*extents, [only] if is_full(only)) {
            return Ok(Box::new(self.stored(entry)?));
        }
        let parts = self.parts(name, &entry, &extents, slices)?;
        Ok(Box::new(Partitioned::new(entry.dtype, entry.shape, parts, self.index.clone())?))
    }

    fn parts(
        &self,
        name: &Name,
        whole: &BundleEntry,
        extents: &[Extents],
        slices: &mut Slices,
    ) -> Result<Vec<Part>> {
        let mut key = Vec::new();
        // Each key repeats the name, so many slices of a long name are more than the file's size.
        let key_bytes = (name.as_bytes().len() as u64).saturating_mul(extents.len() as u64);
        if key_bytes > self.limits.entry_bytes {
            let allowed = format!("at most {} are allowed", self.limits.entry_bytes);
            return Err(Error::unexpected("bytes of a tensor's slice keys", key_bytes, allowed));
        }
        let mut parts = Vec::with_capacity(extents.len());
        for extent in extents {
            let slice = Slice::new(extent, &whole.shape)?;
            key.clear();
            slice_key::write(name.as_bytes(), extent, &mut key);
            let part = slices.take(&key, &slice)?;
            if part.dtype != whole.dtype {
                let allowed = format!("the tensor is {}", whole.dtype);
                return Err(Error::unexpected("type of a slice", part.dtype, allowed));
            }
            if part.shape != *slice.shape() {
                return Err(wrong_shape(&part.shape, &slice));
            }
            parts.push(Part { slice, source: Box::new(self.stored(part)?) });
        }
        Ok(parts)
    }

    fn stored(&self, entry: BundleEntry) -> Result<Stored> {
        Stored::new(entry, self.order, &self.shards)
    }

    /// The index and the shards; where they are said to be many, those that entries name.
    fn files(&self, entries: &[Read], has_data: bool) -> Vec<PathBuf> {
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

/// Why there is a slice of `parent` that it does not list; `None` where the trouble with `parent` is known.
fn orphan(parent: &Name, entries: &[Entry]) -> Option<Error> {
    let allowed = match entries.binary_search_by(|entry| entry.name.cmp(parent)) {
        Ok(i) if entries.get(i).is_some_and(|entry| entry.source.is_err()) => return None,
        Ok(_) => "the tensor does not list it",
        Err(_) => "there is no such tensor in the index",
    };
    let found = format!("of tensor {}", parent.printable());
    Some(Error::unexpected("slice", found, allowed))
}

fn is_full(extents: &Extents) -> bool {
    extents.iter().all(|&extent| extent == (0, -1))
}

fn wrong_shape(found: &Shape, slice: &Slice) -> Error {
    Error::unexpected(
        "shape of a slice",
        found,
        format_args!("its box {slice} has {}", slice.shape()),
    )
}

/// The entries whose keys start with NUL, in the order of their keys: slices, and tensors of such names.
struct Slices {
    entries: Vec<Read>,
    claimed: BTreeSet<usize>,
}

impl Slices {
    /// Takes out the entries that have slices themselves: tensors whose names start with NUL.
    fn take_parents(&mut self) -> Vec<Read> {
        let is_parent = |(_, read): &Read| read.as_ref().is_ok_and(|e| !e.slices.is_empty());
        let parents: Vec<usize> = (0..self.entries.len())
            .filter(|i| self.entries.get(*i).is_some_and(is_parent))
            .collect();
        self.claimed.extend(&parents);
        parents.iter().filter_map(|&i| self.entries.get(i).cloned()).collect()
    }

    /// The entries that no tensor lists as its slices.
    fn unclaimed(&self) -> Vec<Read> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(i, _)| !self.claimed.contains(i)).map(|(_, read)| read.clone()).collect()
    }

    fn take(&mut self, key: &[u8], slice: &Slice) -> Result<BundleEntry> {
        let place = self.entries.binary_search_by(|(name, _)| name.as_bytes().cmp(key));
        let found = place.ok().and_then(|i| Some((i, self.entries.get(i)?)));
        let Some((i, (_, read))) = found else {
            return Err(ErrorKind::NotFound(format!("slice {slice} is not in the index")).into());
        };
        if !self.claimed.insert(i) {
            let allowed = "each may be listed once";
            return Err(Error::unexpected("slice", format!("{slice} twice"), allowed));
        }
        let entry = read.as_ref().map_err(Error::clone)?;
        Ok(entry.clone())
    }
}
