//! Chunks of two tensors into a tally, on the CPU.
//!
//! [`pairs`] follows the definition element by element; [`lanes`] says the same sixteen elements at a time, for real
//! numbers of one type, which is nearly everything there is.

mod lanes;
mod pairs;

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

/// Takes a chunk of two fixed-width tensors into its tally.
pub(crate) fn compare(lhs: DType, rhs: DType, chunk: Chunk<'_>) {
    if lhs == rhs {
        lhs.visit(SameType(chunk));
    } else {
        pairs::mixed(lhs, rhs, chunk);
    }
}

/// Takes the sums of a chunk in, and nothing else.
pub(crate) fn sums(dtype: DType, chunk: Chunk<'_>) {
    dtype.visit(Sums(chunk));
}

struct Sums<'a>(Chunk<'a>);

impl Visit for Sums<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let Self(Chunk { lhs, rhs, tally, .. }) = self;
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice::<u8, T>(rhs));
        for (&x, &y) in lhs.iter().zip(rhs) {
            tally.push_sums(&pair(x, y));
        }
    }

    fn complex<T: ComplexNumber>(self) {}

    fn boolean(self) {
        self.0.tally.advance_equal(self.0.lhs.len() as u64);
    }

    fn bytes(self) {}
}

/// Takes finite pairs into what is relative to lhs, and nothing else.
pub(crate) fn relative(dtype: DType, lhs: &[u8], rhs: &[u8], tally: &mut Tally) {
    dtype.visit(Relative(lhs, rhs, tally));
}

struct Relative<'a>(&'a [u8], &'a [u8], &'a mut Tally);

impl Visit for Relative<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let (lhs, rhs) =
            (bytemuck::cast_slice::<u8, T>(self.0), bytemuck::cast_slice::<u8, T>(self.1));
        for (&x, &y) in lhs.iter().zip(rhs) {
            let pair = pair(x, y);
            if pair.is_finite() {
                self.2.relative(pair.gap, pair.size);
            }
        }
    }

    fn complex<T: ComplexNumber>(self) {}

    fn boolean(self) {}

    fn bytes(self) {}
}

struct SameType<'a>(Chunk<'a>);

impl Visit for SameType<'_> {
    type Out = ();

    fn number<T: Number>(self) {
        let Self(Chunk { lhs, rhs, equal, tally }) = self;
        let (lhs, rhs) = (bytemuck::cast_slice::<u8, T>(lhs), bytemuck::cast_slice(rhs));
        if tally.wants_every_pair() {
            pairs::numbers(lhs, rhs, tally);
        } else {
            lanes::numbers(lhs, rhs, equal, tally);
        }
    }

    fn complex<T: ComplexNumber>(self) {
        let Self(Chunk { lhs, rhs, tally, .. }) = self;
        pairs::complex::<T>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), tally);
    }

    fn boolean(self) {
        let Self(Chunk { lhs, rhs, equal, tally }) = self;
        if equal {
            tally.advance_equal(lhs.len() as u64);
        } else {
            pairs::booleans::<Bool>(bytemuck::cast_slice(lhs), bytemuck::cast_slice(rhs), tally);
        }
    }

    fn bytes(self) {
        // Elements of any length never come in chunks; see `super::strings`.
    }
}
