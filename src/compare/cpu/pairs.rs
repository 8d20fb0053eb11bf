//! Element by element, as the definition says.

use crate::tensor::{ComplexNumber, DType, Element, Number, Scalar};

use super::super::close::{Pair, Value};
use super::super::tally::Tally;
use super::{Chunk, Take};

/// A pair of real numbers of one type.
#[inline(always)]
pub(crate) fn pair<T: Number>(lhs: T, rhs: T) -> Pair {
    let (x, y) = (lhs.to_f64(), rhs.to_f64());
    let finite = x.is_finite() && y.is_finite();
    Pair {
        differs: lhs.differs(rhs),
        lhs: Value::real(x),
        rhs: Value::real(y),
        gap: rhs.minus(lhs).abs(),
        size: x.abs(),
        ulps: (T::FLOAT && finite).then(|| lhs.ulps(rhs).into()),
    }
}

/// Takes real numbers of one type in.
#[inline(never)]
pub(super) fn numbers<T: Number>(lhs: &[T], rhs: &[T], take: Take, tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        push(tally, take, &pair(x, y), || (x.scalar(), y.scalar()));
    }
}

/// Takes complex numbers of one type in.
pub(super) fn complex<T: ComplexNumber>(lhs: &[T], rhs: &[T], take: Take, tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        let pair = complex_pair(x.parts(), y.parts(), x.differs(y));
        push(tally, take, &pair, || (x.scalar(), y.scalar()));
    }
}

#[inline(always)]
fn push(tally: &mut Tally, take: Take, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
    match take {
        Take::Everything => tally.push(pair, scalars),
        Take::Sums => tally.push_sums(pair),
    }
}

/// Takes the finite pairs of real numbers into what is relative to lhs.
#[inline(never)]
pub(super) fn relative<T: Number>(lhs: &[T], rhs: &[T], tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        push_relative(tally, &pair(x, y));
    }
}

/// Takes the finite pairs of complex numbers into what is relative to lhs.
pub(super) fn complex_relative<T: ComplexNumber>(lhs: &[T], rhs: &[T], tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        push_relative(tally, &complex_pair(x.parts(), y.parts(), x.differs(y)));
    }
}

fn push_relative(tally: &mut Tally, pair: &Pair) {
    if pair.is_finite() {
        tally.relative(pair.gap, pair.size);
    }
}

pub(crate) fn complex_pair(x: (f64, f64), y: (f64, f64), differs: bool) -> Pair {
    let (lhs, rhs) = (Value { re: x.0, im: x.1 }, Value { re: y.0, im: y.1 });
    let gap = Value { re: rhs.re - lhs.re, im: rhs.im - lhs.im }.abs();
    Pair { differs, lhs, rhs, gap, size: lhs.abs(), ulps: None }
}

/// A pair of which equality is all there is.
pub(crate) fn equality(differs: bool) -> Pair {
    let zero = Value::real(0.0);
    Pair { differs, lhs: zero, rhs: zero, gap: 0.0, size: 0.0, ulps: None }
}

/// Takes truth values in.
pub(super) fn booleans<T: Element>(lhs: &[T], rhs: &[T], tally: &mut Tally) {
    for (&x, &y) in lhs.iter().zip(rhs) {
        tally.push_equality(x.differs(y));
    }
}

/// Takes numbers of two types in: integers by their exact difference, all else as `f64`.
pub(super) fn mixed(lhs: DType, rhs: DType, chunk: Chunk<'_>) {
    let (xs, ys) = (lhs.scalars(chunk.lhs), rhs.scalars(chunk.rhs));
    for (x, y) in xs.into_iter().zip(ys) {
        chunk.tally.push(&mixed_pair(x, y), || (x, y));
    }
}

fn mixed_pair(x: Scalar, y: Scalar) -> Pair {
    if let (Some(a), Some(b)) = (integer(x), integer(y)) {
        let (lhs, rhs) = (a as f64, b as f64);
        return Pair {
            differs: a != b,
            lhs: Value::real(lhs),
            rhs: Value::real(rhs),
            gap: a.abs_diff(b) as f64,
            size: lhs.abs(),
            ulps: None,
        };
    }
    let (x, y) = (parts(x), parts(y));
    let pair = complex_pair(x, y, false);
    let differs = !pair.both_nan() && pair.lhs != pair.rhs;
    Pair { differs, ..pair }
}

fn integer(scalar: Scalar) -> Option<i128> {
    match scalar {
        Scalar::Integer(n) => Some(n),
        Scalar::Bool(b) => Some(b.into()),
        Scalar::Float(_) | Scalar::Complex(..) => None,
    }
}

fn parts(scalar: Scalar) -> (f64, f64) {
    match scalar {
        Scalar::Float(x) => (x, 0.0),
        Scalar::Integer(n) => (n as f64, 0.0),
        Scalar::Bool(b) => (b.into(), 0.0),
        Scalar::Complex(re, im) => (re, im),
    }
}

/// The elements at one place of two chunks of one type; zeros beyond their end.
pub(crate) fn scalars(dtype: DType, lhs: &[u8], rhs: &[u8], place: usize) -> (Scalar, Scalar) {
    let size = dtype.size().unwrap_or(1);
    let one = |bytes: &[u8]| {
        let element = bytes.get(place * size..(place + 1) * size).unwrap_or_default();
        let scalar = dtype.scalars(element).pop();
        scalar.unwrap_or(Scalar::Integer(0))
    };
    (one(lhs), one(rhs))
}
