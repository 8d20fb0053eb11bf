//! Element by element, as defined.

use crate::compare::pair::Pair;
use crate::compare::tally::Tally;
use crate::tensor::{ComplexNumber, DType, Element, Number, Scalar};

/// Which statistics are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collect {
    Everything,
    Sums,
    /// Relative differences, without moving past the elements.
    Relative,
}

/// Adds real numbers of one type.
#[inline(never)]
pub(super) fn numbers<T: Number>(lhs: &[T], rhs: &[T], collect: Collect, tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        push(tally, collect, &Pair::real(x, y), || (x.scalar(), y.scalar()));
    }
}

/// Adds complex numbers of one type.
pub(super) fn complex<T: ComplexNumber>(lhs: &[T], rhs: &[T], collect: Collect, tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        push(tally, collect, &Pair::complex(x, y), || (x.scalar(), y.scalar()));
    }
}

#[inline(always)]
fn push(tally: &mut Tally, collect: Collect, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
    match collect {
        Collect::Everything => tally.push(pair, scalars),
        Collect::Sums => tally.push_sums(pair),
        Collect::Relative if pair.is_finite() => {
            tally.extremes.relative(pair.abs_diff, pair.lhs_magnitude);
        }
        Collect::Relative => {}
    }
}

/// Adds truth values.
pub(super) fn booleans<T: Element>(lhs: &[T], rhs: &[T], tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        tally.push_equality(x.differs(y));
    }
}

/// Adds numbers of two types.
pub(super) fn mixed(
    (lhs_dtype, lhs): (DType, &[u8]),
    (rhs_dtype, rhs): (DType, &[u8]),
    tally: &mut Tally,
) {
    for (x, y) in lhs_dtype.scalars(lhs).into_iter().zip(rhs_dtype.scalars(rhs)) {
        tally.push(&Pair::mixed(x, y), || (x, y));
    }
}
