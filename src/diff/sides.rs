//! The tensors of one side, wherever they are.

use std::path::Path;

use crate::checkpoint::{Checkpoint, Entry};
use crate::error::Error;

/// The tensors of one side, sorted by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tensors<'a> {
    /// Where they are from.
    pub(super) path: &'a Path,
    /// All of them.
    pub(super) entries: &'a [Entry],
    /// What is damaged, so that names may be missing.
    pub(super) damage: &'a [Error],
    /// Whether there is content to read.
    pub(super) has_data: bool,
    /// Whether reading all of it shows damage: constants have been read when their graph was.
    pub(super) is_file: bool,
}

impl<'a> Tensors<'a> {
    pub(super) fn of(checkpoint: &'a Checkpoint) -> Self {
        Self {
            path: checkpoint.path(),
            entries: checkpoint.tensors().as_slice(),
            damage: checkpoint.damage(),
            has_data: checkpoint.has_data(),
            is_file: checkpoint.has_data(),
        }
    }

    /// Those of a graph at `path`.
    pub(super) fn of_constants(path: &'a Path, entries: &'a [Entry]) -> Self {
        Self { path, entries, damage: &[], has_data: true, is_file: false }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a Entry> + use<'a> {
        self.entries.iter()
    }

    pub(super) fn get(&self, name: impl AsRef<[u8]>) -> Option<&'a Entry> {
        let by_name = |entry: &Entry| entry.name.as_bytes().cmp(name.as_ref());
        self.entries.binary_search_by(by_name).ok().and_then(|at| self.entries.get(at))
    }
}
