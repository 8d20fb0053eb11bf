//! Prepares the files of a checkpoint that is merged from several, without reading their content.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::files::{CompleteFile, NewFile, cannot_write, is_same_path};
use crate::limits::Limits;
use crate::tensor::{Name, Slice};

use super::super::format::Merged;
use super::super::shards::Shards;
use super::super::stored_tensor::shard_count;
use super::super::{overlap, shard_name};
use super::bundle::open;
use super::entry::{BundleEntry, ByteOrder, write_index};
use super::index::Index;
use super::path;
use crate::probe::Probe;

/// Merges the checkpoints with these prefixes. See [`Writer::merge`](super::super::format::Writer).
pub(super) fn merge(prefixes: &[PathBuf], path: &Path) -> Result<Merged> {
    let mut merger = Merger::default();
    for prefix in prefixes {
        let part = Part::open(prefix)?;
        if is_same_path(&part.prefix, path) {
            return Err(Error::usage("the output is also one of the parts").in_file(path));
        }
        merger.add(part)?;
    }
    merger.check_slices()?;
    let files = merger.files(path)?;
    Ok(Merged { files, parts: merger.parts.iter().map(Part::files).collect() })
}

/// A checkpoint that is merged.
struct Part {
    prefix: PathBuf,
    index: PathBuf,
    contents: Index,
    shards: Arc<Shards>,
}

impl Part {
    fn open(prefix: &Path) -> Result<Self> {
        let limits = Limits::default();
        let index = path::index_of(prefix);
        let (contents, bundle) = open(&Probe::new(&index), &limits)?;
        if let Some(damage) = contents.damage.first() {
            return Err(damage.clone());
        }
        Ok(Self { prefix: bundle.prefix, index, contents, shards: bundle.shards })
    }

    fn files(&self) -> Vec<PathBuf> {
        let shards = (0..self.contents.shards).map(|number| self.shards.path(number));
        std::iter::once(self.index.clone()).chain(shards).collect()
    }
}

/// The parts that were merged so far.
#[derive(Default)]
struct Merger {
    order: Option<ByteOrder>,
    entries: BTreeMap<Vec<u8>, BundleEntry>,
    /// For each shard with entries, the part and the number of the shard in it.
    used: Vec<(usize, u32)>,
    /// The number of shards in all headers; shards without entries may have no file.
    shards: u32,
    parts: Vec<Part>,
}

impl Merger {
    fn add(&mut self, part: Part) -> Result<()> {
        let in_index = |error: Error| error.in_file(&part.index);
        let order = *self.order.get_or_insert(part.contents.order);
        if order != part.contents.order {
            let kind = "the parts differ in their byte order";
            return Err(in_index(Error::unsupported(kind)));
        }
        let mut numbers = BTreeMap::new();
        for (name, read) in &part.contents.entries {
            let in_tensor = |error: Error| in_index(error.of_tensor(name));
            let mut entry = read.clone().map_err(in_tensor)?;
            match self.entries.entry(name.as_bytes().to_vec()) {
                MapEntry::Occupied(mut known) => {
                    join(known.get_mut(), entry).map_err(in_tensor)?;
                }
                MapEntry::Vacant(place) => {
                    let bounds = part.shards.file_with(entry.shard, entry.offset, entry.size);
                    bounds.map_err(|error| error.of_tensor(name))?;
                    let used = &mut self.used;
                    entry.shard = *numbers.entry(entry.shard).or_insert_with(|| {
                        used.push((self.parts.len(), entry.shard));
                        // The headers count at least as many, and limit their counts.
                        u32::try_from(used.len() - 1).unwrap_or(u32::MAX)
                    });
                    place.insert(entry);
                }
            }
        }
        let shards = self.shards.saturating_add(part.contents.shards);
        self.shards = shard_count(usize::try_from(shards).unwrap_or(usize::MAX))?;
        self.parts.push(part);
        Ok(())
    }

    /// Checks the slices of each tensor, which may come from several parts.
    fn check_slices(&self) -> Result<()> {
        for (key, entry) in self.entries.iter().filter(|(_, entry)| !entry.slices.is_empty()) {
            let slices: Result<Vec<Slice>> =
                entry.slices.iter().map(|slice| Slice::new(slice, &entry.shape)).collect();
            let checked = slices.and_then(|slices| overlap::check(&slices));
            checked.map_err(|error| error.of_tensor(&Name::from(key)))?;
        }
        Ok(())
    }

    /// Writes the files under temporary names.
    fn files(&self, path: &Path) -> Result<Vec<CompleteFile>> {
        let mut files = Vec::with_capacity(self.used.len() + 1);
        for (number, &(part, shard)) in self.used.iter().enumerate() {
            let Some(part) = self.parts.get(part) else { continue };
            // The headers count at least as many.
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let data = shard_name::shard(&path::data_of(path), number, self.shards);
            files.push(CompleteFile::share(&part.shards.path(shard), &data)?);
        }
        let index = path::index_of(path);
        let order = self.order.unwrap_or(ByteOrder::Little);
        let file = write_index(self.shards, order, &self.entries, NewFile::create(&index)?);
        files.push(file.map_err(|error| cannot_write(error).in_file(&index))?.complete()?);
        Ok(files)
    }
}

/// Merges the entries of one tensor in two parts, which must both be lists of slices.
fn join(known: &mut BundleEntry, other: BundleEntry) -> Result<()> {
    if known.slices.is_empty() || other.slices.is_empty() {
        return Err(Error::unexpected(
            "name",
            "a tensor of two parts",
            "a tensor of one part, or of slices",
        ));
    }
    if (known.dtype, &known.shape) != (other.dtype, &other.shape) {
        let found = format!("{} of shape {}", other.dtype, other.shape);
        let expected =
            format!("{} of shape {}, that of the slices of another part", known.dtype, known.shape);
        return Err(Error::unexpected("slice", found, expected));
    }
    known.slices.extend(other.slices);
    Ok(())
}
