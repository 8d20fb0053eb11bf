//! The tensors of one side, from a checkpoint or a frozen graph.

use std::path::Path;

use crate::checkpoint::{Checkpoint, Entry};
use crate::error::Error;

/// The tensors of one side, sorted by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideTensors<'a> {
    /// The path of the checkpoint or graph.
    pub(super) path: &'a Path,
    /// The tensors, by name.
    pub(super) entries: &'a [Entry],
    /// Damage of the index; tensors may be missing because of it.
    pub(super) damage: &'a [Error],
    /// Whether the content can be read.
    pub(super) has_data: bool,
    /// Whether unmatched tensors are read to find damage. Constants were already read with their graph.
    pub(super) is_file: bool,
}

impl<'a> SideTensors<'a> {
    pub(super) fn of(checkpoint: &'a Checkpoint) -> Self {
        Self {
            path: checkpoint.path(),
            entries: checkpoint.tensors().as_slice(),
            damage: checkpoint.damage(),
            has_data: checkpoint.has_data(),
            is_file: checkpoint.has_data(),
        }
    }

    /// The side of a SavedModel without variables.
    pub(super) fn none(path: &'a Path) -> Self {
        Self { path, entries: &[], damage: &[], has_data: true, is_file: false }
    }

    /// The constants of the graph at `path`.
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
