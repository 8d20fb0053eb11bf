//! One V2 checkpoint made of several, without reading their content: what `MergeV2Checkpoints` does at the end of a
//! sharded save.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::{Limits, ReadAt};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{Complete, Existing, NewFile, cannot_write, folder, is_same_path};
use crate::tensor::{Name, Slice};

use super::super::probe::Probe;
use super::super::{overlap, publish, shard_name, state};
use super::entry::{BundleEntry, ByteOrder, write_index};
use super::index::Index;
use super::{Shards, path};

/// What becomes of the parts once they are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// They stay. The merged checkpoint shares their data by links, or where the system has none has copies.
    Keep,
    /// They are removed, and their folders where those are empty then.
    Remove,
}

/// Makes one checkpoint of the V2 checkpoints `parts`, whose shards become shards of it. A tensor may have slices in several.
///
/// ```no_run
/// use ckdiff::checkpoint::{Existing, Parts, merge};
///
/// let parts = ["model.ckpt_temp/part-00000-of-00002", "model.ckpt_temp/part-00001-of-00002"];
/// merge(&parts, "model.ckpt".as_ref(), Existing::Refuse, Parts::Remove)?;
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// When a part is none, is damaged, or has another byte order than the first; two parts have a tensor in common, or slices
/// of it that overlap or differ in type or whole shape; a file cannot be linked nor copied; or there is a checkpoint at `path`
/// that may not be replaced. Then everything is as it was.
pub fn merge(
    parts: &[impl AsRef<Path>],
    path: &Path,
    existing: Existing,
    after: Parts,
) -> Result<()> {
    if parts.is_empty() {
        return Err(ErrorKind::Usage("there is nothing to merge".into()).into());
    }
    publish::check_place(path, &super::FORMAT, existing)?;
    let (files, parts) = prepare(parts, path)?;
    publish::publish(path, existing, files, &state::beside(path))?;
    if after == Parts::Remove {
        parts.iter().try_for_each(MergedPart::remove)?;
    }
    Ok(())
}

/// The files of the merged checkpoint, which only want their names, and what they were made of.
pub(crate) fn prepare(
    parts: &[impl AsRef<Path>],
    path: &Path,
) -> Result<(Vec<Complete>, Vec<MergedPart>)> {
    let mut merged = Merged::default();
    for part in parts {
        let part = MergedPart::open(part.as_ref())?;
        if is_same_path(&part.prefix, path) {
            let kind = "a part cannot be what it is merged into".into();
            return Err(Error::from(ErrorKind::Usage(kind)).in_file(path));
        }
        merged.add(part)?;
    }
    merged.check_slices()?;
    Ok((merged.files(path)?, merged.parts))
}

/// A checkpoint that is merged into another.
pub(crate) struct MergedPart {
    prefix: PathBuf,
    index: PathBuf,
    contents: Index,
    shards: Arc<Shards>,
}

impl MergedPart {
    fn open(path: &Path) -> Result<Self> {
        let index = path::locate(&Probe::new(path)).ok_or_else(|| {
            let kind = "there is no V2 checkpoint; only those can be merged (save-as makes one)";
            Error::from(ErrorKind::NotFound(kind.into())).in_file(path)
        })?;
        let limits = Limits::default();
        let (contents, bundle) = super::open(&Probe::new(&index), &limits)?;
        if let Some(damage) = contents.damage.first() {
            return Err(damage.clone());
        }
        Ok(Self { prefix: bundle.prefix, index, contents, shards: bundle.shards })
    }

    /// Removes its files, the index first, and its folder if nothing else is there.
    pub(crate) fn remove(&self) -> Result<()> {
        let mut files = vec![self.index.clone()];
        files.extend((0..self.contents.shards).map(|number| self.shards.path(number)));
        for file in files.iter().filter(|file| file.exists()) {
            fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
        }
        // What is not empty stays.
        let _ = fs::remove_dir(folder(&self.index));
        Ok(())
    }
}

/// What the parts so far come to.
#[derive(Default)]
struct Merged {
    order: Option<ByteOrder>,
    entries: BTreeMap<Vec<u8>, BundleEntry>,
    /// Each shard that an entry is in: the part and the number there, by its number here.
    used: Vec<(usize, u32)>,
    /// All that the headers count; of a shard that no entry is in there may be no file.
    shards: u32,
    parts: Vec<MergedPart>,
}

impl Merged {
    fn add(&mut self, part: MergedPart) -> Result<()> {
        let in_index = |error: Error| error.in_file(&part.index);
        let order = *self.order.get_or_insert(part.contents.order);
        if order != part.contents.order {
            let kind = "the parts differ in their byte order".into();
            return Err(in_index(Error::from(ErrorKind::Unsupported(kind))));
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
                    check_bounds(&entry, &part.shards).map_err(|e| e.of_tensor(name))?;
                    let used = &mut self.used;
                    entry.shard = *numbers.entry(entry.shard).or_insert_with(|| {
                        used.push((self.parts.len(), entry.shard));
                        // As many as the headers count, and those are checked.
                        u32::try_from(used.len() - 1).unwrap_or(u32::MAX)
                    });
                    place.insert(entry);
                }
            }
        }
        self.shards = self.shards.saturating_add(part.contents.shards);
        self.parts.push(part);
        Ok(())
    }

    /// Slices of one tensor may come from several parts, each of which knows only its own.
    fn check_slices(&self) -> Result<()> {
        for (key, entry) in self.entries.iter().filter(|(_, entry)| !entry.slices.is_empty()) {
            let slices: Result<Vec<Slice>> =
                entry.slices.iter().map(|slice| Slice::new(slice, &entry.shape)).collect();
            let checked = slices.and_then(|slices| overlap::check(&slices));
            checked.map_err(|error| error.of_tensor(&Name::from(key)))?;
        }
        Ok(())
    }

    /// The files of the merged checkpoint, under other names yet.
    fn files(&self, path: &Path) -> Result<Vec<Complete>> {
        let mut files = Vec::with_capacity(self.used.len() + 1);
        for (number, &(part, shard)) in self.used.iter().enumerate() {
            let Some(part) = self.parts.get(part) else { continue };
            // As many as the headers count.
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let data = shard_name::shard(&path::data_of(path), number, self.shards);
            files.push(Complete::link(&part.shards.path(shard), &data)?);
        }
        let index = path::index_of(path);
        let order = self.order.unwrap_or(ByteOrder::Little);
        let file = write_index(self.shards, order, &self.entries, NewFile::create(&index)?);
        files.push(file.map_err(|error| cannot_write(error).in_file(&index))?.complete()?);
        Ok(files)
    }
}

/// Joins what two parts say of one tensor: only slices of it may be in both.
fn join(known: &mut BundleEntry, other: BundleEntry) -> Result<()> {
    if known.slices.is_empty() || other.slices.is_empty() {
        return Err(Error::unexpected("name", "in two parts", "each tensor may be in one"));
    }
    if (known.dtype, &known.shape) != (other.dtype, &other.shape) {
        let found = format!("of {} of shape {}", other.dtype, other.shape);
        let allowed = format!("in another part it is {} of shape {}", known.dtype, known.shape);
        return Err(Error::unexpected("slice", found, allowed));
    }
    known.slices.extend(other.slices);
    Ok(())
}

/// Checks that the shard is there and long enough; its content is not read.
fn check_bounds(entry: &BundleEntry, shards: &Shards) -> Result<()> {
    let file = shards.file(entry.shard)?;
    let have = file.len().saturating_sub(entry.offset);
    if have < entry.size {
        let error = Error::truncated("content", entry.size, have);
        return Err(error.at(entry.offset).in_file(file.path()));
    }
    Ok(())
}
