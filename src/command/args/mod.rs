//! The command line: commands, options and their help.

mod changes;
mod common;
mod device;
mod diff;
mod export;
mod git;
mod guess;
mod help;
mod judge;
mod learn;
mod messages;
mod print;
mod read;
mod report;
mod rules;
mod save;
mod series;
mod snapshot;
mod values;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::ErrorKind;
use clap::{Args, FromArgMatches, Subcommand};
use clap_complete::Shell;

pub(crate) use device::DevicesArgs;
pub(crate) use diff::DiffArgs;
pub(crate) use export::{ContentArgs, ExportArgs, TargetArgs};
pub(crate) use git::{GitDriverArgs, TextconvArgs};
pub(crate) use guess::{explain_missing, only_checkpoint};
pub(crate) use judge::JudgeArgs;
pub(crate) use learn::LearnArgs;
pub(crate) use messages::{ConvertArgs, FmtArgs, FormArgs, SchemaArgs};
pub(crate) use read::{ShowArgs, VerifyArgs};
pub(crate) use report::{Color, ReportArgs};
pub(crate) use rules::{ExplainArgs, InitArgs, RulesArgs, RulesCommand, RulesCommandArgs};
pub(crate) use save::{LatestArgs, MergeArgs, SaveAsArgs};
pub(crate) use series::SeriesArgs;
pub(crate) use snapshot::{
    SnapshotArgs, SnapshotCheckArgs, SnapshotCommand, SnapshotFiles, SnapshotWriteArgs,
};

use crate::command::Exit;

/// A command.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Command {
    /// Compare two checkpoints, graphs or SavedModels (the same as `ckdiff LHS RHS`)
    Diff(Box<DiffArgs>),
    /// List the tensors of a checkpoint, print one, or show a graph, also as a picture
    Show(ShowArgs),
    /// Verify every checksum, and whether graph and checkpoint fit together
    Verify(VerifyArgs),
    /// Follow many checkpoints of one training: drift, NaN, frozen and runaway tensors
    Series(SeriesArgs),
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
    /// Learn rules from good runs: how far each tensor may move
    Learn(LearnArgs),
    /// Judge a saved JSON report by other rules, without the checkpoints
    Judge(JudgeArgs),
    /// Explain the rules for a tensor, or write rules to start from
    Rules(RulesCommandArgs),
    /// Write a model's structure as text to commit, or check that it is still the same
    Snapshot(SnapshotArgs),
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
    let command =
        Command::augment_subcommands(DiffArgs::augment_args(clap::Command::new("ckdiff")))
            .version(env!("CARGO_PKG_VERSION"))
            .about("Show what changed between two trained models, and whether it matters")
            .override_usage("ckdiff [OPTIONS] <LHS> <RHS>\n       ckdiff <COMMAND> …")
            .max_term_width(100)
            .arg_required_else_help(true)
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true);
    help::with_help(report::with_formats(command))
}

/// The name of the command that compares, which need not be given.
const DEFAULT: &str = "diff";

/// Parses the command line, which starts with the name of the program, and returns the command with its name. Prints help, the
/// version and errors, and returns the exit code then.
pub(crate) fn parse(line: &[OsString]) -> Result<(Command, String), Exit> {
    let parsed = command().try_get_matches_from(line).and_then(|mut matches| {
        let name = matches.subcommand_name().map(str::to_owned);
        let command = match name {
            Some(_) => Command::from_arg_matches_mut(&mut matches)?,
            None => Command::Diff(Box::from_arg_matches_mut(&mut matches)?),
        };
        Ok((command, name.unwrap_or_else(|| DEFAULT.into())))
    });
    parsed.map_err(|error| {
        let args = line.get(1..).unwrap_or_default();
        if error.use_stderr()
            && let Some(message) = guess::explain(args, &command())
        {
            let _ = writeln!(io::stderr(), "ckdiff: error: {message}");
            return Exit::Trouble;
        }
        if !error.use_stderr() {
            return print::help(&error);
        }
        if error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            let _ = write!(io::stderr(), "ckdiff: ");
        }
        print::error(&error, args);
        Exit::Trouble
    })
}

/// Whether the command of this name has this option.
pub(crate) fn has_option(name: &str, option: &str) -> bool {
    let all = command();
    let command = all.find_subcommand(name);
    command.is_some_and(|command| command.get_arguments().any(|arg| arg.get_long() == Some(option)))
}
