//! Checks one artifact: everything in it can be read, every checksum matches, and its graph fits its tensors.

mod graphs;
mod meta_graph;
mod model_files;
mod restorability;
mod siblings;
mod targets;
mod verification;

use std::path::Path;

#[doc(hidden)]
pub use self::{
    graphs::{VerifiedGraph, graphs},
    meta_graph::MetaGraph,
    restorability::{
        Counts, Misfit, MisfitKind, MisfitReason, Restorability, SaverRestorability, restorability,
    },
    targets::Targets,
};
pub(crate) use model_files::missing_variables;
pub use verification::{Verdict, Verification};

use crate::artifact::Artifact;
use crate::checkpoint::{Checkpoint, Entry};
use crate::error::Error;
use crate::graph::OpTable;
use crate::progress::Progress;
use crate::tensor::{in_parallel, read_through};

/// Reads all of `artifact` on `threads` threads (0 for one per core), and verifies every checksum and bound.
///
/// Nodes are checked against `ops`, such as those of an older TensorFlow; if that is `None`, those of the TensorFlow that this version of ckdiff knows.
///
/// # Examples
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::progress::Silent;
/// use ckdiff::verify::verify;
///
/// let artifact = Artifact::open("tests/data/demo/model.ckpt")?;
/// assert!(verify(&artifact, None, 0, &Silent)?.is_sound());
/// # Ok::<(), ckdiff::Error>(())
/// ```
///
/// # Errors
/// If the artifact has neither tensors nor a graph. Damage to a checkpoint is part of the result.
pub fn verify(
    artifact: &Artifact<'_>,
    ops: Option<&OpTable<'_>>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Verification, Error> {
    let checkpoint = artifact.checkpoint();
    let graphs = match artifact.message() {
        Some(document) => graphs(document, checkpoint, ops)?,
        None => Vec::new(),
    };
    if graphs.is_empty() {
        artifact.tensors("verified")?;
    }
    let mut found = Verification {
        artifact: artifact.summary(),
        sound: 0,
        bytes: 0,
        damage: model_files::missing(artifact)?,
        unsound: Vec::new(),
        has_tensors: checkpoint.is_some(),
        graphs,
    };
    if let Some(checkpoint) = checkpoint {
        tensors(checkpoint, threads, progress, &mut found);
    }
    Ok(found)
}

/// Reads all of a checkpoint.
fn tensors(
    checkpoint: &Checkpoint,
    threads: usize,
    progress: &dyn Progress,
    found: &mut Verification,
) {
    found.damage.extend_from_slice(checkpoint.damage());
    if !checkpoint.has_data() {
        let error = Error::not_found("the data files are missing; only the index was checked");
        found.damage.push(error.in_file(checkpoint.path()));
    }
    let entries: Vec<&Entry> = checkpoint.tensors().collect();
    progress.total(stored_bytes(&entries));
    let results = in_parallel(&entries, threads, |entry| read(checkpoint, entry, progress));
    for (entry, result) in entries.iter().zip(results) {
        match result {
            Ok(bytes) => {
                found.sound += 1;
                found.bytes += bytes;
            }
            Err(error) => found.unsound.push((entry.name.clone(), error.of_tensor(&entry.name))),
        }
    }
    let known = |error: &Error| found.errors().any(|known| location(known) == location(error));
    let rest: Vec<_> = checkpoint.scan().into_iter().filter(|error| !known(error)).collect();
    found.damage.extend(rest);
}

/// The location of an error: damage at one location is reported once.
fn location(error: &Error) -> (Option<&Path>, Option<u64>) {
    (error.file(), error.offset())
}

fn stored_bytes(entries: &[&Entry]) -> u64 {
    entries
        .iter()
        .filter_map(|entry| entry.source.as_ref().ok())
        .fold(0, |sum, source| source.stored_bytes().saturating_add(sum))
}

/// Reads a tensor to its end; without data files, only its entry is checked.
fn read(checkpoint: &Checkpoint, entry: &Entry, progress: &dyn Progress) -> Result<u64, Error> {
    let source = entry.source.as_ref().map_err(Error::clone)?;
    if checkpoint.has_data() { read_through(&**source, progress, |_| Ok(())) } else { Ok(0) }
}
