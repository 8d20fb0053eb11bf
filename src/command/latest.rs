//! `ckdiff latest DIR`: prints the path of the newest checkpoint.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use crate::checkpoint::CheckpointState;
use crate::report::human::printable;

use crate::command::Exit;
use crate::command::args::LatestArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::output;
use crate::command::state_file;

/// Prints the path of the latest checkpoint, or the paths of all, one per line.
///
/// # Errors
/// If the state file is missing or cannot be read, or it names no checkpoint.
pub(crate) fn run(args: &LatestArgs) -> Result<Exit, Diagnostics> {
    let state = CheckpointState::read(&args.dir)?;
    state_file::warn([&state]);
    let paths: Vec<PathBuf> = match state.all_model_checkpoint_paths.as_slice() {
        // A state file without a list has the latest checkpoint only.
        all if args.all && !all.is_empty() => all.to_vec(),
        _ => vec![state.latest()?],
    };
    let is_terminal = io::stdout().is_terminal();
    output::to_stdout(|out| {
        for path in &paths {
            if is_terminal {
                out.write_all(printable(&path.display().to_string()).as_bytes())?;
            } else {
                // Unchanged, even if it is not UTF-8: scripts use it as a path.
                out.write_all(path.as_os_str().as_encoded_bytes())?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(Exit::Same)
}
