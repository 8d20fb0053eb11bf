//! The command `ckdiff`: parses arguments, runs a subcommand, and turns its result into an exit code. It is a module of the library
//! since the Python package has the command too.

mod args;
mod completions;
mod config;
mod convert;
mod debug_info;
mod devices;
mod diagnostics;
mod diff;
mod export;
mod fmt;
mod git_driver;
mod git_file;
mod interrupt;
mod judge;
mod latest;
mod learn;
mod lfs_pointer;
mod losses;
mod man;
mod merge;
mod message_file;
mod output;
mod progress;
mod proto_check;
mod proto_directory;
mod rules;
mod save_as;
mod schema;
mod series;
mod show;
mod snapshot;
mod state_file;
mod step_summary;
mod textconv;
mod verify;

use std::ffi::OsString;

use crate::diff::Verdict;
use args::Command;
use diagnostics::Diagnostics;

/// The exit codes, which are those of `diff` and `cmp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    /// The same, within the tolerance.
    Same = 0,
    /// Different; never used for an error.
    Different = 1,
    /// Wrong arguments, or an unreadable or damaged file.
    Trouble = 2,
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Same => Self::Same,
            Verdict::Different => Self::Different,
            Verdict::Trouble => Self::Trouble,
        }
    }
}

/// Runs the command `ckdiff` with the command line `line`, which starts with the name of the program, and returns the exit code.
///
/// It prints, reads the environment, and may install handlers of signals: it is meant to be the last thing that a process does.
pub fn main(line: impl IntoIterator<Item = OsString>) -> u8 {
    interrupt::fail_at_file_size_limit();
    let line: Vec<OsString> = line.into_iter().collect();
    let exit = match args::parse(&line) {
        Ok((command, name)) => run(command).unwrap_or_else(|diagnostics| {
            diagnostics.print(&name);
            Exit::Trouble
        }),
        Err(exit) => exit,
    };
    exit as u8
}

fn run(command: Command) -> Result<Exit, Diagnostics> {
    match command {
        Command::Diff(args) => diff::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Series(args) => series::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::SaveAs(args) => save_as::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Latest(args) => latest::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Snapshot(args) => snapshot::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::GitDriver(args) => git_driver::run(&args),
        Command::Textconv(args) => textconv::run(&args),
        Command::Completions { shell } => completions::run(shell),
        Command::Man => man::run(),
    }
}
