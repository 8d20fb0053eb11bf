//! Warnings about the state files that name checkpoints.

use std::collections::BTreeSet;

use crate::artifact::Artifact;
use crate::checkpoint::{Checkpoint, CheckpointState};

use crate::command::diagnostics;

/// Warns about the state files of artifacts that were opened by a directory, once about each.
pub(crate) fn warn_of<'a, 's: 'a>(artifacts: impl IntoIterator<Item = &'a Artifact<'s>>) {
    let checkpoints = artifacts.into_iter().filter_map(Artifact::checkpoint);
    warn(checkpoints.filter_map(Checkpoint::state));
}

/// Warns about state files that give a field more than once, once about each file.
pub(crate) fn warn<'a>(states: impl IntoIterator<Item = &'a CheckpointState>) {
    let repeated = states.into_iter().filter(|state| !state.repeated.is_empty());
    let warnings: BTreeSet<String> = repeated
        .map(|state| {
            let (file, fields) = (state.path.display(), state.repeated.join(", "));
            format!("{file}: {fields}: given more than once; the last value counts")
        })
        .collect();
    for warning in warnings {
        diagnostics::warn(&warning);
    }
}
