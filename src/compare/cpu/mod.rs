//! Chunks of two tensors, compared on the CPU.
//!
//! [`pairs`] follows the definition element by element. [`lanes`] computes the same for sixteen real numbers of one type at a
//! time, which covers nearly every tensor: [`sums`](mod@sums) adds, [`counts`] collects the statistics of every comparison,
//! [`requested`] the optional ones. [`values`](mod@values) counts the values of each side.

mod blocks;
mod counts;
mod lanes;
mod pairs;
mod requested;
mod sums;
#[cfg(test)]
mod tests;
mod values;

use crate::tensor::{Bool, ComplexNumber, DType, Number, Visit};

use super::tally::Tally;
use pairs::Collect;
pub(super) use values::{ValueTables, has_values};

/// Two chunks of one length in elements, at the position of the tally and within one cell.
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
        pairs::mixed((lhs, chunk.lhs), (rhs, chunk.rhs), chunk.tally);
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
        lanes::numbers(lhs, rhs, equal, collect, tally);
    }

    fn complex<T: ComplexNumber>(self) {
        let Self { chunk: Chunk { lhs, rhs, tally, .. }, collect } = self;
        pairs::complex::<T>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), collect, tally);
    }

    fn boolean(self) {
        let Self { chunk: Chunk { lhs, rhs, equal, tally }, collect } = self;
        match collect {
            Collect::Everything if !equal => {
                let (lhs, rhs) = (bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs));
                pairs::booleans::<Bool>(lhs, rhs, tally);
            }
            Collect::Everything | Collect::Sums => tally.advance_equal(lhs.len() as u64),
            // Truth values have no difference.
            Collect::Relative => {}
        }
    }

    fn bytes(self) {
        // Elements of variable length are not compared in chunks; see `super::strings`.
    }
}
