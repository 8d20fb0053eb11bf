//! The options of a saver.

use std::collections::BTreeMap;

use super::ToSave;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// The variables to save.
#[derive(Debug, Clone, Default)]
pub enum VarList {
    /// The variables in the collections `variables` and `saveable_objects`; see [`all_saveable`](super::all_saveable).
    #[default]
    All,
    /// These, with their own names.
    List(Vec<ToSave>),
    /// These, with the given names.
    Dict(BTreeMap<String, ToSave>),
}

/// The nodes that read a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestoreNodes {
    /// One node reads all tensors of a shard, as in `BulkSaverBuilder`.
    #[default]
    One,
    /// One node reads each tensor, as in `BaseSaverBuilder`.
    Each,
}

/// The names that count as used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TakenNames {
    /// The names of nodes and of their scopes, as in the program that created the graph: a second saver is in `save_1`. Every prefix of a
    /// node's name counts as a scope.
    #[default]
    Scopes,
    /// The names of nodes only, as after an import: a second saver is also in `save`, and its nodes are numbered.
    Nodes,
}

/// The options of `tf.compat.v1.train.Saver`.
#[derive(Debug, Clone)]
pub struct BuilderOptions {
    /// The variables to save.
    pub var_list: VarList,
    /// Whether restored tensors are reshaped to their variables.
    pub reshape: bool,
    /// Whether each device has its own file.
    pub sharded: bool,
    /// The number of checkpoints to keep; `None` is written as 0.
    pub max_to_keep: Option<i32>,
    /// The interval at which a checkpoint is kept permanently, in hours.
    pub keep_checkpoint_every_n_hours: f32,
    /// The scope of the nodes, which is made unique unless it ends with `/`; by default `save`.
    pub name: Option<String>,
    /// The nodes that read a checkpoint.
    pub restore: RestoreNodes,
    /// Whether a list without variables is allowed; then no nodes are built.
    pub allow_empty: bool,
    /// The format to write.
    pub write_version: CheckpointFormatVersion,
    /// The default file name; without one `model`.
    pub filename: Option<String>,
    /// The names that count as used.
    pub taken: TakenNames,
}

impl Default for BuilderOptions {
    fn default() -> Self {
        Self {
            var_list: VarList::All,
            reshape: false,
            sharded: false,
            max_to_keep: Some(5),
            keep_checkpoint_every_n_hours: 10_000.0,
            name: None,
            restore: RestoreNodes::One,
            allow_empty: false,
            write_version: CheckpointFormatVersion::V2,
            filename: None,
            taken: TakenNames::Scopes,
        }
    }
}
