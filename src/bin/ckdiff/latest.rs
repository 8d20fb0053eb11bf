//! `ckdiff latest DIR`: the newest checkpoint.

use std::path::PathBuf;

use ckdiff::checkpoint::CheckpointState;

use crate::Exit;
use crate::args::LatestArgs;
use crate::output;
use crate::trouble::Trouble;

/// Prints the path of the latest checkpoint, or of all, a line each.
///
/// # Errors
/// When there is no state file, it cannot be read, or the latest checkpoint is not there.
pub(crate) fn run(args: &LatestArgs) -> Result<Exit, Trouble> {
    let state = CheckpointState::read(&args.dir)?;
    let paths: Vec<PathBuf> =
        if args.all { state.all_model_checkpoint_paths } else { vec![state.latest()?] };
    output::to_stdout(|out| {
        for path in &paths {
            // As it is, also where it is not UTF-8: a script takes it from here.
            out.write_all(path.as_os_str().as_encoded_bytes())?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(Exit::Same)
}
