//! Arguments of the commands that write checkpoints.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Filter;

/// Arguments of `save-as`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SaveAsArgs {
    /// The checkpoint to read, given as to `show`
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// What the names of the new files start with; a V1 checkpoint of one shard is this file
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write; that of IN if not given
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<CheckpointFormat>,
    /// Files to spread the content over; as many as IN has if not given
    #[arg(long, value_name = "N")]
    pub(crate) shards: Option<usize>,
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// Save the tensors that match the regular expression FROM under the name TO (repeatable)
    #[arg(long, value_name = "FROM=TO", help_heading = "Tensors")]
    pub(crate) rename: Vec<String>,
    #[command(flatten)]
    pub(crate) existing: ExistingArgs,
}

/// How a checkpoint is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckpointFormat {
    /// An index, and data in shards: what TensorFlow has written since 2016
    V2,
    /// One table for each shard
    V1,
}

/// What becomes of a checkpoint that is there.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExistingArgs {
    /// Replace a checkpoint that is there; it can be read until the new one is in its place
    #[arg(long)]
    pub(crate) overwrite: bool,
}

/// Arguments of `merge`.
#[derive(Debug, Clone, Args)]
pub(crate) struct MergeArgs {
    /// The V2 checkpoints to merge, no two with the same tensor; then what the names of the new files start with
    #[arg(value_name = "PART… OUT", required = true, num_args = 2..)]
    pub(crate) paths: Vec<PathBuf>,
    /// Remove the parts once they are merged
    #[arg(long)]
    pub(crate) remove_parts: bool,
    #[command(flatten)]
    pub(crate) existing: ExistingArgs,
}

/// Arguments of `latest`.
#[derive(Debug, Clone, Args)]
pub(crate) struct LatestArgs {
    /// A directory with a `checkpoint` state file, or such a file
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Print every checkpoint that the state file lists, the oldest first
    #[arg(long)]
    pub(crate) all: bool,
}
