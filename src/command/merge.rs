//! `ckdiff merge PART… OUT`: merges several checkpoints into one.

use crate::checkpoint::{self, AfterMerge};
use crate::error::Error;

use crate::command::Exit;
use crate::command::args::MergeArgs;
use crate::command::diagnostics::Diagnostics;
use crate::command::interrupt;

/// Merges V2 checkpoints without reading their content.
///
/// # Errors
/// If they cannot be merged, or the result cannot be written; then nothing changes.
pub(crate) fn run(args: &MergeArgs) -> Result<Exit, Diagnostics> {
    let Some((output, parts)) = args.paths.split_last() else {
        return Err(Error::usage("PART and OUT are missing").into());
    };
    interrupt::install_handler();
    let after = if args.remove_parts { AfterMerge::RemoveParts } else { AfterMerge::KeepParts };
    checkpoint::merge(parts, output, args.existing.existing(), after)?;
    Ok(Exit::Same)
}
