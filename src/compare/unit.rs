//! A unit of work: a range of two tensors, read chunk by chunk into a tally, with the checksums of its bytes.

use crate::bytes::{Checksum, ReadWindow};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::tensor::framing::FramedReader;
use crate::tensor::{DType, Extent};

use super::grid::CELL;
use super::section::{self, Places};
use super::tally::Tally;
use super::tensor_pair::{PairKind, TensorPair};
use super::{CompareOptions, Comparison, Device, Sides, cpu, strings};

/// Cells in a unit of divisible content; a power of two, so that the sums of a unit are a node of the tree.
pub(super) const UNIT_CELLS: u64 = 512;

/// A range of elements of two tensors.
pub(super) struct Unit<'a> {
    pub(super) pair: TensorPair<'a>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) options: &'a CompareOptions,
    pub(super) device: &'a Device,
    pub(super) progress: &'a dyn Progress,
}

/// The result of a unit, or of several consecutive ones.
pub(super) struct UnitResult {
    tally: Tally,
    /// Checksums of contiguous content; a stream verifies its own.
    checksums: Checksums,
    /// Checksums of divisible content, where that of a side is not contiguous.
    places: Option<Sides<Places>>,
}

impl UnitResult {
    pub(super) fn new(tally: Tally, checksums: Checksums) -> Self {
        Self { tally, checksums, places: None }
    }

    /// Adds the result of the following units.
    pub(super) fn append(&mut self, later: &Self) {
        self.tally.append(&later.tally);
        self.checksums.append(&later.checksums);
        if let (Some(places), Some(later)) = (&mut self.places, &later.places) {
            section::append(&mut places.lhs, &later.lhs);
            section::append(&mut places.rhs, &later.rhs);
        }
    }

    /// Adds `times` more pairs of elements, each equal to the only pair of `repeated`; see [`Tally::repeat`].
    pub(super) fn repeat(&mut self, repeated: &Self, times: u64) {
        self.tally.repeat(&repeated.tally, times);
    }

    /// The comparison, if the checksums hold.
    pub(super) fn finish(self: Box<Self>, (lhs, rhs): TensorPair<'_>) -> Result<Comparison> {
        for (source, computed) in [(lhs, self.checksums.lhs), (rhs, self.checksums.rhs)] {
            if let (Some(extent), Some(computed)) = (source.extent(), computed) {
                extent.verify(computed)?;
            }
        }
        if let Some(places) = &self.places {
            section::verify(lhs, &places.lhs)?;
            section::verify(rhs, &places.rhs)?;
        }
        match PairKind::of(lhs.dtype(), rhs.dtype()) {
            Some(kind) => Ok(Comparison::new(&self.tally, kind)),
            None => {
                Err(Error::unexpected("dtype", lhs.dtype(), "one whose values can be compared"))
            }
        }
    }
}

/// Buffers for a chunk of each side, tables for their values, and windows on their files; reused from unit to unit.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) lhs: Buffer,
    pub(super) rhs: Buffer,
    pub(super) values: Box<cpu::ValueTables>,
    windows: Sides<ReadWindow>,
}

/// A buffer of bytes, aligned for any element.
#[derive(Default)]
pub(super) struct Buffer(Vec<u64>);

impl Buffer {
    pub(super) fn bytes(&mut self, len: usize) -> &mut [u8] {
        let words = len.div_ceil(size_of::<u64>());
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        bytemuck::cast_slice_mut(&mut self.0).get_mut(..len).unwrap_or_default()
    }
}

impl Unit<'_> {
    pub(super) fn run(&self, buffers: &mut Buffers) -> Result<Box<UnitResult>> {
        let (lhs, rhs) = self.pair;
        match (lhs.dtype().size(), rhs.dtype().size(), lhs.extent(), rhs.extent()) {
            (Some(lhs_size), Some(rhs_size), Some(lhs), Some(rhs)) => {
                self.extents((lhs, lhs_size), (rhs, rhs_size), buffers)
            }
            (Some(lhs_size), Some(rhs_size), ..)
                if section::is_divisible(lhs) && section::is_divisible(rhs) =>
            {
                self.sections(lhs_size, rhs_size, buffers)
            }
            (Some(lhs_size), Some(rhs_size), ..) => self.streams(lhs_size, rhs_size, buffers),
            _ => self.strings(),
        }
    }

    pub(super) fn tally(&self) -> Tally {
        Tally::new(self.options, self.start)
    }

    /// The tables, empty, if the values of this pair are to be counted.
    pub(super) fn tables<'t>(
        &self,
        tables: &'t mut cpu::ValueTables,
    ) -> Option<&'t mut cpu::ValueTables> {
        let (lhs, rhs) = self.dtypes();
        if !(self.options.values && cpu::has_values(lhs) && cpu::has_values(rhs)) {
            return None;
        }
        // A unit that could not be read to its end has left counts behind.
        tables.take();
        Some(tables)
    }

    fn dtypes(&self) -> (DType, DType) {
        (self.pair.0.dtype(), self.pair.1.dtype())
    }

    /// Elements in a chunk: whole cells.
    pub(super) fn chunk_elements(&self, size: usize) -> u64 {
        let cells = (self.options.chunk_bytes / size) as u64 / CELL;
        cells.clamp(1, UNIT_CELLS) * CELL
    }

    fn extents(
        &self,
        (lhs, lhs_size): (&dyn Extent, usize),
        (rhs, rhs_size): (&dyn Extent, usize),
        buffers: &mut Buffers,
    ) -> Result<Box<UnitResult>> {
        let step = self.chunk_elements(lhs_size.max(rhs_size));
        let mut tally = self.tally();
        let Buffers { lhs: lhs_buffer, rhs: rhs_buffer, values, windows } = buffers;
        let mut values = self.tables(values);
        let mut checksums = Checksums::new(lhs, rhs);
        let mut at = self.start;
        while at < self.end {
            let n = step.min(self.end - at);
            let x = lhs_buffer.bytes(in_memory(n) * lhs_size);
            let y = rhs_buffer.bytes(in_memory(n) * rhs_size);
            lhs.read_through(&mut windows.lhs, at * lhs_size as u64, x)?;
            rhs.read_through(&mut windows.rhs, at * rhs_size as u64, y)?;
            let equal = self.add_chunk(x, y, &mut values, &mut tally);
            checksums.update(x, y, equal);
            at += n;
        }
        tally.close();
        tally.values = values.map(cpu::ValueTables::take);
        Ok(Box::new(UnitResult::new(tally, checksums)))
    }

    /// Compares content of which one side at least lies in several places, or in another byte order.
    fn sections(
        &self,
        lhs_size: usize,
        rhs_size: usize,
        buffers: &mut Buffers,
    ) -> Result<Box<UnitResult>> {
        let open = |source, size| {
            let section = section::open(source, self.start..self.end, size)?;
            section.ok_or_else(|| Error::usage("the content cannot be read in parts"))
        };
        let mut lhs = open(self.pair.0, lhs_size)?;
        let mut rhs = open(self.pair.1, rhs_size)?;
        let step = self.chunk_elements(lhs_size.max(rhs_size));
        let mut tally = self.tally();
        let mut values = self.tables(&mut buffers.values);
        let mut at = self.start;
        while at < self.end {
            let n = step.min(self.end - at);
            let x = buffers.lhs.bytes(in_memory(n) * lhs_size);
            let y = buffers.rhs.bytes(in_memory(n) * rhs_size);
            lhs.read(x)?;
            rhs.read(y)?;
            self.add_chunk(x, y, &mut values, &mut tally);
            at += n;
        }
        tally.close();
        tally.values = values.map(cpu::ValueTables::take);
        let places = Sides { lhs: lhs.checksums(), rhs: rhs.checksums() };
        let checksums = Checksums::default();
        Ok(Box::new(UnitResult { tally, checksums, places: Some(places) }))
    }

    /// Adds chunks of both sides, and their progress; returns whether they are the same bytes of one dtype.
    fn add_chunk(
        &self,
        lhs: &[u8],
        rhs: &[u8],
        values: &mut Option<&mut cpu::ValueTables>,
        tally: &mut Tally,
    ) -> bool {
        let (lhs_dtype, rhs_dtype) = self.dtypes();
        let equal = lhs_dtype == rhs_dtype && lhs == rhs;
        self.progress.advance((lhs.len() + rhs.len()) as u64);
        if let Some(values) = values {
            values.add((lhs_dtype, lhs), (rhs_dtype, rhs), equal);
        }
        cpu::compare(lhs_dtype, rhs_dtype, cpu::Chunk { lhs, rhs, equal, tally });
        equal
    }

    fn streams(
        &self,
        lhs_size: usize,
        rhs_size: usize,
        buffers: &mut Buffers,
    ) -> Result<Box<UnitResult>> {
        let (mut lhs, mut rhs) = (self.pair.0.stream()?, self.pair.1.stream()?);
        let step = in_memory(self.chunk_elements(lhs_size.max(rhs_size)));
        let mut tally = self.tally();
        let mut values = self.tables(&mut buffers.values);
        loop {
            let x = buffers.lhs.bytes(step * lhs_size);
            let y = buffers.rhs.bytes(step * rhs_size);
            let (read_lhs, read_rhs) = (lhs.read(x)?, rhs.read(y)?);
            let n = read_lhs / lhs_size;
            if n != read_rhs / rhs_size {
                let expected = format!("{n} at this position, as in lhs");
                return Err(Error::unexpected("elements of rhs", read_rhs / rhs_size, expected));
            }
            if n == 0 {
                break;
            }
            let x = x.get(..read_lhs).unwrap_or_default();
            let y = y.get(..read_rhs).unwrap_or_default();
            self.add_chunk(x, y, &mut values, &mut tally);
        }
        tally.close();
        tally.values = values.map(cpu::ValueTables::take);
        Ok(Box::new(UnitResult::new(tally, Checksums::default())))
    }

    fn strings(&self) -> Result<Box<UnitResult>> {
        let (lhs, rhs) = self.pair;
        let mut tally = self.tally();
        strings::compare(FramedReader::open(lhs)?, FramedReader::open(rhs)?, &mut tally)?;
        self.progress.advance(lhs.stored_bytes().saturating_add(rhs.stored_bytes()));
        Ok(Box::new(UnitResult::new(tally, Checksums::default())))
    }
}

/// A number of elements of a unit, which are in memory.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a chunk is at most a unit, and a unit is at most 512 cells of 2,048 elements"
)]
pub(super) fn in_memory(elements: u64) -> usize {
    elements as usize
}

/// The checksums of the bytes read so far; `None` for a side that stores none.
#[derive(Default)]
pub(super) struct Checksums {
    lhs: Option<Checksum>,
    rhs: Option<Checksum>,
}

impl Checksums {
    /// The checksums of no bytes, each of the kind that its side stores.
    pub(super) fn new(lhs: &dyn Extent, rhs: &dyn Extent) -> Self {
        let begin = |extent: &dyn Extent| Some(Checksum::new(extent.stored_checksum()?.kind()));
        Self { lhs: begin(lhs), rhs: begin(rhs) }
    }

    /// Adds the next chunk of both sides. Where the chunks are equal, and so are the kinds, computes one checksum for both.
    pub(super) fn update(&mut self, lhs: &[u8], rhs: &[u8], equal: bool) {
        match (&mut self.lhs, &mut self.rhs) {
            (Some(l), Some(r)) if equal && l == r => {
                l.update(lhs);
                *r = *l;
            }
            (Some(l), Some(r)) if equal && l.kind() == r.kind() => {
                let chunk = Checksum::of(l.kind(), lhs);
                *l = l.then(chunk);
                *r = r.then(chunk);
            }
            (l, r) => {
                l.iter_mut().for_each(|sum| sum.update(lhs));
                r.iter_mut().for_each(|sum| sum.update(rhs));
            }
        }
    }

    fn append(&mut self, later: &Self) {
        for (sum, later) in [(&mut self.lhs, later.lhs), (&mut self.rhs, later.rhs)] {
            *sum = sum.zip(later).map(|(sum, later)| sum.then(later));
        }
    }
}
