//! The V1 checkpoint: one table with names and content, or several such as `P-00000-of-00002`.
//!
//! ```text
//! key ""        → SavedTensorSlices.meta: of each tensor the name, full shape, type, and the slices in this file
//! a slice's key → SavedTensorSlices.data: name, slice, and a TensorProto of nothing but a `*_val` list
//! ```
//! Every tensor is stored in slices, usually in a single one. A shard lists its own tensors and slices only. Source: TensorFlow's
//! `tensor_slice_writer.cc`, `saved_tensor_slice_util.cc`.
//!
//! Opening reads only the first block. The other blocks are verified when the first of their tensors is read.

mod encode;
mod meta;
mod path;
mod saved;
mod table_file;
mod values;
mod walk;
mod write;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::{ChecksumKind, Limits, ReadAt};
use crate::error::{Error, Result};
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::table;
use crate::tensor::{DType, Name, Shape, Slice, TensorSource};

use super::format::Writer;
use super::partitioned::{Partitioned, StoredSlice};
use super::proto::{self, Extents};
use super::shard_name::of_all_shards;
use super::shards::Shards;
use super::{Contents, Entry, Format};
use crate::probe::Probe;
use crate::probe::content;

use meta::Listed;
use table_file::{ListedSlice, TableFile};
use walk::{Saved, SliceLocation};

/// See [`FORMATS`](super::FORMATS).
pub(super) static FORMAT: Format = Format {
    name: "V1",
    option: "v1",
    about: "One table for each shard",
    checksum: Some(ChecksumKind::Crc32c),
    version: Some(CheckpointFormatVersion::V1),
    role: path::role,
    locate: path::locate,
    files: path::files,
    marker: path::marker,
    prefix: path::prefix,
    listed: path::listed,
    read,
    read_file,
    writer: Some(Writer { opened_by: path::opened_by, keeps_metadata: false, write: write::write }),
};

fn read(probe: &Probe, located: &Path, limits: &Limits) -> Result<Contents> {
    // A file name may contain question marks.
    match of_all_shards(located).filter(|_| probe.path() != located || !probe.exists()) {
        Some((stem, count)) => read_shards(probe.path(), Shards::new(stem, count), limits),
        None => read_file(probe, limits),
    }
}

fn read_shards(path: &Path, shards: Shards, limits: &Limits) -> Result<Contents> {
    let shards = Arc::new(shards);
    let mut merged = Merged::default();
    for number in 0..shards.count() {
        let shard = shards.path(number);
        let file = shards.lasting(number);
        let added = file.and_then(|file| merged.add(shard.clone(), file, limits));
        let damage =
            added.err().map(|error| content::not_a_table(&Probe::new(&shard)).unwrap_or(error));
        merged.damage.extend(damage);
        if merged.damage.len() > MAX_DAMAGE {
            break;
        }
    }
    if merged.files.is_empty()
        && let Some(damage) = merged.damage.first()
    {
        return Err(damage.clone());
    }
    Ok(merged.contents(path, limits))
}

fn read_file(probe: &Probe, limits: &Limits) -> Result<Contents> {
    let mut merged = Merged::default();
    merged.add(probe.path().to_path_buf(), probe.open()?, limits)?;
    Ok(merged.contents(probe.path(), limits))
}

/// The maximum number of missing or damaged shards; the others are then not opened.
const MAX_DAMAGE: usize = 100;

/// The tensors of all files.
#[derive(Default)]
struct Merged {
    files: Vec<(PathBuf, table::Table)>,
    tensors: BTreeMap<Name, Result<Tensor>>,
    damage: Vec<Error>,
}

/// A tensor, as all files list it.
struct Tensor {
    dtype: DType,
    shape: Shape,
    /// Each slice, the number of its file, and the number of slices that the file lists before it.
    slices: Vec<(Extents, usize, u64)>,
}

impl Merged {
    fn add(&mut self, path: PathBuf, file: Arc<dyn ReadAt>, limits: &Limits) -> Result<()> {
        let in_file = |error: Error| error.in_file(&path);
        let table = table::Table::open(file, limits).map_err(in_file)?;
        let meta = meta::read(&table, limits).map_err(in_file)?;
        self.damage.extend(table.damage().iter().cloned().map(in_file));
        self.damage.extend(meta.damage.into_iter().map(in_file));
        let number = self.files.len();
        let mut before = 0;
        for (name, listed) in meta.tensors {
            let listed = listed.map_err(|error| in_file(error).of_tensor(&name));
            let tensor = listed.map(|listed| Tensor::of(listed, number, &mut before));
            match self.tensors.get_mut(&name) {
                Some(known) => merge(known, tensor, limits, &name, &path),
                None => {
                    self.tensors.insert(name, tensor);
                }
            }
        }
        self.files.push((path, table));
        Ok(())
    }

    fn contents(self, path: &Path, limits: &Limits) -> Contents {
        let files: Vec<PathBuf> = self.files.iter().map(|(path, _)| path.clone()).collect();
        let mut damage = self.damage;
        // Names, and slices of a name, are in the order of the keys.
        let mut listed_slices: Vec<Vec<ListedSlice>> = files.iter().map(|_| Vec::new()).collect();
        let mut tensors = Vec::with_capacity(self.tensors.len());
        let size =
            self.files.iter().fold(0u64, |n, (_, table)| n.saturating_add(table.file().len()));
        let mut left = proto::key_bytes(size);
        for (name, tensor) in self.tensors {
            let placed =
                tensor.and_then(|tensor| tensor.place(&name, &mut listed_slices, &mut left));
            tensors.push((name, placed));
        }
        let mut tables = Vec::with_capacity(files.len());
        let mut all = Vec::with_capacity(files.len());
        for ((path, table), listed_slices) in self.files.into_iter().zip(listed_slices) {
            let table = Arc::new(table);
            all.push((path.clone(), Arc::clone(&table)));
            let (file, wrong) = TableFile::new(path, table, listed_slices, limits);
            damage.extend(wrong);
            tables.push(Arc::new(file));
        }
        let entries = tensors
            .into_iter()
            .map(|(name, placed)| {
                let source = placed.and_then(|placed| placed.source(&tables));
                Entry { source: source.map_err(|error| error.of_tensor(&name)), name }
            })
            .collect();
        let prefix = path.to_path_buf();
        let metadata = Vec::new();
        let scan = Box::new(move || all.iter().flat_map(scan).collect());
        Contents { prefix, files, entries, metadata, damage, has_data: true, scan }
    }
}

/// Reads the blocks of a table that no tensor depends on. Returns their damage.
fn scan((path, table): &(PathBuf, Arc<table::Table>)) -> Vec<Error> {
    let damage = table.scan(&mut |_, _| ControlFlow::Continue(()));
    damage.into_iter().map(|error| error.in_file(path)).collect()
}

/// Merges a tensor that another file lists too, or the same file again.
fn merge(
    known: &mut Result<Tensor>,
    listed: Result<Tensor>,
    limits: &Limits,
    name: &Name,
    path: &Path,
) {
    let merged = match (&mut *known, listed) {
        (Err(_), _) => return,
        (Ok(_), Err(error)) => Err(error),
        (Ok(tensor), Ok(listed)) => {
            if (tensor.dtype, &tensor.shape) != (listed.dtype, &listed.shape) {
                let found = format!("{} of shape {}", listed.dtype, listed.shape);
                let allowed = format!("it is also {} of shape {}", tensor.dtype, tensor.shape);
                Err(Error::unexpected("tensor", found, allowed))
            } else if tensor.slices.len() + listed.slices.len() > limits.slices {
                let allowed = format!("at most {} are allowed", limits.slices);
                Err(Error::unexpected(
                    "number of slices",
                    tensor.slices.len() + listed.slices.len(),
                    allowed,
                ))
            } else {
                tensor.slices.extend(listed.slices);
                Ok(())
            }
        }
    };
    if let Err(error) = merged {
        *known = Err(error.of_tensor(name).in_file(path));
    }
}

impl Tensor {
    /// A tensor as a file lists it, after `before` other slices.
    fn of(listed: Listed, file: usize, before: &mut u64) -> Self {
        let numbered = (*before..).zip(listed.slices);
        let slices: Vec<_> = numbered.map(|(n, slice)| (slice, file, n)).collect();
        *before += slices.len() as u64;
        Self { dtype: listed.dtype, shape: listed.shape, slices }
    }

    /// Adds the slices to the lists of their files.
    fn place(
        mut self,
        name: &Name,
        listed_slices: &mut [Vec<ListedSlice>],
        key_bytes_left: &mut u64,
    ) -> Result<Placed> {
        values::supported(self.dtype)?;
        let key_bytes = (name.as_bytes().len() as u64).saturating_mul(self.slices.len() as u64);
        *key_bytes_left = key_bytes_left.checked_sub(key_bytes).ok_or_else(|| {
            let allowed = format!("{key_bytes_left} are left to a file of this size");
            Error::unexpected("bytes of the keys of slices", key_bytes, allowed)
        })?;
        self.slices.sort();
        if let Some([(twice, ..), _]) = self.slices.array_windows().find(|[a, b]| a.0 == b.0) {
            let allowed = "each may be listed once";
            return Err(Error::unexpected("slice", format_args!("{twice:?} twice"), allowed));
        }
        let boxes: Result<Vec<Slice>> =
            self.slices.iter().map(|(extents, ..)| Slice::new(extents, &self.shape)).collect();
        let mut parts = Vec::with_capacity(self.slices.len());
        for (slice, (extents, file, listed)) in boxes?.into_iter().zip(self.slices) {
            let Some(of_file) = listed_slices.get_mut(file) else {
                continue;
            };
            // A checkpoint has far fewer files.
            let number = u32::try_from(file).unwrap_or(u32::MAX);
            parts.push((slice, SliceLocation { file: number, listed, number: of_file.len() }));
            of_file.push(ListedSlice { name: name.clone(), extents });
        }
        Ok(Placed { dtype: self.dtype, shape: self.shape, parts })
    }
}

/// A tensor whose slices are in the lists of their files.
struct Placed {
    dtype: DType,
    shape: Shape,
    parts: Vec<(Slice, SliceLocation)>,
}

impl Placed {
    fn source(self, tables: &[Arc<TableFile>]) -> Result<Box<dyn TensorSource>> {
        let lost = || Error::not_found("its file is not there");
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut listed_in = PathBuf::new();
        for (slice, location) in self.parts {
            let file = Arc::clone(tables.get(location.file as usize).ok_or_else(lost)?);
            if parts.is_empty() {
                listed_in = file.path().to_path_buf();
            }
            let saved = Saved::new(file, location, self.dtype, slice.shape().clone());
            parts.push(StoredSlice { slice, source: Box::new(saved) });
        }
        if let [only] = &*parts
            && only.slice.is_given_whole()
            && let Some(only) = parts.pop()
        {
            return Ok(only.source);
        }
        Ok(Box::new(Partitioned::new(self.dtype, self.shape, parts, listed_in)?))
    }
}
