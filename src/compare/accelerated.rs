//! A unit that an accelerator counts. The CPU reads and verifies it, computes the sums, counts the values of each side, and keeps
//! the bytes, because some statistics need the elements themselves, and because the CPU counts the unit if the accelerator fails.

use std::mem;

use crate::error::Result;
use crate::tensor::{DType, Extent};

use super::accelerator::{Accelerator, Counting, Failure};
use super::pair::scalars;
use super::tally::Tally;
use super::tile::{Batch, Counted, TILE};
use super::unit::{Buffers, Checksums, Unit, UnitResult, in_memory};
use super::{CompareOptions, Sides, cpu};

/// A unit whose count was started.
pub(super) enum Started<'a> {
    /// Both sides are the same bytes, so that there is nothing to count.
    Done(Box<UnitResult>, Buffers),
    /// The accelerator counts it.
    Pending(Box<PendingUnit<'a>>),
}

/// A unit that has been read and is being counted.
pub(super) struct PendingUnit<'a> {
    unit: Unit<'a>,
    tally: Tally,
    checksums: Checksums,
    buffers: Buffers,
    /// `None` when the accelerator has failed.
    batches: Option<Vec<UnitBatch>>,
}

/// A part of a unit, of a size that the accelerator accepts.
struct UnitBatch {
    /// Position of its first element.
    start: u64,
    elements: usize,
    counting: Box<dyn Counting>,
}

impl<'a> Unit<'a> {
    /// Reads the unit, and begins to count it from the first chunk that differs; where lhs is `kept` to be compared again, from
    /// the start.
    pub(super) fn begin(
        self,
        accelerator: &dyn Accelerator,
        (lhs, rhs): (&dyn Extent, &dyn Extent),
        kept: Option<u64>,
        mut buffers: Buffers,
    ) -> Result<Started<'a>> {
        let size = self.size() as u64;
        let mut tally = self.tally();
        let mut tables = mem::take(&mut buffers.values);
        let mut values = self.tables(&mut tables);
        let mut checksums = Checksums::new(lhs, rhs);
        let mut first_differing = None;
        for (x, y) in self.chunks(&mut buffers) {
            let at = tally.position;
            lhs.read_at(at * size, x)?;
            rhs.read_at(at * size, y)?;
            let equal = x == y;
            checksums.update(x, y, equal);
            self.progress.advance((x.len() + y.len()) as u64);
            if !equal {
                first_differing.get_or_insert(at);
            }
            if let Some(values) = &mut values {
                values.add((self.dtype(), x), (self.dtype(), y), equal);
            }
            let chunk = cpu::Chunk { lhs: x, rhs: y, equal, tally: &mut tally };
            if first_differing.is_none() && kept.is_none() {
                cpu::compare(self.dtype(), self.dtype(), chunk);
            } else {
                cpu::sums(self.dtype(), chunk);
            }
        }
        tally.close();
        tally.values = values.map(cpu::ValueTables::take);
        buffers.values = tables;
        let start = match (first_differing, kept) {
            (Some(first_differing), None) => first_differing,
            // The bytes that are kept must be the same for every rhs, wherever it differs.
            (Some(_), Some(_)) => self.start,
            (None, _) => {
                let tally = if kept.is_some() { self.recount(tally, &mut buffers) } else { tally };
                return Ok(Started::Done(Box::new(UnitResult::new(tally, checksums)), buffers));
            }
        };
        let batches = self.batches(accelerator, start, kept, &mut buffers);
        let batches = batches.map_err(|failure| self.device.fail(failure)).ok();
        Ok(Started::Pending(Box::new(PendingUnit {
            unit: self,
            tally,
            checksums,
            buffers,
            batches,
        })))
    }

    /// Begins to count the elements from `start` to the end of the unit.
    fn batches(
        &self,
        accelerator: &dyn Accelerator,
        mut start: u64,
        kept: Option<u64>,
        buffers: &mut Buffers,
    ) -> std::result::Result<Vec<UnitBatch>, Failure> {
        let size = self.size();
        let most = (accelerator.most_bytes() / size / TILE).max(1) * TILE;
        let mut batches = Vec::new();
        while start < self.end {
            let end = self.end.min(start.saturating_add(most as u64));
            let (lhs, rhs) = self.read(buffers, start, end);
            let lhs_kept = kept.map(|tensor| (tensor, start * size as u64));
            let kept = Sides { lhs: lhs_kept, rhs: None };
            let batch = Batch { dtype: self.dtype(), lhs, rhs, options: self.options, kept };
            let elements = batch.elements();
            batches.push(UnitBatch { start, elements, counting: accelerator.begin(&batch)? });
            start = end;
        }
        Ok(batches)
    }

    /// The chunks of both sides, in order.
    fn chunks<'b>(
        &self,
        buffers: &'b mut Buffers,
    ) -> impl Iterator<Item = (&'b mut [u8], &'b mut [u8])> {
        let step = in_memory(self.chunk_elements(self.size())) * self.size();
        let bytes = in_memory(self.end - self.start) * self.size();
        let (lhs, rhs) = (buffers.lhs.bytes(bytes), buffers.rhs.bytes(bytes));
        lhs.chunks_mut(step).zip(rhs.chunks_mut(step))
    }

    /// The bytes of both sides from element `start` to `end`.
    fn read<'b>(&self, buffers: &'b mut Buffers, start: u64, end: u64) -> (&'b [u8], &'b [u8]) {
        let at = |position| in_memory(position - self.start) * self.size();
        let (start, end) = (at(start), at(end));
        let (lhs, rhs) = (buffers.lhs.bytes(end), buffers.rhs.bytes(end));
        (lhs.get(start..).unwrap_or_default(), rhs.get(start..).unwrap_or_default())
    }

    /// Adds the counts over the batch that begins at `start`.
    fn add_batch(&self, counted: &Counted, start: u64, buffers: &mut Buffers, tally: &mut Tally) {
        tally.add_batch(counted);
        for (tile, start) in counted.tiles.iter().zip((start..).step_by(TILE)) {
            let (lhs, rhs) = self.read(buffers, start, self.end.min(start + TILE as u64));
            tally.add_tile(tile, start, |index| scalars(self.dtype(), lhs, rhs, index));
            // An accelerator has no quotients: where one may be the largest so far, the CPU computes them.
            let threshold = tally.extremes.relative_threshold();
            if tile.relative_bound > 0.0 && tile.relative_bound >= threshold {
                cpu::relative(self.dtype(), lhs, rhs, tally);
            }
        }
    }

    /// Counts the whole unit on the CPU, except for the values of each side, which `read` has.
    fn recount(&self, read: Tally, buffers: &mut Buffers) -> Tally {
        let mut tally = self.tally();
        tally.values = read.values;
        for (lhs, rhs) in self.chunks(buffers) {
            let equal = lhs == rhs;
            let chunk = cpu::Chunk { lhs, rhs, equal, tally: &mut tally };
            cpu::compare(self.dtype(), self.dtype(), chunk);
        }
        tally.close();
        tally
    }

    fn dtype(&self) -> DType {
        self.pair.0.dtype()
    }

    /// Bytes of an element.
    fn size(&self) -> usize {
        self.dtype().size().unwrap_or(1)
    }
}

impl PendingUnit<'_> {
    /// Waits for the result, and returns whether the accelerator counted it. If the accelerator has failed, here or in another
    /// unit, the CPU counts.
    pub(super) fn finish(self: Box<Self>) -> (Box<UnitResult>, Buffers, bool) {
        let Self { unit, mut tally, checksums, mut buffers, batches } = *self;
        let device = unit.device;
        let counted = batches.filter(|_| !device.is_failed()).and_then(|batches| {
            wait(batches, unit.options).map_err(|failure| device.fail(failure)).ok()
        });
        let accelerated = counted.is_some();
        match counted {
            Some(batches) => {
                for (start, counted) in batches {
                    unit.add_batch(&counted, start, &mut buffers, &mut tally);
                }
            }
            None => tally = unit.recount(tally, &mut buffers),
        }
        (Box::new(UnitResult::new(tally, checksums)), buffers, accelerated)
    }
}

/// The position and the counts of each batch. An incomplete answer is a failure.
fn wait(
    batches: Vec<UnitBatch>,
    options: &CompareOptions,
) -> std::result::Result<Vec<(u64, Counted)>, Failure> {
    let finished = batches.into_iter().map(|UnitBatch { start, elements, counting }| {
        let counted = counting.finish()?;
        if !counted.is_complete(elements, options) {
            return Err(Failure::Wrong("its answer is incomplete".into()));
        }
        Ok((start, counted))
    });
    finished.collect()
}
