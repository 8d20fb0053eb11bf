//! The arguments that say which changes of graphs are told.

use ckdiff::diff::{ChangeKind, Only};
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
