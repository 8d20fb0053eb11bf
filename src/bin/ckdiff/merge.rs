//! `ckdiff merge PART… OUT`: one checkpoint from several.

use ckdiff::checkpoint::{self, Existing, Parts};
use ckdiff::{Error, ErrorKind};

use crate::Exit;
use crate::args::{ExistingArgs, MergeArgs};
use crate::interrupt;
use crate::trouble::Trouble;

/// Merges V2 checkpoints, whose content is not read.
///
/// # Errors
/// When they cannot be merged, or the result cannot be written; then everything is as it was.
pub(crate) fn run(args: &MergeArgs) -> Result<Exit, Trouble> {
    let Some((output, parts)) = args.paths.split_last() else {
        return Err(Error::from(ErrorKind::Usage("PART and OUT are needed".into())).into());
    };
    interrupt::heed();
    let after = if args.remove_parts { Parts::Remove } else { Parts::Keep };
    checkpoint::merge(parts, output, existing(&args.existing), after)?;
    Ok(Exit::Same)
}

/// What the arguments say of a checkpoint that is there.
pub(crate) fn existing(args: &ExistingArgs) -> Existing {
    if args.overwrite { Existing::Replace } else { Existing::Refuse }
}
