//! The arguments of `learn`.

use std::path::PathBuf;

use clap::Args;

use super::common::{Filter, Jobs};

/// Arguments of `learn`.
#[derive(Debug, Clone, Args)]
pub(crate) struct LearnArgs {
    /// Three or more good runs: checkpoints or SavedModels, as a shell's runs/* expands to; or one directory with the checkpoints
    /// of retraining after retraining, each of which is compared with the one before
    #[arg(required = true, value_name = "RUN | DIR")]
    pub(crate) runs: Vec<PathBuf>,
    /// Compare each run with this model, from which all of them started; without it, with each other
    #[arg(long, value_name = "PATH")]
    pub(crate) baseline: Option<PathBuf>,
    /// Accept this many times what the good runs differ
    #[arg(long, value_name = "FACTOR", default_value_t = 2.0)]
    pub(crate) margin: f64,
    /// The file to write; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "ckdiff.toml")]
    pub(crate) output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}
