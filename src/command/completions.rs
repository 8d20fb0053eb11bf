//! `ckdiff completions SHELL`.

use clap_complete::{Generator, Shell};

use crate::command::Exit;
use crate::command::args;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;

/// Prints a completion script.
///
/// # Errors
/// If stdout cannot be written.
pub(crate) fn run(shell: Shell) -> Result<Exit, Diagnostics> {
    let mut command = args::command();
    command.set_bin_name("ckdiff");
    command.build();
    output::to_stdout(|out| shell.try_generate(&command, out))?;
    Ok(Exit::Same)
}
