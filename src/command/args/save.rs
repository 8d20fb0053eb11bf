//! Arguments of the commands that write checkpoints.

use std::path::PathBuf;

use crate::checkpoint::{FORMATS, Format, IfExists};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::common::Filter;

/// Arguments of `save-as`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SaveAsArgs {
    /// The checkpoint to read: its prefix, index, or file, or a directory
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The prefix of the new checkpoint; for a checkpoint in one file (V1, safetensors), the path of the file
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write [default: that of the extension of OUT, or else of IN]
    #[arg(long, value_parser = writable_format(), value_name = "FORMAT")]
    pub(crate) format: Option<&'static Format>,
    /// How many data files to write [default: as many as IN has]
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

/// Accepts the name of any format that can be written.
fn writable_format() -> impl TypedValueParser<Value = &'static Format> {
    let writable = FORMATS.iter().filter(|format| format.is_writable());
    let values = writable.map(|format| PossibleValue::new(format.option).help(format.about));
    PossibleValuesParser::new(values)
        .try_map(|name| Format::by_name(&name).ok_or("there is no such format"))
}

/// What to do with an existing checkpoint.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExistingArgs {
    /// Replace an existing checkpoint, which stays readable until the new one is in place
    #[arg(long)]
    pub(crate) overwrite: bool,
}

impl ExistingArgs {
    /// What to do with an existing checkpoint.
    pub(crate) fn existing(&self) -> IfExists {
        if self.overwrite { IfExists::Replace } else { IfExists::Refuse }
    }
}

/// Arguments of `merge`.
#[derive(Debug, Clone, Args)]
pub(crate) struct MergeArgs {
    /// The V2 checkpoints to merge, no two with the same tensor; then the prefix of the new checkpoint
    #[arg(value_name = "PART… OUT", required = true, num_args = 2..)]
    pub(crate) paths: Vec<PathBuf>,
    /// Remove the parts afterwards
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
