//! Chunks of two tensors into a tally, on the CPU.
//!
//! [`pairs`] follows the definition element by element; [`lanes`] says the same sixteen elements at a time, for real
//! numbers of one type, which is nearly everything there is: [`sums`](mod@sums) adds up, [`counts`] counts what is always told,
//! [`asked`] what was asked for beyond.

mod asked;
mod bins;
mod counts;
mod lanes;
mod pairs;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use bins::Bins;
pub(crate) use pairs::{complex_pair, equality, pair, scalars};

use crate::tensor::{Bool, ComplexNumber, DType, Kind, Number, Visit};

use super::tally::{Meaning, Tally};

/// Two chunks of one length in elements, at the tally's position and within one cell.
pub(crate) struct Chunk<'a> {
    pub(crate) lhs: &'a [u8],
    pub(crate) rhs: &'a [u8],
    /// Whether the two are the same bytes.
    pub(crate) equal: bool,
    pub(crate) tally: &'a mut Tally,
}

/// Which numbers have a meaning for these dtypes; `None` where the two have no values in common.
pub(crate) fn meaning(lhs: DType, rhs: DType) -> Option<Meaning> {
    match (lhs.kind(), rhs.kind()) {
        (Kind::Bytes, Kind::Bytes) if lhs == rhs => Some(Meaning::Equality),
        (Kind::Bytes, _) | (_, Kind::Bytes) => None,
        (Kind::Bool, Kind::Bool) => Some(Meaning::Equality),
        (Kind::Complex, _) | (_, Kind::Complex) => Some(Meaning::Complex),
        (Kind::Float, _) | (_, Kind::Float) => Some(Meaning::Floats { ulp: lhs == rhs }),
        _ => Some(Meaning::Integers),
    }
}

/// What of a chunk is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Take {
    Everything,
    Sums,
}

/// Takes a chunk of two fixed-width tensors into its tally.
pub(crate) fn compare(lhs: DType, rhs: DType, chunk: Chunk<'_>) {
    if lhs == rhs {
        lhs.visit(SameType { chunk, take: Take::Everything });
    } else {
        pairs::mixed(lhs, rhs, chunk);
    }
}

/// Takes the sums of a chunk of two tensors of one fixed-width dtype into its tally, the same bits as [`compare`] would,
/// and counts nothing.
pub(crate) fn sums(dtype: DType, chunk: Chunk<'_>) {
    dtype.visit(SameType { chunk, take: Take::Sums });
}

/// Takes the finite pairs of two chunks of one dtype and length into what is relative to lhs, and nothing else; the tally
/// stays where it is.
pub(crate) fn relative(dtype: DType, lhs: &[u8], rhs: &[u8], tally: &mut Tally) {
    dtype.visit(Relative { lhs, rhs, tally });
}

struct SameType<'a> {
    chunk: Chunk<'a>,
    take: Take,
}

impl Visit for SameType<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let Self { chunk: Chunk { lhs, rhs, equal, tally }, take } = self;
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice(rhs));
        lanes::numbers(lhs, rhs, equal, take, tally);
    }

    fn complex<T: ComplexNumber>(self) {
        let Self { chunk: Chunk { lhs, rhs, tally, .. }, take } = self;
        pairs::complex::<T>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), take, tally);
    }

    fn boolean(self) {
        let Self { chunk: Chunk { lhs, rhs, equal, tally }, take } = self;
        if equal || take == Take::Sums {
            tally.advance_equal(lhs.len() as u64);
        } else {
            pairs::booleans::<Bool>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), tally);
        }
    }

    fn bytes(self) {
        // Elements of any length never come in chunks; see `super::strings`.
    }
}

struct Relative<'a> {
    lhs: &'a [u8],
    rhs: &'a [u8],
    tally: &'a mut Tally,
}

impl Visit for Relative<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let Self { lhs, rhs, tally } = self;
        counts::relative::<T>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), tally);
    }

    fn complex<T: ComplexNumber>(self) {
        let Self { lhs, rhs, tally } = self;
        pairs::complex_relative::<T>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), tally);
    }

    fn boolean(self) {
        // Truth values have no difference.
    }

    fn bytes(self) {
        // Nor have bytes.
    }
}
