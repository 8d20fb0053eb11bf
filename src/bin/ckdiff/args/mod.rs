//! The command line: commands, options and their help.

mod changes;
mod device;
mod export;
mod git;
mod messages;
mod save;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use ckdiff::compare::{NanPolicy, Tolerance};
use ckdiff::diff::Only;
use ckdiff::report::Format;
use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, FromArgMatches, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use changes::{Changes, ListArgs, Unified};
pub(crate) use device::{Choice, DeviceArgs, DevicesArgs};
pub(crate) use export::{ContentArgs, ExportArgs, TargetArgs};
pub(crate) use git::{GitDriverArgs, TextconvArgs};
pub(crate) use messages::{ConvertArgs, FmtArgs, FormArgs, SchemaArgs};
pub(crate) use save::{ExistingArgs, LatestArgs, MergeArgs, SaveAsArgs};

use crate::Exit;

/// The last lines of `--help`.
const AFTER_HELP: &str = "\
Exit codes: 0 same, within the tolerance; 1 different; 2 error (wrong arguments, unreadable files).
For a path that is also the name of a command, write ./show.";

/// A command.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Command {
    /// Compare two checkpoints, graphs or SavedModels (the same as `ckdiff LHS RHS`)
    Diff(Box<DiffArgs>),
    /// List the tensors of a checkpoint, print one, or summarize a graph or SavedModel
    Show(ShowArgs),
    /// Verify every checksum, and whether graph and checkpoint fit together
    Verify(VerifyArgs),
    /// Convert a message between binary, text and JSON
    Convert(ConvertArgs),
    /// Extract a part of a meta graph, or move it under another scope
    Export(ExportArgs),
    /// Format text files, and keep their comments
    Fmt(FmtArgs),
    /// Write a checkpoint in another format, in other shards, in part, or under other names
    SaveAs(SaveAsArgs),
    /// Merge several checkpoints into one
    Merge(MergeArgs),
    /// Print the path of the newest checkpoint in a directory
    Latest(LatestArgs),
    /// List the devices that can compare: the CPU and GPUs
    Devices(DevicesArgs),
    /// Show git what changed in a file, as diff.<driver>.command
    GitDriver(GitDriverArgs),
    /// Print a file as text for git, as diff.<driver>.textconv
    Textconv(TextconvArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, in roff
    Man,
}

/// The command line: a command, or the arguments of `diff` without its name.
pub(crate) fn command() -> clap::Command {
    // Both types set help texts from their doc comments, so the real ones are set after them.
    Command::augment_subcommands(DiffArgs::augment_args(clap::Command::new("ckdiff")))
        .version(env!("CARGO_PKG_VERSION"))
        .about("Tells what changed between two trained TensorFlow models, and whether it matters")
        .after_help(AFTER_HELP)
        .override_usage("ckdiff [OPTIONS] <LHS> <RHS>\n       ckdiff <COMMAND> …")
        .max_term_width(100)
        .arg_required_else_help(true)
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
}

/// Parses the command line. Prints help, the version and errors, and returns the exit code then.
pub(crate) fn parse() -> Result<Command, Exit> {
    let parsed = command().try_get_matches().and_then(|mut matches| match matches.subcommand() {
        Some(_) => Command::from_arg_matches_mut(&mut matches),
        None => Box::from_arg_matches_mut(&mut matches).map(Command::Diff),
    });
    parsed.map_err(|error| {
        // A reader who closes the pipe has read enough of the help.
        if !error.use_stderr() {
            let _ = error.print();
            return Exit::Same;
        }
        if error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            let _ = write!(io::stderr(), "ckdiff: ");
        }
        let _ = error.print();
        Exit::Trouble
    })
}

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
    /// How many changed tensors to list: a number, or `all`
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_diffs, help_heading = "Report")]
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
    /// The maximum number of representable values between two floats
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

/// Which tensors are selected.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tensors")]
pub(crate) struct Filter {
    /// Select only tensors whose name matches (repeatable); `*` stops at `/`, `**` does not
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Leave out tensors whose name matches (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
}

/// Where reports go, and their format.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// The format of the printed report
    #[arg(long, value_parser = one_of(Format::ALL.iter().map(|it| (it.name, *it))), default_value = "human", hide_default_value = true)]
    pub(crate) format: Format,
    /// Also write a report to a file (repeatable), as in json=report.json
    #[arg(long, value_name = "FORMAT=PATH", value_parser = OsStringValueParser::new().try_map(output))]
    pub(crate) output: Vec<(Format, PathBuf)>,
    /// When to use colours; auto respects NO_COLOR, CLICOLOR_FORCE and TERM=dumb
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_default_value = true)]
    pub(crate) color: Color,
}

/// The number of threads.
#[derive(Debug, Clone, Args)]
pub(crate) struct Jobs {
    /// How many threads to use; 0 for one per core
    #[arg(short, long, value_name = "N", default_value = "0", hide_default_value = true,
          value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(crate) jobs: u16,
}

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
    /// How many rows of each list in a graph, or lines of another message, to show: a number, or `all`
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = max_diffs)]
    pub(crate) max_rows: usize,
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

/// Accepts these names, each of which stands for a value.
// The names are undocumented: clap would spread --help over three pages.
fn one_of<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<_> = values.into_iter().collect();
    let names = PossibleValuesParser::new(values.iter().map(|(name, _)| *name));
    names.try_map(move |given| {
        let found = values.iter().find(|(name, _)| *name == given);
        found.map(|(_, value)| value.clone()).ok_or("there is no such value")
    })
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
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

fn max_diffs(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => number.parse().map_err(|_| "expected a number, or all".into()),
    }
}

fn output(text: OsString) -> Result<(Format, PathBuf), String> {
    let lossy = text.to_string_lossy();
    let name = lossy.split('=').next().unwrap_or_default();
    let format = Format::by_name(name).ok_or_else(|| {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name).collect();
        format!("{name:?} is not a format; the formats are {}", names.join(" and "))
    })?;
    let path = after(&text, name.len() + 1).filter(|path| !path.is_empty());
    path.map(|path| (format, path.into())).ok_or_else(|| "PATH is missing after FORMAT=".into())
}

/// The argument from byte `start` on, which follows ASCII.
#[cfg(unix)]
fn after(text: &OsString, start: usize) -> Option<OsString> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    text.as_bytes().get(start..).map(|rest| OsString::from_vec(rest.to_vec()))
}

/// The argument from byte `start` on, which follows ASCII.
#[cfg(not(unix))]
fn after(text: &OsString, start: usize) -> Option<OsString> {
    text.to_str()?.get(start..).map(OsString::from)
}
