//! Compares many pairs of tensors on all cores, in units whose results are joined in order.
//!
//! Content of which any part can be read by itself is divided into units of 512 cells; any other content is one unit, read in
//! order. Workers take units in order, so that only few results wait to be joined, and a result is no more than a tally; of small
//! pairs they take several at once. With an accelerator, a worker reads a unit while earlier ones are counted.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::progress::{Progress, Silent};
use crate::tensor::TensorSource;
use crate::threads::on_threads;

use super::accelerated::{PendingUnit, Started};
use super::cost::Workload;
use super::job::{Job, RunOptions};
use super::queue::{Queue, Turn};
use super::tensor_pair::{Task, TensorPair};
use super::unit::{Buffers, Unit};
use super::{CompareOptions, Comparison, Device};

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
    let sizes = pairs.iter().flat_map(|(lhs, rhs)| [lhs.stored_bytes(), rhs.stored_bytes()]);
    progress.total(sizes.fold(0, u64::saturating_add));
    compare_each(&tasks, options.threads, device, progress)
}

/// Compares many pairs at once, each with its own options; returns one result for each, in their order. The caller adds the
/// total to `progress`.
pub(crate) fn compare_each(
    tasks: &[Task<'_>],
    threads: usize,
    device: &Device,
    progress: &dyn Progress,
) -> Vec<Result<Box<Comparison>>> {
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
    let queue = Queue::new(tasks, RunOptions { device, accelerator, kept, progress });
    on_threads(threads, queue.turns, || Worker::new(&queue).run());
    for job in &queue.jobs {
        device.record(job.accelerated.load(Ordering::Relaxed));
    }
    queue.jobs.into_iter().map(Job::result).collect()
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
        while let Some(Turn { jobs, unit }) = self.queue.take() {
            for job in jobs {
                if self.pending.len() >= MAX_PENDING {
                    self.finish_oldest();
                }
                let goes_on = self.queue.options.progress.check();
                match goes_on.and_then(|()| job.unit(unit, &self.queue.options)) {
                    Ok(of_job) => self.begin(job, unit, of_job),
                    Err(error) => job.join(unit, Err(error)),
                }
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
        match unit.begin(accelerator, both, self.queue.options.kept, buffers) {
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
