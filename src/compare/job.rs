//! One pair of tensors: its units, and their results, which are joined in order.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::{Error, Result};
use crate::progress::Progress;

use super::accelerator::Accelerator;
use super::grid::CELL;
use super::section::{self, check_files};
use super::tensor_pair::{PairKind, Task};
use super::unit::{UNIT_CELLS, Unit, UnitResult};
use super::{Comparison, Device};

/// Elements in a unit.
const UNIT: u64 = UNIT_CELLS * CELL;

/// The options of a run.
pub(super) struct RunOptions<'a> {
    pub(super) device: &'a Device,
    pub(super) accelerator: Option<&'a Arc<dyn Accelerator>>,
    pub(super) kept: Option<u64>,
    pub(super) progress: &'a dyn Progress,
}

/// One pair and the results of its units.
pub(super) struct Job<'a> {
    pub(super) task: Task<'a>,
    pub(super) units: usize,
    /// Why no unit can be read.
    refused: Option<Error>,
    joined: Mutex<Joined>,
    /// Whether an accelerator counted a unit.
    pub(super) accelerated: AtomicBool,
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
    pub(super) fn new(task: Task<'a>) -> Self {
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
    pub(super) fn unit(&self, number: usize, of_run: &RunOptions<'a>) -> Result<Unit<'a>> {
        self.check()?;
        let Task { pair, options } = self.task;
        let elements = pair.0.shape().elements();
        let start = number as u64 * UNIT;
        let end = if self.units == 1 { elements } else { elements.min(start + UNIT) };
        let RunOptions { device, progress, .. } = *of_run;
        Ok(Unit { pair, start, end, options, device, progress })
    }

    /// The stored bytes of both sides.
    pub(super) fn bytes(&self) -> u64 {
        let (lhs, rhs) = self.task.pair;
        lhs.stored_bytes().saturating_add(rhs.stored_bytes())
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

    pub(super) fn join(&self, unit: usize, result: Result<Box<UnitResult>>) {
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

    pub(super) fn result(self) -> Result<Box<Comparison>> {
        self.result
            .into_inner()
            .unwrap_or_else(|| Err(Error::usage("the comparison did not finish")))
    }
}
