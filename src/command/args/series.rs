//! The arguments of `series`.

use std::path::PathBuf;

use crate::series::{Against, Property};
use clap::Args;

use super::common::{Filter, Jobs};
use super::report::ReportArgs;
use super::rules::RulesArgs;
use super::values::{max_rows, one_of};

/// Arguments of `series`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SeriesArgs {
    /// A directory with checkpoints, or checkpoints: prefixes, files, directories, as a shell's model.ckpt-* expands to, in any order. The files
    /// of one checkpoint count once
    #[arg(required = true, value_name = "DIR | PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Compare each checkpoint with the first, with the previous one, or with the one at PATH, which need not be in the series
    #[arg(
        long,
        value_name = "first|previous|PATH",
        default_value = "first",
        hide_default_value = true
    )]
    pub(crate) against: PathBuf,
    /// Only find the first checkpoint with new NaN or infinities, or the first that breaks a rule, by bisection: of n checkpoints,
    /// about log n are read
    #[arg(long, value_name = "nan|rule",
          value_parser = one_of([("nan", Property::NonFinite), ("rule", Property::Broken)]))]
    pub(crate) first: Option<Property>,
    /// Keep finished comparisons in FILE, and do not repeat those that it has
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// How many checkpoints and tensors to list: a number, or `all` [default: 20 on a terminal, else all]
    #[arg(short = 'n', long, value_name = "N", value_parser = max_rows, help_heading = "Report")]
    pub(crate) max_rows: Option<usize>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Print nothing; set only the exit code
    #[arg(short, long, help_heading = "Report")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
}

impl SeriesArgs {
    /// What each checkpoint is compared with. A file of one of the two names is `./first`.
    pub(crate) fn against(&self) -> Against {
        match self.against.to_str() {
            Some("first") => Against::First,
            Some("previous") => Against::Previous,
            _ => Against::Path(self.against.clone()),
        }
    }
}
