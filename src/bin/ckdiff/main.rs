//! The command: arguments in, an answer out, and an exit code that says which.

mod args;
mod beside;
mod blob;
mod completions;
mod convert;
mod debug_info;
mod devices;
mod diff;
mod export;
mod fmt;
mod git_driver;
mod interrupt;
mod latest;
mod losses;
mod man;
mod merge;
mod output;
mod pointer;
mod progress;
mod save_as;
mod schema;
mod show;
mod textconv;
mod trouble;
mod verify;

use std::process::ExitCode;

use args::Command;
use trouble::Trouble;

/// What an exit code says; as `diff` and `cmp` have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Exit {
    /// The same, within the tolerance.
    Same = 0,
    /// Different; never an error.
    Different = 1,
    /// Bad arguments, something unreadable or corrupt.
    Trouble = 2,
}

fn main() -> ExitCode {
    let exit = match args::parse() {
        Ok(command) => run(command).unwrap_or_else(|trouble| {
            trouble.tell();
            Exit::Trouble
        }),
        Err(exit) => exit,
    };
    ExitCode::from(exit as u8)
}

fn run(command: Command) -> Result<Exit, Trouble> {
    match command {
        Command::Diff(args) => diff::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::SaveAs(args) => save_as::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Latest(args) => latest::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::GitDriver(args) => git_driver::run(&args),
        Command::Textconv(args) => textconv::run(&args),
        Command::Completions { shell } => completions::run(shell),
        Command::Man => man::run(),
    }
}
