//! The arguments of `diff`, and those that it shares with the commands for git.

use std::path::PathBuf;

use ckdiff::Error;
use ckdiff::compare::{self, Device, NanPolicy, Tolerance};
use ckdiff::diff::{Ignore, Lists, NameFilter, Only, Options};
use clap::Args;

use super::changes::{Changes, ListArgs, Unified};
use super::common::{Filter, Jobs};
use super::device::DeviceArgs;
use super::messages::SchemaArgs;
use super::report::ReportArgs;
use super::values::{max_rows, one_of};

/// Arguments of `diff`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DiffArgs {
    /// The baseline: a checkpoint's prefix, index, or file; a directory (its latest checkpoint, or a SavedModel); or a file
    /// that holds a meta graph, a graph, or another message, in any form
    pub(crate) lhs: PathBuf,
    /// The artifact to compare with the baseline
    pub(crate) rhs: PathBuf,
    #[command(flatten)]
    pub(crate) what: CompareArgs,
    #[command(flatten)]
    pub(crate) lists: ListArgs,
    #[command(flatten)]
    pub(crate) schema: SchemaArgs,
    /// Count differences by powers of two, in the JSON report
    #[arg(long, help_heading = "Report")]
    pub(crate) histogram: bool,
    /// How many changes and tensors of each list to show: a number, or `all`
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_rows, help_heading = "Report")]
    pub(crate) max_diffs: usize,
    #[command(flatten)]
    pub(crate) text: Unified,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Print nothing; set only the exit code
    #[arg(short, long, help_heading = "Report")]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) jobs: Jobs,
    #[command(flatten)]
    pub(crate) device: DeviceArgs,
}

/// The options of a comparison.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) closeness: Closeness,
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// Compare lhs tensors that match the regular expression FROM under the name TO (repeatable)
    #[arg(long, value_name = "FROM=TO", help_heading = "Tensors")]
    pub(crate) rename: Vec<String>,
    /// Compare this part only
    #[arg(long, value_name = "PART", value_parser = one_of([("tensors", Only::Tensors), ("graph", Only::Graph)]))]
    pub(crate) only: Option<Only>,
    #[command(flatten)]
    pub(crate) changes: Changes,
}

impl CompareArgs {
    /// The options of the comparison.
    ///
    /// # Errors
    /// If a tolerance, a pattern or a rename is invalid.
    pub(crate) fn options(&self, histogram: bool, jobs: &Jobs) -> Result<Options, Error> {
        let close = &self.closeness;
        Ok(Options {
            compare: compare::Options {
                tolerance: Tolerance::new(close.atol, close.rtol, close.ulp)?,
                nan: close.nan,
                further: close.tolerance.clone(),
                histogram,
                threads: jobs.jobs.into(),
                ..compare::Options::default()
            },
            names: NameFilter::new(&self.filter.include, &self.filter.exclude, &self.rename)?,
            only: self.only.unwrap_or_default(),
            lists: Lists::default(),
            ignore: Ignore::new(&self.changes.ignore, &self.changes.ignore_kind)?,
            strict: self.changes.strict,
            device: Device::cpu(),
        })
    }
}

/// When two values are close.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tolerance (without one, values compare by bits)")]
pub(crate) struct Closeness {
    /// Absolute tolerance: close when |rhs - lhs| <= ATOL + RTOL * |lhs|
    #[arg(long, value_name = "T", value_parser = bound, allow_negative_numbers = true)]
    pub(crate) atol: Option<f64>,
    /// Relative tolerance
    #[arg(long, value_name = "R", value_parser = bound, allow_negative_numbers = true)]
    pub(crate) rtol: Option<f64>,
    /// Maximum distance in representable values (ulps)
    #[arg(long, value_name = "N")]
    pub(crate) ulp: Option<u64>,
    /// Whether NaN is close to NaN
    #[arg(long, default_value = "equal", hide_default_value = true,
          value_parser = one_of([("equal", NanPolicy::Equal), ("differ", NanPolicy::Differ)]))]
    pub(crate) nan: NanPolicy,
    /// Count the mismatches under another tolerance too, in the JSON report (repeatable)
    #[arg(long, value_name = "ATOL,RTOL", value_parser = tolerance)]
    pub(crate) tolerance: Vec<Tolerance>,
}

/// Parses the atol or rtol of a tolerance.
fn bound(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| "not a number")?;
    match Tolerance::new(Some(value), None, None) {
        Ok(_) => Ok(value),
        Err(_) => Err("expected a number that is finite and not negative".into()),
    }
}

fn tolerance(text: &str) -> Result<Tolerance, String> {
    let (atol, rtol) =
        text.split_once(',').ok_or("expected two numbers with a comma between them")?;
    Tolerance::new(Some(bound(atol)?), Some(bound(rtol)?), None).map_err(|error| error.to_string())
}
