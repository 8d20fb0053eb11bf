//! The arguments of `show` and `verify`, which read one side.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::common::{Filter, Jobs};
use super::messages::SchemaArgs;
use super::report::ReportArgs;
use super::values::max_rows;

/// Arguments of `show`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArgs {
    /// A checkpoint's prefix, index, or file; a directory (its latest checkpoint, or a SavedModel); or a file that
    /// holds a meta graph, a graph, or another message, in any form
    pub(crate) path: PathBuf,
    /// Print this tensor: its name, with bytes that are not UTF-8 as \xNN, or the name_b64 of a report
    #[arg(long, value_name = "NAME", conflicts_with_all = ["include", "exclude"])]
    pub(crate) tensor: Option<OsString>,
    /// Write the content of the tensor: row-major, little-endian
    #[arg(long, requires = "tensor", conflicts_with_all = ["format", "output", "digest"])]
    pub(crate) raw: bool,
    /// Add the SHA-256 of each tensor's content
    #[arg(long)]
    pub(crate) digest: bool,
    /// The maximum number of rows (lines, for other messages) to show: a number, or `all` [default: 20; of
    /// a large tensor, its ends]
    #[arg(short = 'n', long, value_name = "N", value_parser = max_rows)]
    pub(crate) max_rows: Option<usize>,
    /// In a picture of a graph, open scopes down to this depth: 0 for one box, 1 for the outermost scopes
    /// [default: as deep as 60 boxes allow]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) schema: SchemaArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

/// Arguments of `verify`.
#[derive(Debug, Clone, Args)]
pub(crate) struct VerifyArgs {
    /// Checkpoints, with their meta graphs (P.meta); SavedModels; graphs, which are compared with the given checkpoints.
    /// The files of one checkpoint count once
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Check nodes against the op definitions in FILE, an OpList in any form, such as that of an older TensorFlow
    #[arg(long, value_name = "FILE")]
    pub(crate) ops: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Print nothing; set only the exit code
    #[arg(short, long, help_heading = "Report")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
