//! The work of a run, and how threads share it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::accelerator::Accelerator;
use super::job::{Job, RunOptions};
use super::tensor_pair::Task;

/// Bytes of both sides of the pairs that a worker takes at once: enough that taking is cheap and one read of the file serves many.
const GROUP_BYTES: u64 = 32 << 10;
/// The bytes that a pair counts for at least, since even an empty one takes time.
const LEAST_BYTES: u64 = 64;

/// All pairs, divided into units.
pub(super) struct Queue<'a> {
    pub(super) jobs: Vec<Job<'a>>,
    /// The jobs, in groups.
    groups: Vec<Group>,
    pub(super) turns: usize,
    next: AtomicUsize,
    pub(super) options: RunOptions<'a>,
}

/// Neighboring jobs: one whose units are taken one by one, or several of one unit each, which are taken at once.
struct Group {
    jobs: Range<usize>,
    /// The number of the first turn at which a worker takes something of it.
    first_turn: usize,
    /// The bytes of both sides.
    bytes: u64,
}

/// What a worker takes at a time: a unit of a job, or the only unit of each of several.
pub(super) struct Turn<'q, 'a> {
    pub(super) jobs: &'q [Job<'a>],
    pub(super) unit: usize,
}

impl<'a> Queue<'a> {
    pub(super) fn new(tasks: &[Task<'a>], options: RunOptions<'a>) -> Self {
        let jobs: Vec<_> = tasks.iter().map(|&task| Job::new(task)).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut turns = 0usize;
        for (at, job) in jobs.iter().enumerate() {
            let bytes = if job.units == 1 { job.bytes().max(LEAST_BYTES) } else { u64::MAX };
            match groups.last_mut() {
                Some(last) if bytes.saturating_add(last.bytes) <= GROUP_BYTES => {
                    last.jobs.end = at + 1;
                    last.bytes += bytes;
                }
                _ => {
                    groups.push(Group { jobs: at..at + 1, first_turn: turns, bytes });
                    turns = turns.saturating_add(job.units);
                }
            }
        }
        Self { jobs, groups, turns, next: AtomicUsize::new(0), options }
    }

    /// The next turn; `None` when none is left.
    pub(super) fn take(&self) -> Option<Turn<'_, 'a>> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        if turn >= self.turns {
            return None;
        }
        let after = self.groups.partition_point(|group| group.first_turn <= turn);
        let group = self.groups.get(after.checked_sub(1)?)?;
        let jobs = self.jobs.get(group.jobs.clone())?;
        Some(Turn { jobs, unit: turn - group.first_turn })
    }

    /// The accelerator, if it accepts the elements of this pair.
    pub(super) fn accelerator(
        &self,
        Task { pair, options }: Task<'a>,
    ) -> Option<&'a dyn Accelerator> {
        let (lhs, rhs) = pair;
        let RunOptions { accelerator, device, .. } = self.options;
        let accelerator = accelerator.filter(|_| !device.is_failed())?;
        let accepts = lhs.dtype() == rhs.dtype()
            && lhs.stored_bytes() >= device.least_bytes()
            && accelerator.accepts(lhs.dtype(), options);
        accepts.then_some(&**accelerator)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::compare::{CompareOptions, Device};
    use crate::progress::Silent;
    use crate::tensor::TensorView;

    #[test]
    fn every_unit_is_taken_once_and_small_pairs_together() {
        let content = vec![0u8; 3 << 20];
        let lens = [0, 0, 5, 3 << 20, 7, 9 << 10, 9 << 10, 2, 1 << 20, 1, 0, 40 << 10, 6];
        let views: Vec<_> = lens.iter().map(|&len| TensorView::flat(&content[..len])).collect();
        let options = CompareOptions::default();
        let task = |view| Task { pair: (view, view), options: &options };
        let tasks: Vec<_> = views.iter().map(|view| task(view)).collect();
        let device = Device::cpu();
        let of_run =
            RunOptions { device: &device, accelerator: None, kept: None, progress: &Silent };
        let queue = Queue::new(&tasks, of_run);
        let mut taken = BTreeMap::new();
        let mut turns = Vec::new();
        while let Some(Turn { jobs, unit }) = queue.take() {
            turns.push(jobs.len());
            for job in jobs {
                *taken.entry((std::ptr::from_ref(job).addr(), unit)).or_insert(0) += 1;
            }
        }
        assert_eq!(turns, [3, 1, 1, 1, 2, 2, 1, 2, 1, 1]);
        assert_eq!(turns.len(), queue.turns);
        assert_eq!(taken.len(), queue.jobs.iter().map(|job| job.units).sum::<usize>());
        assert!(taken.values().all(|&times| times == 1));
    }
}
