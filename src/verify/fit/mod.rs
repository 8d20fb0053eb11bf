//! Whether the savers of a graph can restore a checkpoint.
//!
//! Finds the errors that TensorFlow would report when restoring: every tensor that a restore node names must exist, with its dtype
//! and shape, and in slices that can be combined.

mod misfit;
mod savers;

use std::collections::BTreeSet;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

pub use misfit::{Counts, Misfit};
use savers::Saver;

use super::MetaGraph;
use crate::checkpoint::Checkpoint;
use crate::error::Result;
use crate::graph::object_graph::KEY;
use crate::saver::ObjectKeys;
use crate::saver::plan::{Bodies, RequestedTensor, Restore, RestoreSource, Suggestions};
pub use crate::saver::plan::{Kind, Problem};
use crate::serial::Named;
use crate::tensor::Name;

/// How a graph fits a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fit {
    /// All savers, the default one first; none if the graph restores nothing.
    pub savers: Vec<SaverFit>,
    /// The first tensors of the checkpoint, by name, that no saver restores; TensorFlow ignores them.
    pub left: Vec<Name>,
    /// The number of tensors that no saver restores.
    pub left_count: u64,
}

/// How one saver fits a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SaverFit {
    /// The restore node; for nodes that no saver names, their scope or function.
    pub name: String,
    /// Whether TensorFlow uses this saver by default.
    #[serde(rename = "default")]
    pub is_default: bool,
    /// Whether its names are those of objects in a checkpoint of TensorFlow 2, where TensorFlow 1 looks up names that are not keys.
    #[serde(skip)]
    pub is_by_object: bool,
    /// The number of tensors that it restores.
    pub tensors: u64,
    /// The number of restore nodes whose tensors are not named by constants, and so are unknown.
    pub unknown: u64,
    /// How many misfits there are of each kind.
    pub counts: Counts,
    /// The first misfits of each kind.
    pub misfits: Vec<Misfit>,
    /// The number of misfits that TensorFlow refuses.
    #[serde(skip)]
    pub refused: u64,
}

impl Serialize for Fit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Left<'a> {
            count: u64,
            names: Vec<Named<'a>>,
        }
        let names = self.left.iter().map(Named).collect();
        let mut fit = serializer.serialize_struct("Fit", 4)?;
        fit.serialize_field("fits", &self.fits())?;
        fit.serialize_field("restores", &self.restores())?;
        fit.serialize_field("savers", &self.savers)?;
        fit.serialize_field("not_restored", &Left { count: self.left_count, names })?;
        fit.end()
    }
}

impl SaverFit {
    /// Whether there is no misfit.
    pub fn fits(&self) -> bool {
        self.counts.total() == 0
    }
}

impl Fit {
    /// Whether the default saver fits; without one, whether any saver does, or there is none.
    pub fn fits(&self) -> bool {
        self.judge(SaverFit::fits)
    }

    /// Whether TensorFlow restores without an error; it does not check the shapes of resource variables.
    pub fn restores(&self) -> bool {
        self.judge(|saver| saver.refused == 0)
    }

    /// The saver that decides: the default one, or else the one with the fewest misfits.
    pub fn decisive(&self) -> Option<&SaverFit> {
        let default = self.savers.first().filter(|saver| saver.is_default);
        default.or_else(|| self.savers.iter().min_by_key(|saver| saver.counts.total()))
    }

    fn judge(&self, passes: impl Fn(&SaverFit) -> bool) -> bool {
        match self.savers.first() {
            None => true,
            Some(default) if default.is_default => passes(default),
            _ => self.savers.iter().any(passes),
        }
    }
}

/// Compares a graph with a checkpoint, and keeps the first `limit` misfits of each kind.
///
/// Tensors that cannot be read are skipped: their damage is reported elsewhere.
///
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::verify::{MetaGraph, fit};
///
/// let artifact = Artifact::open("tests/data/fit/renamed/model.ckpt")?.with_meta_graph()?;
/// let (meta, checkpoint) = (artifact.message().unwrap(), artifact.checkpoint().unwrap());
/// let found = fit(&MetaGraph::all_in(meta.message())?[0], checkpoint, 20)?;
/// assert_eq!(
///     found.savers[0].misfits[0].to_string(),
///     "dense/kernal: the checkpoint has no such tensor; did you mean dense/kernel?"
/// );
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If the graph is too large.
pub fn fit(meta: &MetaGraph<'_>, checkpoint: &Checkpoint, limit: usize) -> Result<Fit> {
    let bodies = Bodies::new(&meta.graph)?;
    let restores = bodies.restores();
    let savers = savers::savers(meta, &bodies, &restores);
    if savers.is_empty() {
        return Ok(Fit::default());
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
    Ok(Fit { savers, left: left.into_iter().take(limit).cloned().collect(), left_count })
}

struct Check<'a, 'n> {
    source: &'a RestoreSource<'a>,
    suggestions: &'a mut Suggestions<'n>,
    limit: usize,
}

impl Check<'_, '_> {
    fn saver(&mut self, saver: &Saver, restores: &[Restore<'_>]) -> SaverFit {
        let mut found = SaverFit {
            name: saver.name.clone(),
            is_default: saver.is_default,
            is_by_object: self.source.keys().is_some(),
            ..SaverFit::default()
        };
        if !saver.is_there {
            let key = saver.name.clone();
            self.add(&mut found, Misfit { key, variable: None, problem: Problem::NoSaver });
        }
        // The parts of a partitioned variable share a key; a problem with all of them is reported once.
        let mut reported = BTreeSet::new();
        for restore in saver.restores.iter().filter_map(|at| restores.get(*at)) {
            let Some(tensors) = &restore.tensors else {
                found.unknown += 1;
                continue;
            };
            found.tensors += tensors.len() as u64;
            for requested in tensors {
                let Some((problem, variable)) = self.source.problem(restore.op, requested) else {
                    continue;
                };
                if reported.insert((&*requested.key, problem.kind(), variable)) {
                    self.misfit(&mut found, requested, problem, variable);
                }
            }
        }
        found.misfits.sort_by_key(|misfit| misfit.problem.kind());
        found
    }

    fn misfit(
        &mut self,
        found: &mut SaverFit,
        requested: &RequestedTensor,
        problem: Problem,
        variable: Option<&str>,
    ) {
        let of_key = || requested.variables.first().map(|variable| &*variable.variable);
        let variable = variable.or_else(of_key).filter(|name| !name.is_empty());
        let is_kept = found.counts.of(problem.kind()) < self.limit as u64;
        let problem = match problem {
            Problem::Missing { .. } if is_kept => {
                Problem::Missing { suggestion: self.suggestions.to(&requested.key) }
            }
            problem => problem,
        };
        self.add(
            found,
            Misfit { key: requested.key.clone(), variable: variable.map(Into::into), problem },
        );
    }

    fn add(&self, found: &mut SaverFit, misfit: Misfit) {
        let kind = misfit.problem.kind();
        found.refused += u64::from(misfit.problem.is_refused());
        if found.counts.of(kind) < self.limit as u64 {
            found.misfits.push(misfit);
        }
        found.counts.add(kind);
    }
}
