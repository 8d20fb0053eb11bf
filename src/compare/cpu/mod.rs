//! Chunks of two tensors, compared on the CPU.
//!
//! [`pairs`] follows the definition element by element. [`cells`] computes the same for a cell of real numbers at a time:
//! [`sums`](mod@sums) adds, [`counts`] collects the statistics of every comparison, [`requested`] the optional ones, and [`excluded`]
//! counts pairs that are not finite. [`values`](mod@values) counts the values of each side.
//!
//! What makes it fast: [`narrow`] computes in `f32` with a margin, [`byte_values`] in 16 bits, [`halves`] widens by instruction,
//! [`ties`] sees where the largest relative difference cannot grow, and [`ladder`] tries few of many tolerances.

mod blocks;
mod byte_values;
mod cells;
mod complex;
mod computed;
mod counts;
mod excluded;
mod halves;
mod ladder;
mod mixed;
mod narrow;
mod pairs;
mod requested;
mod sums;
#[cfg(test)]
mod tests;
mod ties;
mod values;

use crate::tensor::{Bool, ComplexNumber, DType, Kind, Number, Scalar, Visit};

use super::tally::Tally;
use pairs::Collect;
pub(super) use values::{ValueTables, has_values};

/// Two chunks of one length in elements, at the position of the tally. It is the border of a cell.
pub(super) struct Chunk<'a> {
    pub(super) lhs: &'a [u8],
    pub(super) rhs: &'a [u8],
    /// Whether the two are the same bytes.
    pub(super) equal: bool,
    pub(super) tally: &'a mut Tally,
}

/// Compares a chunk of two fixed-width tensors, and adds the result to its tally.
pub(super) fn compare(lhs: DType, rhs: DType, chunk: Chunk<'_>) {
    if lhs == rhs {
        lhs.visit(SameType { chunk, collect: Collect::Everything });
    } else {
        let is_complex = [lhs, rhs].iter().any(|dtype| dtype.kind() == Kind::Complex);
        let compare = if is_complex { complex::mixed } else { mixed::numbers };
        compare((lhs, chunk.lhs), (rhs, chunk.rhs), chunk.tally);
    }
}

/// Takes the sums of a chunk of two tensors of one fixed-width dtype into its tally, with the same bits as [`compare`], and
/// collects nothing else.
pub(super) fn sums(dtype: DType, chunk: Chunk<'_>) {
    dtype.visit(SameType { chunk, collect: Collect::Sums });
}

/// Takes the relative differences of the finite pairs of two chunks of one dtype and length into the tally, and collects nothing
/// else. The tally stays at its position.
pub(super) fn relative(dtype: DType, lhs: &[u8], rhs: &[u8], tally: &mut Tally) {
    let chunk = Chunk { lhs, rhs, equal: false, tally };
    dtype.visit(SameType { chunk, collect: Collect::Relative });
}

struct SameType<'a> {
    chunk: Chunk<'a>,
    collect: Collect,
}

impl Visit for SameType<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let Self { chunk: Chunk { lhs, rhs, equal, tally }, collect } = self;
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice(rhs));
        if collect == Collect::Relative {
            return counts::relative(lhs, rhs, &mut tally.extremes);
        }
        let scalar =
            |side: &[T], index| side.get(index).map_or(Scalar::Integer(0), |x: &T| x.scalar());
        let scalars = |index| (scalar(lhs, index), scalar(rhs, index));
        cells::numbers((lhs, rhs), equal, collect, tally, scalars);
    }

    fn complex<T: ComplexNumber>(self) {
        let Self { chunk: Chunk { lhs, rhs, tally, .. }, collect } = self;
        complex::numbers::<T>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), collect, tally);
    }

    fn boolean(self) {
        let Self { chunk: Chunk { lhs, rhs, equal, tally }, collect } = self;
        match collect {
            Collect::Everything if !equal => {
                let (lhs, rhs) = (bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs));
                pairs::booleans::<Bool>(lhs, rhs, tally);
            }
            Collect::Everything | Collect::Sums => tally.advance(lhs.len() as u64),
            // Truth values have no difference.
            Collect::Relative => {}
        }
    }

    fn bytes(self) {
        // Elements of variable length are not compared in chunks; see `super::strings`.
    }
}
