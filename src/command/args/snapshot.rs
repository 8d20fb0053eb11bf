//! The arguments of `snapshot`.

use std::path::PathBuf;

use crate::snapshot::Redaction;
use clap::{Args, Subcommand};

use super::changes::Changes;
use super::diff::VerbosityArgs;
use super::report::ReportArgs;
use super::values::{max_rows, one_of};

/// Arguments of `snapshot`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SnapshotArgs {
    #[command(subcommand)]
    pub(crate) command: SnapshotCommand,
}

/// A command about snapshots.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum SnapshotCommand {
    /// Write the snapshot of each model, a text to commit and review
    Write(SnapshotWriteArgs),
    /// Check that each model still has the structure of its snapshot
    Check(SnapshotCheckArgs),
}

/// The models, and where their snapshots are.
#[derive(Debug, Clone, Args)]
pub(crate) struct SnapshotFiles {
    /// Checkpoints, graphs or SavedModels
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) models: Vec<PathBuf>,
    /// The directory of snapshots; each is named after its model, as in model.snapshot
    #[arg(long, value_name = "DIR", default_value = "snapshots")]
    pub(crate) dir: PathBuf,
}

/// Arguments of `snapshot write`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SnapshotWriteArgs {
    #[command(flatten)]
    pub(crate) files: SnapshotFiles,
    /// Keep what is left out otherwise (repeatable)
    #[arg(long, value_name = "REDACTION", value_parser = one_of(Redaction::ALL.map(|it| (it.name(), it))))]
    pub(crate) keep: Vec<Redaction>,
}

/// Arguments of `snapshot check`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SnapshotCheckArgs {
    #[command(flatten)]
    pub(crate) files: SnapshotFiles,
    /// Write the snapshots that are missing, or of which anything differs; refused where CI is set
    #[arg(long)]
    pub(crate) update: bool,
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
    /// How many changed tensors, and how many changes, to list: a number, or `all` [default: 20 on a terminal, else all]
    #[arg(short = 'n', long, value_name = "N", value_parser = max_rows, help_heading = "Report")]
    pub(crate) max_diffs: Option<usize>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Print nothing; set only the exit code
    #[arg(short, long, help_heading = "Report")]
    pub(crate) quiet: bool,
}
