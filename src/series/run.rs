//! Compares every checkpoint of a series.

use super::cache::Cache;
use super::checkpoints::Checkpoints;
use super::member::Member;
use super::outcome::Series;
use super::pairs::{Opened, Pairs};
use super::step::Step;
use super::{Against, Judge, SeriesOptions};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Compares each checkpoint of a series as the options say. A comparison that the cache has is not made again.
///
/// A checkpoint that cannot be read is reported with its error, and the others are still compared.
///
/// # Errors
/// If there is nothing to compare with, every comparison fails for one reason, such as filters that leave no tensor, or the cache
/// cannot be written.
pub fn compare(
    checkpoints: &Checkpoints,
    options: &SeriesOptions,
    judge: Option<Judge<'_>>,
    cache: &mut Option<Cache>,
    progress: &dyn Progress,
) -> Result<Series> {
    let progress = &KnownTotal(progress);
    progress.0.total(total(checkpoints, options));
    let pairs = Pairs::new(options, judge, cache.as_mut(), progress);
    let baseline = match &options.against {
        Against::Path(path) => Some(pairs.open(path)?),
        Against::First | Against::Previous => None,
    };
    let is_chain = options.against == Against::Previous;
    let mut run = Run { pairs, baseline, is_chain, failures: Vec::new() };
    let mut steps: Vec<Step> = checkpoints.members().iter().map(Step::new).collect();
    let is_open = |(member, _): &(&Member, &mut Step)| member.error.is_none();
    let mut rest = checkpoints.members().iter().zip(&mut steps).filter(is_open).peekable();
    let mut next = rest.peek().map(|(member, _)| run.pairs.open(&member.path));
    while let Some(((_, step), opened)) = rest.next().zip(next.take()) {
        // While this checkpoint is compared, the system reads the next one.
        next = rest.peek().map(|(member, _)| run.pairs.open(&member.path));
        match opened {
            Ok(opened) => run.step(opened, step)?,
            Err(error) => step.errors.push(error),
        }
    }
    let failures = run.failures;
    if let Some(cache) = cache {
        cache.save()?;
    }
    nothing_compared(&steps, failures)?;
    Ok(Series::new(checkpoints, &options.against, steps))
}

/// A series in progress.
struct Run<'a> {
    pairs: Pairs<'a>,
    /// What the next checkpoint is compared with.
    baseline: Option<Opened>,
    /// Whether each checkpoint is compared with the one before.
    is_chain: bool,
    /// Why comparisons failed as a whole.
    failures: Vec<Error>,
}

impl Run<'_> {
    /// Compares the next checkpoint, or makes it the baseline of the others.
    ///
    /// # Errors
    /// If the cache cannot be written.
    fn step(&mut self, rhs: Opened, step: &mut Step) -> Result<()> {
        let Some(lhs) = &mut self.baseline else {
            self.baseline = Some(rhs);
            return Ok(());
        };
        match self.pairs.compare(lhs, &rhs) {
            Ok((drift, errors)) => (step.drift, step.errors) = (Some(drift), errors),
            Err(error) => {
                self.failures.push(error.clone());
                step.errors.push(error.in_file(&step.path));
            }
        }
        if self.is_chain {
            *lhs = rhs;
        }
        self.pairs.save_sometimes()
    }
}

/// Finds the reason why nothing was compared.
///
/// # Errors
/// If every comparison failed, and none because of its checkpoint.
fn nothing_compared(steps: &[Step], mut failures: Vec<Error>) -> Result<()> {
    let is_anything = steps.iter().any(|step| step.drift.is_some());
    match failures.pop().filter(|_| !is_anything) {
        Some(error) if error.file().is_none() => Err(error),
        _ => Ok(()),
    }
}

/// The bytes that are compared, on both sides together.
fn total(checkpoints: &Checkpoints, options: &SeriesOptions) -> u64 {
    let sizes: Vec<u64> = checkpoints.members().iter().map(|Member { bytes, .. }| *bytes).collect();
    let all = sizes.iter().fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
    match options.against {
        Against::First | Against::Path(_) => {
            let first = sizes.first().copied().unwrap_or_default();
            all.saturating_add(first.saturating_mul(sizes.len() as u64))
        }
        Against::Previous => all.saturating_mul(2),
    }
}

/// Passes on what is done; the total is known beforehand.
struct KnownTotal<'p>(&'p dyn Progress);

impl Progress for KnownTotal<'_> {
    fn total(&self, _: u64) {}

    fn advance(&self, bytes: u64) {
        self.0.advance(bytes);
    }
}

/// Opens the checkpoint that a search compares with: the given one, or the first that can be opened. Returns its place, if it is a
/// member.
///
/// # Errors
/// If the given one cannot be opened.
pub(super) fn open_baseline(
    pairs: &Pairs<'_>,
    checkpoints: &Checkpoints,
    against: &Against,
) -> Result<Option<(Opened, Option<usize>)>> {
    if let Against::Path(path) = against {
        return Ok(Some((pairs.open(path)?, None)));
    }
    let readable = checkpoints.members().iter().enumerate().filter(|(_, of)| of.error.is_none());
    let mut opened = readable.filter_map(|(at, of)| Some((pairs.open(&of.path).ok()?, Some(at))));
    Ok(opened.next())
}
