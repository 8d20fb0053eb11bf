//! The tensors of all files of a V1 checkpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::ReadAt;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::table;
use crate::tensor::Name;

use super::super::{Contents, Entry, proto};
use super::meta;
use super::table_file::{ListedSlice, TableFile};
use super::tensor::{Tensor, merge};

/// The tensors of all files.
#[derive(Default)]
pub(super) struct Merged {
    files: Vec<(PathBuf, table::Table)>,
    tensors: BTreeMap<Name, Result<Tensor>>,
    pub(super) damage: Vec<Error>,
}

impl Merged {
    /// Whether no file was added.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn add(
        &mut self,
        path: PathBuf,
        file: Arc<dyn ReadAt>,
        limits: &Limits,
    ) -> Result<()> {
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

    pub(super) fn contents(self, path: &Path, limits: &Limits) -> Contents {
        let files: Vec<PathBuf> = self.files.iter().map(|(path, _)| path.clone()).collect();
        let mut damage = self.damage;
        // Names, and slices of a name, are in the order of the keys.
        let mut listed_slices: Vec<Vec<ListedSlice>> = files.iter().map(|_| Vec::new()).collect();
        let mut tensors = Vec::with_capacity(self.tensors.len());
        let size =
            self.files.iter().fold(0u64, |n, (_, table)| n.saturating_add(table.file().len()));
        let mut left = proto::key_bytes(size);
        for (name, tensor) in self.tensors {
            let placed = tensor
                .and_then(|tensor| tensor.place(&name, &files, &mut listed_slices, &mut left));
            tensors.push((name, placed));
        }
        let mut tables = Vec::with_capacity(files.len());
        for ((path, table), listed_slices) in self.files.into_iter().zip(listed_slices) {
            let (file, wrong) = TableFile::new(path, table, listed_slices, limits);
            damage.extend(wrong);
            tables.push(Arc::new(file));
        }
        let is_refused = |(_, placed): &&(Name, Result<_>)| placed.is_err();
        let refused: BTreeSet<Name> =
            tensors.iter().filter(is_refused).map(|(name, _)| name.clone()).collect();
        let entries = tensors
            .into_iter()
            .map(|(name, placed)| {
                let stored = placed.and_then(|placed| placed.stored(&tables));
                Entry::stored(name, stored, |error, name| error.of_tensor(name))
            })
            .collect();
        let prefix = path.to_path_buf();
        let metadata = Vec::new();
        let scan = Box::new(move || tables.iter().flat_map(|file| file.scan(&refused)).collect());
        Contents { prefix, files, entries, metadata, damage, has_data: true, scan }
    }
}
