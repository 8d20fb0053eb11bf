//! Reads a checkpoint: one file, or the shards of an index.

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::ReadAt;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tensor::{Name, TensorSource};

use super::super::shards::Shards;
use super::super::{Contents, Entry};
use super::header::Header;
use super::index::Index;
use super::path;
use super::stored::Stored;
use crate::magic;
use crate::probe::Probe;

/// See [`Format::read`](super::super::Format).
pub(super) fn read(probe: &Probe, located: &Path, limits: &Limits) -> Result<Contents> {
    let other = probe.at(located);
    let probe = if probe.path() == located { probe } else { &other };
    if path::is_index(located) { read_index(probe, limits) } else { read_file(probe, limits) }
}

/// See [`Format::read_file`](super::super::Format).
pub(super) fn read_file(probe: &Probe, limits: &Limits) -> Result<Contents> {
    if let Some(other) = magic::other_kind(probe) {
        return Err(other);
    }
    let path = probe.path();
    let mut model = Model::default();
    model.add(path, probe.open()?, 0, limits, |_| None)?;
    Ok(model.contents(path, vec![path.to_path_buf()]))
}

/// Reads an index and its shards.
fn read_index(probe: &Probe, limits: &Limits) -> Result<Contents> {
    let path = probe.path();
    let index = probe.open().and_then(|file| Index::read(&*file));
    let index = index.map_err(|error| error.in_file(path))?;
    let files: Vec<_> = index.shards.iter().map(|name| path.with_file_name(name)).collect();
    let shards = Arc::new(Shards::listed(files.clone()));
    let mut model = Model::default();
    let mut failed = BTreeMap::new();
    for (number, file) in (0..).zip(&files) {
        let misplaced = |name: &Name| index.misplaced(name, number);
        let content = shards.lasting(number);
        let added = content.and_then(|content| model.add(file, content, number, limits, misplaced));
        if let Err(error) = added {
            failed.insert(number, error);
        }
    }
    for (name, shard) in index.tensors {
        let MapEntry::Vacant(place) = model.tensors.entry(name) else { continue };
        let error = shard.map_or_else(
            |error| error.in_file(path),
            |number| {
                let missing = || {
                    let kind =
                        "the index names this shard for the tensor, but the shard does not have it";
                    Error::not_found(kind).in_file(&shards.path(number))
                };
                failed.get(&number).cloned().unwrap_or_else(missing)
            },
        );
        place.insert(Err(error));
    }
    let all = std::iter::once(path.to_path_buf()).chain(files);
    Ok(model.contents(path, all.collect()))
}

/// The tensors of all files.
#[derive(Default)]
struct Model {
    tensors: BTreeMap<Name, Result<Box<dyn TensorSource>>>,
    metadata: Vec<(String, String)>,
    /// The pairs of `metadata`, for lookups.
    known: BTreeSet<(String, String)>,
    damage: Vec<Error>,
}

impl Model {
    /// Adds the tensors of `file`, which is shard `number`, except for those with an error from `misplaced`.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn add(
        &mut self,
        path: &Path,
        file: Arc<dyn ReadAt>,
        number: u32,
        limits: &Limits,
        misplaced: impl Fn(&Name) -> Option<Error>,
    ) -> Result<()> {
        let in_file = |error: Error| error.in_file(path);
        let header = Header::read(&*file, limits).map_err(in_file)?;
        self.damage.extend(header.damage.into_iter().map(in_file));
        for pair in header.metadata {
            // Most shards repeat the metadata of the first one.
            if self.known.insert(pair.clone()) {
                self.metadata.push(pair);
            }
        }
        for (name, listed) in header.tensors {
            let listed = misplaced(&name).map_or(listed, Err);
            let stored = listed.and_then(|listed| Stored::new(listed, Arc::clone(&file), number));
            let source = stored.map(|stored| Box::new(stored) as Box<dyn TensorSource>);
            let source = match self.tensors.contains_key(&name) {
                true => Err(Error::unexpected("shards of the tensor", "two", "one")),
                false => source,
            };
            self.tensors.insert(name, source.map_err(in_file));
        }
        Ok(())
    }

    fn contents(self, prefix: &Path, files: Vec<PathBuf>) -> Contents {
        let entries = self.tensors.into_iter().map(|(name, source)| {
            let source = source.map_err(|error| error.of_tensor(&name));
            Entry::new(name, source)
        });
        Contents {
            prefix: prefix.to_path_buf(),
            files,
            entries: entries.collect(),
            metadata: self.metadata,
            damage: self.damage,
            has_data: true,
            scan: Box::new(Vec::new),
        }
    }
}
