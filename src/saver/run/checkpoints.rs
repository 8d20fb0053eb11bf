//! The checkpoints that a run reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::checkpoint::Checkpoint;
use crate::saver::ObjectKeys;
use crate::tensor::{Name, Tensor};

/// The checkpoints that a run reads, and a cache of their tensors.
#[derive(Default)]
pub(super) struct Checkpoints {
    /// The keys by requested name, if the names are those of objects.
    pub(super) keys: Option<ObjectKeys>,
    /// The path and the checkpoint that was opened last.
    pub(super) open: Option<(Arc<str>, Arc<Checkpoint>)>,
    /// The tensors that were read, by path, key and slice.
    pub(super) read: BTreeMap<(Arc<str>, Name, String), Arc<Tensor>>,
    /// The offsets of variable-length elements, in tensors from which slices were cut.
    pub(super) offsets: BTreeMap<(Arc<str>, Name), Arc<[usize]>>,
    /// The size of the tensors in the largest checkpoint, in bytes.
    pub(super) largest: u64,
}

impl Checkpoints {
    pub(super) fn new(keys: Option<&ObjectKeys>) -> Self {
        Self { keys: keys.cloned(), ..Self::default() }
    }
}
