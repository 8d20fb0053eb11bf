//! Arguments of the commands that git calls.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::changes::Unified;
use super::common::Jobs;
use super::diff::CompareArgs;
use super::report::Color;
use super::values::max_rows;

/// Arguments of `git-driver`.
#[derive(Debug, Clone, Args)]
#[command(
    override_usage = "ckdiff git-driver [OPTIONS] <PATH> <OLD-FILE> <OLD-HEX> <OLD-MODE> <NEW-FILE> \
                      <NEW-HEX> <NEW-MODE> [<NEW-PATH> <SIMILARITY>]"
)]
pub(crate) struct GitDriverArgs {
    /// The file's path in the repository
    #[arg(allow_hyphen_values = true)]
    pub(crate) path: PathBuf,
    /// The two sides as git describes them, in its order
    #[arg(value_name = "SIDES", num_args = 0..=8, allow_hyphen_values = true)]
    pub(crate) sides: Vec<OsString>,
    /// Exit with 1 if the file differs or cannot be read, for diff.<driver>.trustExitCode; otherwise always with 0
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
    #[command(flatten)]
    pub(crate) what: CompareArgs,
    /// How many changes, tensors or rows to list: a number, or `all`
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_rows, help_heading = "Report")]
    pub(crate) max_diffs: usize,
    #[command(flatten)]
    pub(crate) text: Unified,
    /// When to use colors; auto respects git's pager, NO_COLOR, CLICOLOR_FORCE and TERM=dumb
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_default_value = true, help_heading = "Report")]
    pub(crate) color: Color,
}

/// Arguments of `textconv`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TextconvArgs {
    /// An index, a checkpoint in one file, or a file with a message; other files are described by size and SHA-256
    pub(crate) file: PathBuf,
}
