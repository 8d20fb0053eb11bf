//! The arguments of `diff`, and those that it shares with the commands for git.

use std::path::PathBuf;
use std::sync::Arc;

use crate::compare::{self, Device, NanPolicy, Tolerance};
use crate::diff::{
    Criteria, DiffOptions, Ignore, ListedTensors, Lists, NameFilter, Only, TensorRules,
};
use crate::error::Error;
use crate::report::Verbosity;
use crate::rules::{Rules, Tolerances};
use crate::summary::SortKey;
use clap::Args;

use super::changes::{Changes, ListArgs, Unified};
use super::common::{Filter, Jobs};
use super::device::DeviceArgs;
use super::messages::SchemaArgs;
use super::report::ReportArgs;
use super::rules::{RULES, RulesArgs};
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
    pub(crate) rules: RulesArgs,
    /// List the tensors and changes that differ, and pass because of a rule
    #[arg(long, help_heading = RULES)]
    pub(crate) show_passed: bool,
    #[command(flatten)]
    pub(crate) lists: ListArgs,
    #[command(flatten)]
    pub(crate) schema: SchemaArgs,
    /// Count differences, and the values of each side, by powers of two
    #[arg(long, help_heading = "Report")]
    pub(crate) histogram: bool,
    /// List the first N elements that differ (10 by default, or `all`) of the tensors whose names match GLOB (repeatable)
    #[arg(long, value_name = "GLOB[=N]", value_parser = elements, help_heading = "Report")]
    pub(crate) elements: Vec<(String, usize)>,
    /// Count where mismatches lie, along the elements and along the first axis, and list the worst elements, for JSON
    #[arg(long, help_heading = "Report")]
    pub(crate) mismatch_map: bool,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
    /// What to sort changed tensors by [default: rel-l2]
    #[arg(long, value_name = "KEY", default_value = "rel-l2", hide_default_value = true, help_heading = "Report",
          value_parser = one_of(SortKey::ALL.map(|key| (key.name(), key))))]
    pub(crate) sort: SortKey,
    /// How many changed tensors, and how many changes, to list: a number, or `all` [default: 20 on a terminal, else all]
    #[arg(short = 'n', long, value_name = "N", value_parser = max_rows, help_heading = "Report")]
    pub(crate) max_diffs: Option<usize>,
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
    /// The options of the comparison, by rules if there are any.
    ///
    /// # Errors
    /// If a tolerance, a pattern or a rename is invalid.
    pub(crate) fn options(
        &self,
        histogram: bool,
        jobs: &Jobs,
        rules: Option<&Arc<Rules>>,
    ) -> Result<DiffOptions, Error> {
        let close = &self.closeness;
        let (tolerance, criteria) = match rules {
            // The rules have the options of tolerances.
            Some(_) => (Tolerance::BITS, Criteria::default()),
            None => close.tolerances().criteria()?,
        };
        let renames = rules.map(|rules| rules.renames()).unwrap_or_default();
        let names = NameFilter::new(&self.filter.include, &self.filter.exclude, &self.rename)?;
        Ok(DiffOptions {
            compare: compare::CompareOptions {
                tolerance,
                nan: close.nan,
                further: close.tolerance.clone(),
                histogram,
                values: histogram,
                threads: jobs.jobs.into(),
                ..compare::CompareOptions::default()
            },
            criteria,
            rules: rules.map(|rules| Arc::clone(rules) as Arc<dyn TensorRules>),
            listed: ListedTensors::default(),
            mismatch_map: false,
            deny_unused: self.filter.deny_unused,
            names: names.with_renames(renames)?,
            only: self.only.unwrap_or_default(),
            lists: Lists::default(),
            ignore: Ignore::new(&self.changes.ignore, &self.changes.ignore_kind)?,
            strict: self.changes.strict,
            grouping: self.changes.grouping(),
            device: Device::cpu(),
        })
    }
}

/// When two values are close.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tolerance (without one, values compare by bits)")]
pub(crate) struct Closeness {
    /// Absolute tolerance: close when |rhs - lhs| <= ATOL + RTOL * |lhs|; with GLOB=, of the tensors whose names match (repeatable)
    #[arg(long, value_name = "[GLOB=]T", value_parser = named_bound, allow_negative_numbers = true)]
    pub(crate) atol: Vec<(Option<String>, f64)>,
    /// Relative tolerance, likewise
    #[arg(long, value_name = "[GLOB=]R", value_parser = named_bound, allow_negative_numbers = true)]
    pub(crate) rtol: Vec<(Option<String>, f64)>,
    /// Maximum distance in representable values (ulps)
    #[arg(long, value_name = "N")]
    pub(crate) ulp: Option<u64>,
    /// Whether NaN is close to NaN
    #[arg(long, default_value = "equal", hide_default_value = true,
          value_parser = one_of([("equal", NanPolicy::Equal), ("differ", NanPolicy::Differ)]))]
    pub(crate) nan: NanPolicy,
    /// Accept tensors that moved by at most X as a whole: ‖rhs − lhs‖ / ‖lhs‖, as in 0.01 or 1%
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) max_rel_l2: Option<f64>,
    /// Accept tensors in which at most this share of elements differs (beyond the tolerance, if one is given), as in 0.1%
    #[arg(long, value_name = "P%", value_parser = share)]
    pub(crate) max_changed: Option<f64>,
    /// Count the mismatches under another tolerance too (repeatable)
    #[arg(long, value_name = "ATOL,RTOL", value_parser = tolerance)]
    pub(crate) tolerance: Vec<Tolerance>,
}

impl Closeness {
    /// The tolerances and limits.
    pub(crate) fn tolerances(&self) -> Tolerances {
        Tolerances {
            atol: self.atol.clone(),
            rtol: self.rtol.clone(),
            ulp: self.ulp,
            max_rel_l2: self.max_rel_l2,
            max_changed: self.max_changed,
        }
    }
}

/// The level of detail.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct VerbosityArgs {
    /// Show the answer and a line per scope
    #[arg(long, group = "verbosity")]
    pub(crate) stat: bool,
    /// Print only the names of changed tensors, and the paths of changes in graphs
    #[arg(long, group = "verbosity")]
    pub(crate) name_only: bool,
    /// Show more statistics, pictures of changed tensors, tensors that are equal or close, and each cosmetic change
    #[arg(short, long, group = "verbosity")]
    pub(crate) verbose: bool,
}

impl VerbosityArgs {
    pub(crate) fn verbosity(&self) -> Verbosity {
        match self {
            Self { stat: true, .. } => Verbosity::Scopes,
            Self { name_only: true, .. } => Verbosity::Names,
            Self { verbose: true, .. } => Verbosity::Everything,
            _ => Verbosity::Changes,
        }
    }
}

/// Parses GLOB or GLOB=N.
fn elements(text: &str) -> Result<(String, usize), String> {
    const SOME: usize = 10;
    Ok(match text.rsplit_once('=') {
        Some((glob, count)) if !glob.is_empty() => (glob.to_owned(), max_rows(count)?),
        _ => (text.to_owned(), SOME),
    })
}

/// Parses a share, as a number or in percent.
fn share(text: &str) -> Result<f64, String> {
    match text.trim().strip_suffix('%') {
        Some(percent) => Ok(bound(percent)? / 100.0),
        None => bound(text),
    }
}

/// Parses a bound, with or without the tensors that it is for.
fn named_bound(text: &str) -> Result<(Option<String>, f64), String> {
    match text.rsplit_once('=') {
        Some((glob, value)) if !glob.is_empty() => Ok((Some(glob.to_owned()), bound(value)?)),
        _ => Ok((None, bound(text)?)),
    }
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
