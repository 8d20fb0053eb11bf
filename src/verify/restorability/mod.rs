//! Whether the savers of a graph can restore a checkpoint.
//!
//! Finds the errors that TensorFlow would report when restoring: every tensor that a restore node names must exist, with its dtype
//! and shape, and in slices that can be combined.

mod check;
mod misfit;
mod outcome;
mod savers;

use std::collections::BTreeSet;

use check::Check;
pub use misfit::{Counts, Misfit};
pub use outcome::{Restorability, SaverRestorability};

use super::MetaGraph;
use crate::checkpoint::Checkpoint;
use crate::error::Result;
use crate::graph::object_graph::KEY;
use crate::saver::ObjectKeys;
use crate::saver::plan::{Bodies, RestoreSource, Suggestions};
pub use crate::saver::plan::{MisfitKind, MisfitReason};
use crate::tensor::Name;

/// Compares a graph with a checkpoint, and keeps the first `limit` misfits of each kind.
///
/// Tensors that cannot be read are skipped: their damage is reported elsewhere.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::verify::{MetaGraph, restorability};
///
/// let artifact = Artifact::open("tests/data/fit/renamed/model.ckpt")?.with_meta_graph()?;
/// let (meta, checkpoint) = (artifact.message().unwrap(), artifact.checkpoint().unwrap());
/// let found = restorability(&MetaGraph::all_in(meta.message())?[0], checkpoint, 20)?;
/// assert_eq!(
///     found.savers[0].misfits[0].to_string(),
///     "dense/kernal: the checkpoint has no such tensor; did you mean dense/kernel?"
/// );
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the graph is too large.
pub fn restorability(
    meta: &MetaGraph<'_>,
    checkpoint: &Checkpoint,
    limit: usize,
) -> Result<Restorability> {
    let bodies = Bodies::new(&meta.graph)?;
    let restores = bodies.restores();
    let savers = savers::savers(meta, &bodies, &restores);
    if savers.is_empty() {
        return Ok(Restorability::default());
    }
    // An object graph that cannot be read is damage, which is reported elsewhere.
    let keys = ObjectKeys::of(checkpoint).ok().flatten();
    let source = RestoreSource::new(checkpoint);
    let source: Vec<RestoreSource<'_>> = savers
        .iter()
        .map(|saver| {
            source.for_names(
                keys.as_ref(),
                saver.requested(&restores).map(|requested| &*requested.key),
            )
        })
        .collect();
    let mut restored = BTreeSet::new();
    for (saver, source) in savers.iter().zip(&source) {
        restored
            .extend(saver.requested(&restores).filter_map(|requested| source.key(&requested.key)));
    }
    let is_by_object = source.iter().any(|source| source.keys().is_some());
    // A restore by objects also reads the object graph.
    let is_graph = |name: &Name| is_by_object && name.as_bytes() == KEY.as_bytes();
    let is_left = |name: &&Name| !restored.contains(name) && !is_graph(name);
    let left: Vec<&Name> = checkpoint.tensors().map(|entry| &entry.name).filter(is_left).collect();
    let called = keys.iter().flat_map(|keys| keys.iter().map(|(name, _)| name));
    let mut suggestions = Suggestions::new(left.iter().copied().chain(called).collect());
    let mut check = |(saver, source)| {
        Check { source, suggestions: &mut suggestions, limit }.saver(saver, &restores)
    };
    let savers = savers.iter().zip(&source).map(&mut check).collect();
    let left_count = left.len() as u64;
    Ok(Restorability { savers, left: left.into_iter().take(limit).cloned().collect(), left_count })
}
