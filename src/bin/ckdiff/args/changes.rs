//! The arguments that say which changes of graphs are told.

use ckdiff::diff::{ChangeKind, Keyed, Only, PathPattern};
use clap::{Args, ValueEnum};

/// Which changes of graphs and other messages are told.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Graphs")]
pub(crate) struct Changes {
    /// Leave out changes at paths that match, and beneath, as in '**.device' (repeatable)
    #[arg(long, value_name = "PATH-GLOB")]
    pub(crate) ignore: Vec<String>,
    /// Leave out changes of this kind (repeatable)
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) ignore_kind: Vec<Kind>,
    /// Let cosmetic changes count as well
    #[arg(long)]
    pub(crate) strict: bool,
}

/// What is known of lists in messages, beyond their schema.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Graphs")]
pub(crate) struct ListArgs {
    /// Compare the list at PATH in any order, as in meta_info_def.tags (repeatable); `*` is any field, `**` any number of them
    #[arg(long, value_name = "PATH")]
    pub(crate) as_set: Vec<PathPattern>,
    /// Bring the items of the list at PATH together by a field of theirs, as in asset_file_def=filename (repeatable)
    #[arg(long, value_name = "PATH=FIELD[,FIELD]")]
    pub(crate) key: Vec<Keyed>,
}

/// Whether changes are shown as text.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct Unified {
    /// Show what changed in a graph as text, with N lines of context (3, if it is not said how many)
    #[arg(short, long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3")]
    pub(crate) unified: Option<usize>,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Added,
    Removed,
    Modified,
    Renamed,
}

impl From<Kind> for ChangeKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Added => Self::Added,
            Kind::Removed => Self::Removed,
            Kind::Modified => Self::Modified,
            Kind::Renamed => Self::Renamed,
        }
    }
}

/// A part of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    Tensors,
    Graph,
}

impl From<Part> for Only {
    fn from(part: Part) -> Self {
        match part {
            Part::Tensors => Self::Tensors,
            Part::Graph => Self::Graph,
        }
    }
}
