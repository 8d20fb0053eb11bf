//! Compares many pairs of tensors on all cores, in units whose results are joined in order.
//!
//! Content of which any part can be read by itself is divided into units of 512 cells; any other content is one unit, read in
//! order. Workers take units in order, so that only few results wait to be joined, and a result is no more than a tally. With an
//! accelerator, a worker reads a unit while earlier ones are counted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::{Error, Result};
use crate::progress::{Progress, Silent};
use crate::tensor::TensorSource;
use crate::threads::on_threads;

use super::accelerated::{PendingUnit, Started};
use super::accelerator::Accelerator;
use super::cost::Workload;
use super::grid::CELL;
use super::section::{self, check_files};
use super::tensor_pair::{PairKind, Task, TensorPair};
use super::unit::{Buffers, UNIT_CELLS, Unit, UnitResult};
use super::{CompareOptions, Comparison, Device};

/// Elements in a unit.
const UNIT: u64 = UNIT_CELLS * CELL;

/// Compares two tensors of one shape, element by element.
///
/// # Errors
/// If the shapes differ, the dtypes have no values in common, a side cannot be read, or a checksum does not match.
///
/// # Examples
/// ```
/// use ckdiff::checkpoint::Checkpoint;
/// use ckdiff::compare::{CompareOptions, Tolerance, compare};
///
/// let baseline = Checkpoint::open("tests/data/retrain/baseline.ckpt")?;
/// let retrained = Checkpoint::open("tests/data/retrain/retrained.ckpt")?;
/// let lhs = baseline.get_tensor("global_step")?;
/// let rhs = retrained.get_tensor("global_step")?;
/// let tolerance = Tolerance::new(Some(0.0), Some(1e-3), None)?;
/// let comparison = compare(&lhs, &rhs, &CompareOptions { tolerance, ..CompareOptions::default() })?;
/// assert_eq!(comparison.elements, 1);
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn compare(
    lhs: &dyn TensorSource,
    rhs: &dyn TensorSource,
    options: &CompareOptions,
) -> Result<Comparison> {
    one((lhs, rhs), None, options, &Device::cpu())
}

/// Compares many pairs at once; returns one result for each, in their order.
pub fn compare_all(
    pairs: &[TensorPair<'_>],
    options: &CompareOptions,
    device: &Device,
    progress: &dyn Progress,
) -> Vec<Result<Box<Comparison>>> {
    let tasks: Vec<_> = pairs.iter().map(|&pair| Task { pair, options }).collect();
    compare_each(&tasks, options.threads, device, progress)
}

/// Compares many pairs at once, each with its own options; returns one result for each, in their order.
pub(crate) fn compare_each(
    tasks: &[Task<'_>],
    threads: usize,
    device: &Device,
    progress: &dyn Progress,
) -> Vec<Result<Box<Comparison>>> {
    let sizes =
        tasks.iter().flat_map(|Task { pair, .. }| [pair.0.stored_bytes(), pair.1.stored_bytes()]);
    progress.total(sizes.fold(0, u64::saturating_add));
    run(tasks, None, threads, device, progress)
}

impl Device {
    /// Compares two tensors of one shape, element by element.
    ///
    /// # Errors
    /// As [`compare`].
    pub fn compare(
        &self,
        lhs: &dyn TensorSource,
        rhs: &dyn TensorSource,
        options: &CompareOptions,
    ) -> Result<Comparison> {
        one((lhs, rhs), None, options, self)
    }
}

/// Compares a pair of tensors followed by `times` more copies of a pair of elements, `last`, which must be in `pair` too.
/// Statistics that are sums are `None`.
pub(crate) fn compare_repeated(
    pair: TensorPair<'_>,
    last: TensorPair<'_>,
    times: u64,
    options: &CompareOptions,
) -> Result<Comparison> {
    let device = Device::cpu();
    let whole = |pair: TensorPair<'_>| {
        let end = pair.0.shape().elements();
        let unit = Unit { pair, start: 0, end, options, device: &device, progress: &Silent };
        unit.run(&mut Buffers::default())
    };
    let mut result = whole(pair)?;
    result.repeat(&*whole(last)?, times);
    result.finish(pair)
}

/// Compares a pair. A number in `kept` identifies its lhs, which will be compared again.
pub(super) fn one(
    pair: TensorPair<'_>,
    kept: Option<u64>,
    options: &CompareOptions,
    device: &Device,
) -> Result<Comparison> {
    let mut results = run(&[Task { pair, options }], kept, options.threads, device, &Silent);
    results.pop().map_or_else(|| Err(Error::usage("nothing to compare")), |of| of.map(|of| *of))
}

fn run(
    tasks: &[Task<'_>],
    kept: Option<u64>,
    threads: usize,
    device: &Device,
    progress: &dyn Progress,
) -> Vec<Result<Box<Comparison>>> {
    let accelerator = device.accelerator_for(&Workload::new(tasks, threads));
    let queue = Queue::plan(tasks, RunOptions { device, accelerator, kept, progress });
    on_threads(threads, queue.units(), || Worker::new(&queue).run());
    for job in &queue.jobs {
        device.record(job.accelerated.load(Ordering::Relaxed));
    }
    queue.jobs.into_iter().map(Job::result).collect()
}

/// The options of a run.
struct RunOptions<'a> {
    device: &'a Device,
    accelerator: Option<&'a Arc<dyn Accelerator>>,
    kept: Option<u64>,
    progress: &'a dyn Progress,
}

/// All pairs, divided into units.
struct Queue<'a> {
    jobs: Vec<Job<'a>>,
    /// For each job, the number of units up to and including its last.
    ends: Vec<usize>,
    next: AtomicUsize,
    plan: RunOptions<'a>,
}

impl<'a> Queue<'a> {
    fn plan(tasks: &[Task<'a>], plan: RunOptions<'a>) -> Self {
        let jobs: Vec<_> = tasks.iter().map(|&task| Job::new(task)).collect();
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

    /// The accelerator, if it accepts the elements of this pair.
    fn accelerator(&self, Task { pair, options }: Task<'a>) -> Option<&'a dyn Accelerator> {
        let (lhs, rhs) = pair;
        let RunOptions { accelerator, device, .. } = self.plan;
        let accelerator = accelerator.filter(|_| !device.is_failed())?;
        let accepts = lhs.dtype() == rhs.dtype()
            && lhs.stored_bytes() >= device.least_bytes()
            && accelerator.accepts(lhs.dtype(), options);
        accepts.then_some(&**accelerator)
    }
}

/// Units of a worker that the accelerator counts at a time: one is counted while the next is read.
const MAX_PENDING: usize = 2;

/// The state of one thread.
struct Worker<'w, 'a> {
    queue: &'w Queue<'a>,
    /// Buffers that are free.
    buffers: Vec<Buffers>,
    pending: VecDeque<(&'w Job<'a>, usize, Box<PendingUnit<'a>>)>,
}

impl<'w, 'a> Worker<'w, 'a> {
    fn new(queue: &'w Queue<'a>) -> Self {
        Self { queue, buffers: Vec::new(), pending: VecDeque::new() }
    }

    /// Compares units until none is left.
    fn run(&mut self) {
        while let Some((job, number)) = self.queue.take() {
            if self.pending.len() >= MAX_PENDING {
                self.finish_oldest();
            }
            match job.unit(number, &self.queue.plan) {
                Ok(unit) => self.begin(job, number, unit),
                Err(error) => job.join(number, Err(error)),
            }
        }
        while !self.pending.is_empty() {
            self.finish_oldest();
        }
    }

    fn begin(&mut self, job: &'w Job<'a>, number: usize, unit: Unit<'a>) {
        let mut buffers = self.buffers.pop().unwrap_or_default();
        let (lhs, rhs) = job.task.pair;
        let both = lhs.extent().zip(rhs.extent());
        let Some((accelerator, both)) = self.queue.accelerator(job.task).zip(both) else {
            job.join(number, unit.run(&mut buffers));
            self.buffers.push(buffers);
            return;
        };
        match unit.begin(accelerator, both, self.queue.plan.kept, buffers) {
            Ok(Started::Done(result, buffers)) => {
                self.buffers.push(buffers);
                job.join(number, Ok(result));
            }
            Ok(Started::Pending(pending)) => {
                self.pending.push_back((job, number, pending));
            }
            Err(error) => job.join(number, Err(error)),
        }
    }

    fn finish_oldest(&mut self) {
        let Some((job, number, pending)) = self.pending.pop_front() else { return };
        let (result, buffers, accelerated) = pending.finish();
        self.buffers.push(buffers);
        job.accelerated.fetch_or(accelerated, Ordering::Relaxed);
        job.join(number, Ok(result));
    }
}

/// One pair and the results of its units.
struct Job<'a> {
    task: Task<'a>,
    units: usize,
    /// Why no unit can be read.
    refused: Option<Error>,
    joined: Mutex<Joined>,
    /// Whether an accelerator counted a unit.
    accelerated: AtomicBool,
    result: OnceLock<Result<Box<Comparison>>>,
}

/// The results so far: consecutive ones are joined, the others wait.
#[derive(Default)]
struct Joined {
    next: usize,
    whole: Option<Result<Box<UnitResult>>>,
    waiting: BTreeMap<usize, Result<Box<UnitResult>>>,
}

impl<'a> Job<'a> {
    fn new(task: Task<'a>) -> Self {
        let (lhs, rhs) = task.pair;
        let in_pieces = section::is_divisible(lhs) && section::is_divisible(rhs);
        let units = if in_pieces { lhs.shape().elements().div_ceil(UNIT).max(1) } else { 1 };
        // A forged shape cannot create more units than the files have bytes.
        let refused =
            if units > 1 { check_files(lhs).and_then(|()| check_files(rhs)).err() } else { None };
        let units = if refused.is_some() { 1 } else { units };
        Self {
            task,
            units: usize::try_from(units).unwrap_or(usize::MAX),
            refused,
            joined: Mutex::default(),
            accelerated: AtomicBool::new(false),
            result: OnceLock::new(),
        }
    }

    /// One of its units, if the pair can be compared.
    fn unit(&self, number: usize, plan: &RunOptions<'a>) -> Result<Unit<'a>> {
        self.check()?;
        let Task { pair, options } = self.task;
        let elements = pair.0.shape().elements();
        let start = number as u64 * UNIT;
        let end = if self.units == 1 { elements } else { elements.min(start + UNIT) };
        let RunOptions { device, progress, .. } = *plan;
        Ok(Unit { pair, start, end, options, device, progress })
    }

    fn check(&self) -> Result<()> {
        let (lhs, rhs) = self.task.pair;
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        if lhs.shape() != rhs.shape() {
            let expected = format!("{}, that of lhs", lhs.shape());
            return Err(Error::unexpected("shape of rhs", rhs.shape(), expected));
        }
        if PairKind::of(lhs.dtype(), rhs.dtype()).is_none() {
            let expected = format!("one that can be compared with {}", lhs.dtype());
            return Err(Error::unexpected("dtype of rhs", rhs.dtype(), expected));
        }
        Ok(())
    }

    fn join(&self, unit: usize, result: Result<Box<UnitResult>>) {
        if self.units == 1 {
            self.finish(result);
            return;
        }
        let mut joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        joined.waiting.insert(unit, result);
        loop {
            let next = joined.next;
            let Some(result) = joined.waiting.remove(&next) else {
                break;
            };
            joined.next += 1;
            joined.whole = Some(match joined.whole.take() {
                None => result,
                Some(Ok(mut whole)) => result.map(|later| {
                    whole.append(&later);
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

    fn finish(&self, whole: Result<Box<UnitResult>>) {
        let result = whole.and_then(|whole| whole.finish(self.task.pair)).map(Box::new);
        // Only the worker that joins the last unit gets here, so the result is not set yet.
        let _ = self.result.set(result);
    }

    fn result(self) -> Result<Box<Comparison>> {
        self.result
            .into_inner()
            .unwrap_or_else(|| Err(Error::usage("the comparison did not finish")))
    }
}
