//! A graph against a checkpoint: whether its savers can restore it.
//!
//! What TensorFlow says when a checkpoint is restored, told before: every tensor that a restore node names is there, of
//! its type and shape, and in slices that can be given.

mod misfit;
mod savers;

use std::collections::BTreeSet;

pub use misfit::{Counts, Misfit};
use savers::Saver;

use super::MetaGraph;
use crate::checkpoint::Checkpoint;
use crate::error::Result;
use crate::graph::object_graph::KEY;
use crate::saver::ObjectKeys;
use crate::saver::plan::{Asked, Bodies, Held, Restore, Suggestions};
pub use crate::saver::plan::{Kind, Problem};
use crate::tensor::Name;

/// How a graph and a checkpoint go together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fit {
    /// Every saver, the default one first; none where the graph restores nothing.
    pub savers: Vec<SaverFit>,
    /// Tensors of the checkpoint that no saver restores, the first of them by name: TensorFlow does not mind.
    pub left: Vec<Name>,
    /// How many of those there are.
    pub left_count: u64,
}

/// How one saver and a checkpoint go together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaverFit {
    /// The node by which it restores; where no saver says so, the scope or the function that its restore nodes are in.
    pub name: String,
    /// Whether it is the one that TensorFlow takes.
    pub is_default: bool,
    /// Whether the names that it restores by stand for objects of the checkpoint, which TensorFlow 2 saved: TensorFlow 1 looks there
    /// for what is no key.
    pub is_by_object: bool,
    /// How many tensors it restores.
    pub tensors: u64,
    /// Its restore nodes whose tensors are not named by constants: what they restore is not known.
    pub unknown: u64,
    /// The first misfits of each kind.
    pub misfits: Vec<Misfit>,
    /// How many there are of each kind.
    pub counts: Counts,
    /// How many TensorFlow refuses.
    pub refused: u64,
}

impl SaverFit {
    /// Whether there is no misfit.
    pub fn fits(&self) -> bool {
        self.counts.total() == 0
    }
}

impl Fit {
    /// Whether the default saver fits; where there is none, whether any saver does, or there is none at all.
    pub fn fits(&self) -> bool {
        self.judge(SaverFit::fits)
    }

    /// Whether TensorFlow restores without an error: it does not look at the shapes of resource variables.
    pub fn restores(&self) -> bool {
        self.judge(|saver| saver.refused == 0)
    }

    /// The saver that decides: the default one; where there is none the one with the fewest misfits.
    pub fn decisive(&self) -> Option<&SaverFit> {
        let default = self.savers.first().filter(|saver| saver.is_default);
        default.or_else(|| self.savers.iter().min_by_key(|saver| saver.counts.total()))
    }

    fn judge(&self, is_well: impl Fn(&SaverFit) -> bool) -> bool {
        match self.savers.first() {
            None => true,
            Some(default) if default.is_default => is_well(default),
            _ => self.savers.iter().any(is_well),
        }
    }
}

/// Holds a graph against a checkpoint, and keeps the first `limit` misfits of each kind.
///
/// Tensors of the checkpoint that cannot be read are passed over: their damage is told elsewhere.
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
/// When the graph is too large to be counted.
pub fn fit(meta: &MetaGraph<'_>, checkpoint: &Checkpoint, limit: usize) -> Result<Fit> {
    let bodies = Bodies::new(&meta.graph)?;
    let restores = bodies.restores();
    let savers = savers::savers(meta, &bodies, &restores);
    if savers.is_empty() {
        return Ok(Fit::default());
    }
    // An object graph that cannot be read is damage, which is told elsewhere.
    let keys = ObjectKeys::of(checkpoint).ok().flatten();
    let held = Held::new(checkpoint);
    let held: Vec<Held<'_>> = savers
        .iter()
        .map(|saver| held.of_names(keys.as_ref(), saver.asked(&restores).map(|asked| &*asked.key)))
        .collect();
    let mut restored = BTreeSet::new();
    for (saver, held) in savers.iter().zip(&held) {
        restored.extend(saver.asked(&restores).filter_map(|asked| held.key(&asked.key)));
    }
    let is_by_object = held.iter().any(|held| held.keys().is_some());
    // By objects, their graph is read too.
    let is_graph = |name: &Name| is_by_object && name.as_bytes() == KEY.as_bytes();
    let is_left = |name: &&Name| !restored.contains(name) && !is_graph(name);
    let left: Vec<&Name> = checkpoint.tensors().map(|entry| &entry.name).filter(is_left).collect();
    let called = keys.iter().flat_map(|keys| keys.iter().map(|(name, _)| name));
    let mut suggestions = Suggestions::new(left.iter().copied().chain(called).collect());
    let mut check = |(saver, held)| {
        Check { held, suggestions: &mut suggestions, limit }.saver(saver, &restores)
    };
    let savers = savers.iter().zip(&held).map(&mut check).collect();
    let left_count = left.len() as u64;
    Ok(Fit { savers, left: left.into_iter().take(limit).cloned().collect(), left_count })
}

struct Check<'a, 'n> {
    held: &'a Held<'a>,
    suggestions: &'a mut Suggestions<'n>,
    limit: usize,
}

impl Check<'_, '_> {
    fn saver(&mut self, saver: &Saver, restores: &[Restore<'_>]) -> SaverFit {
        let mut found = SaverFit {
            name: saver.name.clone(),
            is_default: saver.is_default,
            is_by_object: self.held.keys().is_some(),
            ..SaverFit::default()
        };
        if !saver.is_there {
            let key = saver.name.clone();
            self.add(&mut found, Misfit { key, variable: None, problem: Problem::NoSaver });
        }
        // Parts of a variable share a key, and what is wrong with all of it is told once.
        let mut told = BTreeSet::new();
        for restore in saver.restores.iter().filter_map(|at| restores.get(*at)) {
            let Some(tensors) = &restore.tensors else {
                found.unknown += 1;
                continue;
            };
            found.tensors += tensors.len() as u64;
            for asked in tensors {
                let Some((problem, variable)) = self.held.problem(restore.op, asked) else {
                    continue;
                };
                if told.insert((&*asked.key, problem.kind(), variable)) {
                    self.misfit(&mut found, asked, problem, variable);
                }
            }
        }
        found.misfits.sort_by_key(|misfit| misfit.problem.kind());
        found
    }

    fn misfit(
        &mut self,
        found: &mut SaverFit,
        asked: &Asked,
        problem: Problem,
        variable: Option<&str>,
    ) {
        let of_key = || asked.takers.first().map(|taker| &*taker.variable);
        let variable = variable.or_else(of_key).filter(|name| !name.is_empty());
        let is_told = found.counts.of(problem.kind()) < self.limit as u64;
        let problem = match problem {
            Problem::Missing { .. } if is_told => {
                Problem::Missing { suggestion: self.suggestions.to(&asked.key) }
            }
            problem => problem,
        };
        self.add(
            found,
            Misfit { key: asked.key.clone(), variable: variable.map(Into::into), problem },
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
