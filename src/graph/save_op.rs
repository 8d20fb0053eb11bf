//! The ops that save and restore tensors: their inputs and attributes.
//!
//! ```text
//! Save(filename, tensor_names, data…)                           SaveSlices, SaveV2(…, tensor_names, shapes_and_slices, data…)
//! Restore(file_pattern, tensor_name)   RestoreSlice(…, tensor_name, shape_and_slice)   RestoreV2(…, tensor_names, shape_and_slices)
//! ```
//! Source: TensorFlow's op definitions.

use crate::schema::tensorflow::saver_def::CheckpointFormatVersion::{self, V1, V2};

/// The action of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Writes a checkpoint.
    Save,
    /// Reads a checkpoint.
    Restore,
}

use Action::{Restore, Save};

/// An op that saves or restores tensors. Its inputs are the path of the checkpoint, the names of the tensors, the slices if it has them,
/// and the data to be saved.
#[derive(Debug)]
pub(crate) struct SaveOp {
    /// The name of the op.
    pub(crate) name: &'static str,
    pub(crate) action: Action,
    /// The format that TensorFlow reads or writes.
    pub(crate) version: CheckpointFormatVersion,
    /// The name of the input with the slices.
    pub(crate) slices: Option<&'static str>,
    /// The attribute with the dtypes of the tensors.
    pub(crate) dtypes: &'static str,
}

/// The number of the input with the path.
pub(crate) const PATH: usize = 0;
/// The number of the input with the names of the tensors.
pub(crate) const NAMES: usize = 1;
/// The number of the input with the slices.
pub(crate) const SLICES: usize = 2;

/// The op that saves to V2.
pub(crate) const SAVE_V2: SaveOp = op("SaveV2", Save, V2, Some("shape_and_slices"), "dtypes");
/// The op that saves to V1.
pub(crate) const SAVE_SLICES: SaveOp = op("SaveSlices", Save, V1, Some("shapes_and_slices"), "T");
/// The op that restores from V2.
pub(crate) const RESTORE_V2: SaveOp =
    op("RestoreV2", Restore, V2, Some("shape_and_slices"), "dtypes");

const OPS: &[SaveOp] = &[
    SAVE_V2,
    SAVE_SLICES,
    op("Save", Save, V1, None, "T"),
    RESTORE_V2,
    op("RestoreSlice", Restore, V1, Some("shape_and_slice"), "dt"),
    op("Restore", Restore, V1, None, "dt"),
];

const fn op(
    name: &'static str,
    action: Action,
    version: CheckpointFormatVersion,
    slices: Option<&'static str>,
    dtypes: &'static str,
) -> SaveOp {
    SaveOp { name, action, version, slices, dtypes }
}

impl SaveOp {
    /// The op of this name.
    pub(crate) fn of(op: &str) -> Option<&'static Self> {
        OPS.iter().find(|known| known.name == op)
    }

    /// Whether an op of this name exists and has the action.
    pub(crate) fn is(op: &str, action: Action) -> bool {
        Self::of(op).is_some_and(|op| op.action == action)
    }

    /// The number of the first data input.
    pub(crate) fn data(&self) -> usize {
        SLICES + usize::from(self.slices.is_some())
    }
}
