//! Many pairs of tensors over all cores, in units that join in order.
//!
//! Content that lies in one piece on both sides is cut into units of sixteen cells; anything else is one unit, read in
//! order. Workers take units in order, so that few wait to be joined, and only their tallies do.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::progress::{Progress, Silent};
use crate::tensor::{TensorSource, on_threads};

use super::cpu;
use super::grid::CELL;
use super::unit::{Buffers, Part, Unit};
use super::{Comparison, Options};

/// Cells in a unit; a power of two, so that the sums of a unit are a node of the tree.
const UNIT_CELLS: u64 = 16;
const UNIT: u64 = UNIT_CELLS * CELL;

/// Two tensors to compare.
pub type Pair<'a> = (&'a dyn TensorSource, &'a dyn TensorSource);

/// Compares two tensors of one shape, element by element.
///
/// # Errors
/// When the shapes differ, the dtypes have no values in common, a side cannot be read, or a checksum does not hold.
///
/// # Examples
/// ```
/// use ckdiff::checkpoint::Checkpoint;
/// use ckdiff::compare::{Options, Tolerance, compare};
///
/// let baseline = Checkpoint::open("tests/data/retrain/baseline.ckpt")?;
/// let retrained = Checkpoint::open("tests/data/retrain/retrained.ckpt")?;
/// let lhs = baseline.get_tensor("global_step")?;
/// let rhs = retrained.get_tensor("global_step")?;
/// let tolerance = Tolerance::new(Some(0.0), Some(1e-3), None)?;
/// let comparison = compare(&lhs, &rhs, &Options { tolerance, ..Options::default() })?;
/// assert_eq!(comparison.elements, 1);
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn compare(
    lhs: &dyn TensorSource,
    rhs: &dyn TensorSource,
    options: &Options,
) -> Result<Comparison> {
    let mut results = compare_all(&[(lhs, rhs)], options, &Silent);
    results.pop().unwrap_or_else(|| Err(ErrorKind::Usage("nothing to compare".into()).into()))
}

/// Compares many pairs at once; one result each, in their order.
pub fn compare_all(
    pairs: &[Pair<'_>],
    options: &Options,
    progress: &dyn Progress,
) -> Vec<Result<Comparison>> {
    let sizes = pairs.iter().flat_map(|(l, r)| [l.stored_bytes(), r.stored_bytes()]);
    progress.total(sizes.fold(0, u64::saturating_add));
    let work = Work::plan(pairs, options);
    on_threads(options.threads, work.units(), || work.run(progress));
    work.jobs.into_iter().map(Job::result).collect()
}

/// All pairs, cut into units.
struct Work<'a> {
    jobs: Vec<Job<'a>>,
    /// For each job, the number of units up to its end.
    ends: Vec<usize>,
    next: AtomicUsize,
    options: &'a Options,
}

impl<'a> Work<'a> {
    fn plan(pairs: &[Pair<'a>], options: &'a Options) -> Self {
        let jobs: Vec<_> = pairs.iter().map(|&pair| Job::new(pair)).collect();
        let ends = jobs
            .iter()
            .scan(0, |end, job| {
                *end = job.units.saturating_add(*end);
                Some(*end)
            })
            .collect();
        Self { jobs, ends, next: AtomicUsize::new(0), options }
    }

    fn units(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Works until no unit is left.
    fn run(&self, progress: &dyn Progress) {
        let mut buffers = Buffers::default();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let at = self.ends.partition_point(|&end| end <= number);
            let Some(job) = self.jobs.get(at) else { return };
            let first = self.ends.get(at).copied().unwrap_or_default() - job.units;
            job.run(number - first, self.options, &mut buffers, progress);
        }
    }
}

/// One pair on its way.
struct Job<'a> {
    pair: Pair<'a>,
    units: usize,
    /// Why not even the first unit can be read.
    refused: Option<Error>,
    joined: Mutex<Joined>,
    result: OnceLock<Result<Comparison>>,
}

/// The units done so far, joined as far as they follow each other.
#[derive(Default)]
struct Joined {
    next: usize,
    whole: Option<Result<Box<Part>>>,
    waiting: BTreeMap<usize, Result<Box<Part>>>,
}

impl<'a> Job<'a> {
    fn new(pair: Pair<'a>) -> Self {
        let (lhs, rhs) = pair;
        let in_pieces = lhs.extent().is_some() && rhs.extent().is_some();
        let units = if in_pieces { lhs.shape().elements().div_ceil(UNIT).max(1) } else { 1 };
        // Opening holds the size against the file, so that no shape makes more work than there is to read.
        let refused =
            if units > 1 { lhs.stream().err().or_else(|| rhs.stream().err()) } else { None };
        let units = if refused.is_some() { 1 } else { units };
        Self {
            pair,
            units: usize::try_from(units).unwrap_or(usize::MAX),
            refused,
            joined: Mutex::default(),
            result: OnceLock::new(),
        }
    }

    fn run(&self, unit: usize, options: &Options, buffers: &mut Buffers, progress: &dyn Progress) {
        let part = self.check().and_then(|()| {
            let elements = self.pair.0.shape().elements();
            let start = unit as u64 * UNIT;
            let end = if self.units == 1 { elements } else { elements.min(start + UNIT) };
            Unit { pair: self.pair, start, end, options, progress }.run(buffers)
        });
        if self.units == 1 {
            self.finish(part);
        } else {
            self.join(unit, part);
        }
    }

    fn check(&self) -> Result<()> {
        let (lhs, rhs) = self.pair;
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        if lhs.shape() != rhs.shape() {
            let allowed = format!("both must have one; the other is {}", rhs.shape());
            return Err(Error::unexpected("shape", lhs.shape(), allowed));
        }
        if cpu::meaning(lhs.dtype(), rhs.dtype()).is_none() {
            let allowed = format!("{} values cannot be compared with it", rhs.dtype());
            return Err(Error::unexpected("dtype", lhs.dtype(), allowed));
        }
        Ok(())
    }

    fn join(&self, unit: usize, part: Result<Box<Part>>) {
        let mut joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        joined.waiting.insert(unit, part);
        loop {
            let next = joined.next;
            let Some(part) = joined.waiting.remove(&next) else {
                break;
            };
            joined.next += 1;
            joined.whole = Some(match joined.whole.take() {
                None => part,
                Some(Ok(mut whole)) => part.map(|part| {
                    whole.append(&part);
                    whole
                }),
                Some(Err(error)) => Err(error),
            });
        }
        if joined.next == self.units
            && let Some(whole) = joined.whole.take()
        {
            self.finish(whole);
        }
    }

    fn finish(&self, whole: Result<Box<Part>>) {
        let result = whole.and_then(|part| part.finish(self.pair));
        // Only the worker that joins the last unit comes here.
        let _ = self.result.set(result);
    }

    fn result(self) -> Result<Comparison> {
        self.result.into_inner().unwrap_or_else(|| {
            Err(ErrorKind::Usage("the comparison did not come to an end".into()).into())
        })
    }
}
