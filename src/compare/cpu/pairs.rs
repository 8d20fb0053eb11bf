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

/// The pairs of two slices.
pub(super) fn of<'a, T: Copy>((lhs, rhs): (&'a [T], &'a [T])) -> impl Iterator<Item = (T, T)> + 'a {
    lhs.iter().copied().zip(rhs.iter().copied())
}

/// Adds real numbers of one type; `scalars` returns the values of the pair at an index.
#[inline(never)]
pub(super) fn numbers<T: Number>(
    sides: (&[T], &[T]),
    collect: Collect,
    tally: &mut Tally,
    scalars: impl Fn(usize) -> (Scalar, Scalar),
) {
    for ((x, y), index) in of(sides).zip(0..) {
        push(tally, collect, &Pair::real(x, y), || scalars(index));
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

/// The element at an index of a side.
pub(super) fn scalar((dtype, bytes): (DType, &[u8]), index: usize) -> Scalar {
    let size = dtype.size().unwrap_or(1);
    let element = bytes.get(index * size..(index + 1) * size).unwrap_or_default();
    dtype.scalars(element).pop().unwrap_or(Scalar::Integer(0))
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
