//! Many pairs of tensors over all cores, in units that join in order.
//!
//! Content that lies in one piece on both sides is cut into units of sixteen cells; anything else is one unit, read in
//! order. Workers take units in order, so that few wait to be joined, and only their tallies do. With an accelerator, a worker
//! reads a unit while the ones before are counted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::progress::{Progress, Silent};
use crate::tensor::{TensorSource, on_threads};

use super::accelerated::{Begun, UnderWay};
use super::accelerator::Accelerator;
use super::cost::Workload;
use super::cpu;
use super::grid::CELL;
use super::unit::{Buffers, Part, Unit};
use super::{Comparison, Device, Options};

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
    one((lhs, rhs), None, options, &Device::cpu())
}

/// Compares many pairs at once; one result each, in their order.
pub fn compare_all(
    pairs: &[Pair<'_>],
    options: &Options,
    device: &Device,
    progress: &dyn Progress,
) -> Vec<Result<Comparison>> {
    let sizes = pairs.iter().flat_map(|(l, r)| [l.stored_bytes(), r.stored_bytes()]);
    progress.total(sizes.fold(0, u64::saturating_add));
    run(pairs, None, options, device, progress)
}

/// Compares a pair. `kept` says that its lhs will come again, under this number.
pub(super) fn one(
    pair: Pair<'_>,
    kept: Option<u64>,
    options: &Options,
    device: &Device,
) -> Result<Comparison> {
    let mut results = run(&[pair], kept, options, device, &Silent);
    results.pop().unwrap_or_else(|| Err(ErrorKind::Usage("nothing to compare".into()).into()))
}

fn run(
    pairs: &[Pair<'_>],
    kept: Option<u64>,
    options: &Options,
    device: &Device,
    progress: &dyn Progress,
) -> Vec<Result<Comparison>> {
    let accelerator = device.accelerator_for(&Workload::new(pairs, options));
    let work = Work::plan(pairs, Plan { options, device, accelerator, kept, progress });
    on_threads(options.threads, work.units(), || Worker::new(&work).run());
    for job in &work.jobs {
        device.record(job.accelerated.load(Ordering::Relaxed));
    }
    work.jobs.into_iter().map(Job::result).collect()
}

/// How to go about it.
struct Plan<'a> {
    options: &'a Options,
    device: &'a Device,
    accelerator: Option<&'a Arc<dyn Accelerator>>,
    kept: Option<u64>,
    progress: &'a dyn Progress,
}

/// All pairs, cut into units.
struct Work<'a> {
    jobs: Vec<Job<'a>>,
    /// For each job, the number of units up to its end.
    ends: Vec<usize>,
    next: AtomicUsize,
    plan: Plan<'a>,
}

impl<'a> Work<'a> {
    fn plan(pairs: &[Pair<'a>], plan: Plan<'a>) -> Self {
        let jobs: Vec<_> = pairs.iter().map(|&pair| Job::new(pair)).collect();
        let ends = jobs
            .iter()
            .scan(0, |end, job| {
                *end = job.units.saturating_add(*end);
                Some(*end)
            })
            .collect();
        Self { jobs, ends, next: AtomicUsize::new(0), plan }
    }

    fn units(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The next unit, and its job; `None` when none is left.
    fn take(&self) -> Option<(&Job<'a>, usize)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let at = self.ends.partition_point(|&end| end <= number);
        let job = self.jobs.get(at)?;
        let first = self.ends.get(at).copied().unwrap_or_default() - job.units;
        Some((job, number - first))
    }

    /// The accelerator, where it takes the elements of this pair.
    fn accelerator(&self, (lhs, rhs): Pair<'a>) -> Option<&'a dyn Accelerator> {
        let Plan { accelerator, device, options, .. } = self.plan;
        let accelerator = accelerator.filter(|_| !device.is_failed())?;
        let takes = lhs.dtype() == rhs.dtype()
            && lhs.stored_bytes() >= device.least_bytes()
            && accelerator.takes(lhs.dtype(), options);
        takes.then_some(&**accelerator)
    }
}

/// Units that a worker has under way on the accelerator: one is counted while the next is read.
const UNDER_WAY: usize = 2;

/// One thread at work.
struct Worker<'w, 'a> {
    work: &'w Work<'a>,
    /// Room that is free.
    room: Vec<Buffers>,
    under_way: VecDeque<(&'w Job<'a>, usize, Box<UnderWay<'a>>)>,
}

impl<'w, 'a> Worker<'w, 'a> {
    fn new(work: &'w Work<'a>) -> Self {
        Self { work, room: Vec::new(), under_way: VecDeque::new() }
    }

    /// Works until no unit is left.
    fn run(&mut self) {
        while let Some((job, number)) = self.work.take() {
            if self.under_way.len() >= UNDER_WAY {
                self.finish_oldest();
            }
            match job.unit(number, &self.work.plan) {
                Ok(unit) => self.begin(job, number, unit),
                Err(error) => job.join(number, Err(error)),
            }
        }
        while !self.under_way.is_empty() {
            self.finish_oldest();
        }
    }

    fn begin(&mut self, job: &'w Job<'a>, number: usize, unit: Unit<'a>) {
        let mut buffers = self.room.pop().unwrap_or_default();
        let both = job.pair.0.extent().zip(job.pair.1.extent());
        let Some((accelerator, both)) = self.work.accelerator(job.pair).zip(both) else {
            job.join(number, unit.run(&mut buffers));
            self.room.push(buffers);
            return;
        };
        match unit.begin(accelerator, both, self.work.plan.kept, buffers) {
            Ok(Begun::Done(part, buffers)) => {
                self.room.push(buffers);
                job.join(number, Ok(part));
            }
            Ok(Begun::UnderWay(under_way)) => {
                self.under_way.push_back((job, number, under_way));
            }
            Err(error) => job.join(number, Err(error)),
        }
    }

    fn finish_oldest(&mut self) {
        let Some((job, number, under_way)) = self.under_way.pop_front() else { return };
        let (part, buffers, accelerated) = under_way.finish();
        self.room.push(buffers);
        job.accelerated.fetch_or(accelerated, Ordering::Relaxed);
        job.join(number, Ok(part));
    }
}

/// One pair on its way.
struct Job<'a> {
    pair: Pair<'a>,
    units: usize,
    /// Why not even the first unit can be read.
    refused: Option<Error>,
    joined: Mutex<Joined>,
    /// Whether an accelerator counted some of it.
    accelerated: AtomicBool,
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
            accelerated: AtomicBool::new(false),
            result: OnceLock::new(),
        }
    }

    /// One of its units, if it can be read.
    fn unit(&self, number: usize, plan: &Plan<'a>) -> Result<Unit<'a>> {
        self.check()?;
        let elements = self.pair.0.shape().elements();
        let start = number as u64 * UNIT;
        let end = if self.units == 1 { elements } else { elements.min(start + UNIT) };
        let Plan { options, device, progress, .. } = *plan;
        Ok(Unit { pair: self.pair, start, end, options, device, progress })
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
        if self.units == 1 {
            self.finish(part);
            return;
        }
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
