//! A unit whose counts come from an accelerator. The CPU reads, verifies and takes the sums, and keeps what it read: for what
//! only the elements tell, and to count again should the accelerator fail.

use crate::error::Result;
use crate::tensor::{DType, Extent};

use super::accelerator::{Accelerator, Chunk, Counting, Failure};
use super::tally::Tally;
use super::tile::{Counted, TILE};
use super::unit::{Buffers, Checksums, Part, Unit, in_memory};
use super::{Options, Sides, cpu};

/// What came of beginning a unit.
pub(super) enum Begun<'a> {
    /// There was nothing to count: the two are the same bytes.
    Done(Box<Part>, Buffers),
    /// The accelerator works on it.
    UnderWay(Box<UnderWay<'a>>),
}

/// A unit that is read, and is being counted.
pub(super) struct UnderWay<'a> {
    unit: Unit<'a>,
    tally: Tally,
    checksums: Checksums,
    buffers: Buffers,
    /// `None` when the accelerator has failed.
    pieces: Option<Vec<Piece>>,
}

/// As much as the accelerator takes at once.
struct Piece {
    /// Position of its first element.
    start: u64,
    elements: usize,
    counting: Box<dyn Counting>,
}

impl<'a> Unit<'a> {
    /// Reads the unit and has it counted from the first chunk on that differs; all of it where `kept` says that lhs will come again.
    pub(super) fn begin(
        self,
        accelerator: &dyn Accelerator,
        (lhs, rhs): (&dyn Extent, &dyn Extent),
        kept: Option<u64>,
        mut buffers: Buffers,
    ) -> Result<Begun<'a>> {
        let size = self.size() as u64;
        let mut tally = self.tally();
        let mut checksums = Checksums::new(lhs, rhs);
        let mut apart = None;
        for (x, y) in self.chunks(&mut buffers) {
            let at = tally.position;
            lhs.read_at(at * size, x)?;
            rhs.read_at(at * size, y)?;
            let equal = x == y;
            checksums.update(x, y, equal);
            self.progress.advance((x.len() + y.len()) as u64);
            if !equal {
                apart.get_or_insert(at);
            }
            let chunk = cpu::Chunk { lhs: x, rhs: y, equal, tally: &mut tally };
            if apart.is_none() && kept.is_none() {
                cpu::compare(self.dtype(), self.dtype(), chunk);
            } else {
                cpu::sums(self.dtype(), chunk);
            }
        }
        tally.close();
        let start = match (apart, kept) {
            (Some(apart), None) => apart,
            // What is kept must be the same each time, wherever the others differ from it.
            (Some(_), Some(_)) => self.start,
            (None, _) => {
                let tally = if kept.is_some() { self.count(&mut buffers) } else { tally };
                return Ok(Begun::Done(Box::new(Part::new(tally, checksums)), buffers));
            }
        };
        let pieces = self.pieces(accelerator, start, kept, &mut buffers);
        let pieces = pieces.map_err(|failure| self.device.fail(failure)).ok();
        Ok(Begun::UnderWay(Box::new(UnderWay { unit: self, tally, checksums, buffers, pieces })))
    }

    /// Begins to count from `start` on.
    fn pieces(
        &self,
        accelerator: &dyn Accelerator,
        mut start: u64,
        kept: Option<u64>,
        buffers: &mut Buffers,
    ) -> std::result::Result<Vec<Piece>, Failure> {
        let size = self.size();
        let most = (accelerator.most_bytes() / size / TILE).max(1) * TILE;
        let mut pieces = Vec::new();
        while start < self.end {
            let end = self.end.min(start.saturating_add(most as u64));
            let (lhs, rhs) = self.read(buffers, start, end);
            let lhs_kept = kept.map(|tensor| (tensor, start * size as u64));
            let kept = Sides { lhs: lhs_kept, rhs: None };
            let chunk = Chunk { dtype: self.dtype(), lhs, rhs, options: self.options, kept };
            let elements = chunk.elements();
            pieces.push(Piece { start, elements, counting: accelerator.begin(&chunk)? });
            start = end;
        }
        Ok(pieces)
    }

    /// The chunks of both sides, in order; read before, or to be read into.
    fn chunks<'b>(
        &self,
        buffers: &'b mut Buffers,
    ) -> impl Iterator<Item = (&'b mut [u8], &'b mut [u8])> {
        let step = in_memory(self.chunk_elements(self.size())) * self.size();
        let bytes = in_memory(self.end - self.start) * self.size();
        let (lhs, rhs) = (buffers.lhs.bytes(bytes), buffers.rhs.bytes(bytes));
        lhs.chunks_mut(step).zip(rhs.chunks_mut(step))
    }

    /// Both sides of the elements from `start` to `end`, as they were read.
    fn read<'b>(&self, buffers: &'b mut Buffers, start: u64, end: u64) -> (&'b [u8], &'b [u8]) {
        let at = |position| in_memory(position - self.start) * self.size();
        let (start, end) = (at(start), at(end));
        let (lhs, rhs) = (buffers.lhs.bytes(end), buffers.rhs.bytes(end));
        (lhs.get(start..).unwrap_or_default(), rhs.get(start..).unwrap_or_default())
    }

    /// Takes in what was counted from `start` on.
    fn take(&self, counted: &Counted, start: u64, buffers: &mut Buffers, tally: &mut Tally) {
        tally.count_chunk(counted);
        for (tile, start) in counted.tiles.iter().zip((start..).step_by(TILE)) {
            let (lhs, rhs) = self.read(buffers, start, self.end.min(start + TILE as u64));
            tally.count_tile(tile, start, |place| cpu::scalars(self.dtype(), lhs, rhs, place));
            // A quotient is no matter of integers: where one may be the largest so far, the CPU looks.
            if tile.relative_bound > 0.0 && tile.relative_bound >= tally.relative_threshold() {
                cpu::relative(self.dtype(), lhs, rhs, tally);
            }
        }
    }

    /// Counts all of the unit on the CPU.
    fn count(&self, buffers: &mut Buffers) -> Tally {
        let mut tally = self.tally();
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

impl UnderWay<'_> {
    /// Waits for the counts, and says whether there are any: where the accelerator has failed, now or elsewhere in the meantime,
    /// the CPU counts.
    pub(super) fn finish(self: Box<Self>) -> (Box<Part>, Buffers, bool) {
        let Self { unit, mut tally, checksums, mut buffers, pieces } = *self;
        let device = unit.device;
        let counted = pieces.filter(|_| !device.is_failed()).and_then(|pieces| {
            wait(pieces, unit.options).map_err(|failure| device.fail(failure)).ok()
        });
        let accelerated = counted.is_some();
        match counted {
            Some(pieces) => {
                for (start, counted) in pieces {
                    unit.take(&counted, start, &mut buffers, &mut tally);
                }
            }
            None => tally = unit.count(&mut buffers),
        }
        (Box::new(Part::new(tally, checksums)), buffers, accelerated)
    }
}

/// What was counted of each piece, and where it begins. An answer that leaves something out is none.
fn wait(
    pieces: Vec<Piece>,
    options: &Options,
) -> std::result::Result<Vec<(u64, Counted)>, Failure> {
    let finished = pieces.into_iter().map(|Piece { start, elements, counting }| {
        let counted = counting.finish()?;
        if !counted.is_whole(elements, options) {
            return Err(Failure::Wrong("it did not answer all that was asked".into()));
        }
        Ok((start, counted))
    });
    finished.collect()
}
