//! The arguments of `judge`.

use std::path::PathBuf;

use clap::Args;

use super::report::ReportArgs;
use super::rules::{RULES, RulesArgs};
use super::values::max_rows;

/// Arguments of `judge`.
#[derive(Debug, Clone, Args)]
pub(crate) struct JudgeArgs {
    /// The JSON report of a comparison, as --format json writes it; - for standard input
    pub(crate) report: PathBuf,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    /// List the tensors and changes that differ, and pass because of a rule
    #[arg(long, help_heading = RULES)]
    pub(crate) show_passed: bool,
    /// Fail if a rule matches no tensor; otherwise that is a warning
    #[arg(long, help_heading = RULES)]
    pub(crate) deny_unused: bool,
    /// How many changed tensors, and how many changes, to list: a number, or `all` [default: 20 on a terminal, else all]
    #[arg(short = 'n', long, value_name = "N", value_parser = max_rows, help_heading = "Report")]
    pub(crate) max_diffs: Option<usize>,
    #[command(flatten)]
    pub(crate) output: ReportArgs,
    /// Print nothing; set only the exit code
    #[arg(short, long, help_heading = "Report")]
    pub(crate) quiet: bool,
}
