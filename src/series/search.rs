//! Finds the first checkpoint with a property by bisection: it reads about log n of n checkpoints.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::cache::Cache;
use super::checkpoints::Checkpoints;
use super::drift::Drift;
use super::outcome::{self, Verdict};
use super::pairs::{Opened, Pairs};
use super::run::open_baseline;
use super::step::Step;
use super::{Against, Judge, SeriesOptions};
use crate::diff::UnusedPattern;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// A property of a checkpoint, compared with the baseline of the series. A search relies on it to last: a checkpoint after one that has it
/// has it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// It has NaN or infinities that the baseline does not have.
    NonFinite,
    /// It breaks a rule.
    Broken,
}

/// The result of a search.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Search {
    /// The property.
    pub property: Property,
    /// The path of the checkpoint that the others were compared with.
    pub baseline: PathBuf,
    /// The name of the rules by which the comparisons were judged, for reports; the caller, who has the rules, sets it.
    pub rules: Option<String>,
    /// The checkpoints, in order; only those that were compared have a comparison.
    pub steps: Vec<Step>,
    /// The place of the first checkpoint that has the property; `None` if the last one that can be read does not have it.
    pub found: Option<usize>,
    /// The tensors with NaN or infinities in the checkpoint that was found, by name, or the reason why it breaks a rule.
    pub because: Vec<String>,
    /// Patterns of the filters, and rules, that match nothing in any of the comparisons.
    pub unused: Vec<UnusedPattern>,
}

impl Search {
    /// Every error.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        self.steps.iter().flat_map(|step| &step.errors)
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match (self.errors().next(), self.found) {
            (Some(_), _) => Verdict::Trouble,
            (None, Some(_)) => Verdict::Broken,
            (None, None) => Verdict::Sound,
        }
    }
}

impl Property {
    /// Why the later checkpoint of a comparison has the property; empty if it does not have it.
    fn reasons(self, drift: &Drift) -> Vec<String> {
        match self {
            Self::NonFinite => drift.new_non_finite().map(|of| of.tensor.shown.clone()).collect(),
            Self::Broken => drift.broken.iter().cloned().collect(),
        }
    }

    /// Why the baseline has the property.
    fn reasons_before(self, drift: &Drift) -> Vec<String> {
        let has_nan =
            drift.tensors.iter().filter(|of| of.non_finite.is_some_and(|n| n.nan.lhs > 0));
        match self {
            Self::NonFinite => has_nan.map(|of| of.tensor.shown.clone()).collect(),
            Self::Broken => Vec::new(),
        }
    }
}

/// Finds the first checkpoint of a series that has a property which lasts. Compares the last checkpoint first: if it does not have the
/// property, no other is read.
///
/// # Errors
/// If every checkpoint is to be compared with the one before, which no property of one checkpoint needs; if there is nothing to compare
/// with; and those of [`compare`](super::compare).
///
/// # Examples
/// ```
/// use ckdiff::progress::Silent;
/// use ckdiff::series::{Checkpoints, Property, SeriesOptions, first};
///
/// let checkpoints = Checkpoints::find(&["tests/data/training/diverging".into()], 0)?;
/// let options = SeriesOptions::default();
/// let search = first(&checkpoints, Property::NonFinite, &options, None, &mut None, &Silent)?;
/// assert_eq!(search.found.and_then(|at| search.steps[at].step), Some(1000));
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn first(
    checkpoints: &Checkpoints,
    property: Property,
    options: &SeriesOptions,
    judge: Option<Judge<'_>>,
    cache: &mut Option<Cache>,
    progress: &dyn Progress,
) -> Result<Search> {
    if options.against == Against::Previous {
        let why = "a search compares all checkpoints with one, not each with the one before";
        return Err(Error::usage(why).of_option("against"));
    }
    let pairs = Pairs::new(options, judge, cache.as_mut(), progress);
    let Some((baseline, place)) = open_baseline(&pairs, checkpoints, &options.against)? else {
        let errors = checkpoints.members().iter().find_map(|member| member.error.clone());
        return Err(errors.unwrap_or_else(|| Error::usage("there is no checkpoint")));
    };
    let path = baseline.path();
    let steps = checkpoints.members().iter().map(Step::new).collect();
    let mut bisection = Bisection { pairs, baseline, place, property, steps };
    let found = bisection.run()?;
    let steps = bisection.steps;
    if let Some(cache) = cache {
        cache.save()?;
    }
    let (found, because) = found.map_or((None, Vec::new()), |(at, why)| (Some(at), why));
    let unused = outcome::unused(&steps);
    Ok(Search { property, baseline: path, rules: None, steps, found, because, unused })
}

/// A search in progress.
struct Bisection<'a> {
    pairs: Pairs<'a>,
    baseline: Opened,
    /// The place of the baseline.
    place: Option<usize>,
    property: Property,
    steps: Vec<Step>,
}

/// The place of a checkpoint that has the property, and why.
type Place = (usize, Vec<String>);

impl Bisection<'_> {
    fn run(&mut self) -> Result<Option<Place>> {
        let is_open =
            |(at, step): &(usize, &Step)| step.errors.is_empty() && Some(*at) != self.place;
        let open = self.steps.iter().enumerate().filter(is_open).map(|(at, _)| at);
        let mut open: BTreeSet<usize> = open.collect();
        let mut found: Option<Place> = None;
        // Invariant: all that are open come before what was found.
        while let Some(at) = if found.is_none() { open.last() } else { middle(&open) } {
            let at = *at;
            open.remove(&at);
            let Some(drift) = self.compare(at)? else { continue };
            if found.is_none()
                && let Some(place) = self.place
                && let before = self.property.reasons_before(&drift)
                && !before.is_empty()
            {
                return Ok(Some((place, before)));
            }
            let reasons = self.property.reasons(&drift);
            match (reasons.is_empty(), &found) {
                (true, None) => return Ok(None),
                (true, Some(_)) => open = open.split_off(&at),
                (false, _) => {
                    drop(open.split_off(&at));
                    found = Some((at, reasons));
                }
            }
        }
        Ok(found)
    }

    /// Compares one checkpoint with the baseline; `None` if it cannot be read.
    fn compare(&mut self, at: usize) -> Result<Option<Arc<Drift>>> {
        let Some(step) = self.steps.get_mut(at) else { return Ok(None) };
        let rhs = match self.pairs.open(&step.path) {
            Ok(rhs) => rhs,
            Err(error) => {
                step.errors.push(error);
                return Ok(None);
            }
        };
        match self.pairs.compare(&mut self.baseline, &rhs) {
            Ok((drift, errors)) => {
                (step.drift, step.errors) = (Some(Arc::clone(&drift)), errors);
                self.pairs.save_sometimes()?;
                Ok(Some(drift))
            }
            Err(error) => {
                step.errors.push(error.in_file(&step.path));
                Ok(None)
            }
        }
    }
}

/// The middle of a set.
fn middle(open: &BTreeSet<usize>) -> Option<&usize> {
    open.iter().nth(open.len().checked_sub(1)? / 2)
}
