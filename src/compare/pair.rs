//! A pair of elements, as the definition of closeness sees it.

use crate::tensor::{ComplexNumber, DType, Number, Scalar, power_of_two};

/// An element widened to `f64`; the imaginary part of a real number is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Value {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Value {
    #[inline(always)]
    pub(super) fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    #[inline(always)]
    pub(super) fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    /// Whether a component is infinite and none is NaN.
    #[inline(always)]
    pub(super) fn is_infinite(self) -> bool {
        !self.is_nan() && !self.is_finite()
    }

    #[inline(always)]
    pub(super) fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// The magnitude, computed with both components scaled so that no square leaves the range of `f64`.
    pub(super) fn abs(self) -> f64 {
        let (re, im) = (self.re.abs(), self.im.abs());
        if self.is_nan() {
            return f64::NAN;
        }
        let larger = re.max(im);
        if im == 0.0 || larger == 0.0 || !larger.is_finite() {
            return larger;
        }
        // The scale is applied in two steps, because 2^1074 is not an f64.
        let exponent = exponent(larger);
        let (half, rest) = (power_of_two(exponent / 2), power_of_two(exponent - exponent / 2));
        let (re, im) = (re / half / rest, im / half / rest);
        (re * re + im * im).sqrt() * half * rest
    }
}

/// The exponent of a positive finite number: the `e` in `2^e <= x < 2^(e + 1)`.
pub(super) fn exponent(x: f64) -> i32 {
    let biased = i32::from((x.to_bits() >> 52) as u16 & 0x7ff);
    if biased > 0 { biased - 1023 } else { -1011 - x.to_bits().leading_zeros().cast_signed() }
}

/// A pair of elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// Whether the bits are unequal (the values, where the dtypes differ).
    pub(super) differs: bool,
    pub(super) lhs: Value,
    pub(super) rhs: Value,
    /// `rhs - lhs` by component; of real numbers the magnitude.
    pub(super) diff: Value,
    /// `|rhs - lhs|`, where both are finite.
    pub(super) abs_diff: f64,
    /// `|lhs|`.
    pub(super) lhs_magnitude: f64,
    /// The distance in representable values (ulps); `None` where the dtype has no ulp or one is not finite.
    pub(super) ulps: Option<u64>,
}

impl Pair {
    /// A pair of real numbers of one type.
    #[inline(always)]
    pub(super) fn real<T: Number>(lhs: T, rhs: T) -> Self {
        let (x, y) = (lhs.to_f64(), rhs.to_f64());
        let finite = x.is_finite() && y.is_finite();
        let abs_diff = rhs.abs_diff(lhs);
        Self {
            differs: lhs.differs(rhs),
            lhs: Value::real(x),
            rhs: Value::real(y),
            diff: Value::real(abs_diff),
            abs_diff,
            lhs_magnitude: x.abs(),
            ulps: (T::HAS_ULPS && finite).then(|| lhs.ulps(rhs).into()),
        }
    }

    /// A pair of complex numbers of one type.
    #[inline(always)]
    pub(super) fn complex<T: ComplexNumber>(lhs: T, rhs: T) -> Self {
        Self::of_parts(lhs.parts(), rhs.parts(), lhs.differs(rhs))
    }

    /// A pair of elements that are only equal or not.
    pub(super) fn equality(differs: bool) -> Self {
        let zero = Value::real(0.0);
        let (abs_diff, lhs_magnitude) = (0.0, 0.0);
        Self { differs, lhs: zero, rhs: zero, diff: zero, abs_diff, lhs_magnitude, ulps: None }
    }

    /// A pair of numbers of two types: integers by their exact difference, all others as `f64`.
    pub(super) fn mixed(lhs: Scalar, rhs: Scalar) -> Self {
        if let (Some(a), Some(b)) = (integer(lhs), integer(rhs)) {
            let (lhs, rhs, abs_diff) = (a as f64, b as f64, a.abs_diff(b) as f64);
            return Self {
                differs: a != b,
                lhs: Value::real(lhs),
                rhs: Value::real(rhs),
                diff: Value::real(abs_diff),
                abs_diff,
                lhs_magnitude: lhs.abs(),
                ulps: None,
            };
        }
        let pair = Self::of_parts(parts(lhs), parts(rhs), false);
        let differs = !pair.both_nan() && pair.lhs != pair.rhs;
        Self { differs, ..pair }
    }

    #[inline(always)]
    pub(super) fn of_parts(lhs: (f64, f64), rhs: (f64, f64), differs: bool) -> Self {
        let (lhs, rhs) = (Value { re: lhs.0, im: lhs.1 }, Value { re: rhs.0, im: rhs.1 });
        let diff = Value { re: rhs.re - lhs.re, im: rhs.im - lhs.im };
        let (abs_diff, lhs_magnitude) = (diff.abs(), lhs.abs());
        Self { differs, lhs, rhs, diff, abs_diff, lhs_magnitude, ulps: None }
    }

    #[inline(always)]
    pub(super) fn is_finite(&self) -> bool {
        self.lhs.is_finite() && self.rhs.is_finite()
    }

    /// Whether elements that differ are equal except for the sign of a zero.
    #[inline(always)]
    pub(super) fn is_zero_sign(&self) -> bool {
        // Large integers can be equal as `f64` without being equal, and infinite components have no difference.
        self.abs_diff == 0.0 || !self.is_finite() && self.lhs == self.rhs
    }

    #[inline(always)]
    pub(super) fn both_nan(&self) -> bool {
        self.lhs.is_nan() && self.rhs.is_nan()
    }
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

/// The elements at `index` of two chunks of one dtype; zeros beyond their end.
pub(super) fn scalars(dtype: DType, lhs: &[u8], rhs: &[u8], index: usize) -> (Scalar, Scalar) {
    let size = dtype.size().unwrap_or(1);
    let one = |bytes: &[u8]| {
        let element = bytes.get(index * size..(index + 1) * size).unwrap_or_default();
        dtype.scalars(element).pop().unwrap_or(Scalar::Integer(0))
    };
    (one(lhs), one(rhs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_is_that_of_the_leading_bit() {
        for (x, e) in [(1.0, 0), (1.5, 0), (0.5, -1), (5e-324, -1074), (1e-310, -1030)] {
            assert_eq!(exponent(x), e, "{x}");
        }
        assert_eq!(exponent(f64::MAX), 1023);
        assert_eq!(exponent(f64::MIN_POSITIVE), -1022);
    }

    #[test]
    fn magnitudes_of_extreme_components_are_right() {
        let abs = |re, im| Value { re, im }.abs();
        for ((re, im), expected) in [
            ((3.0 * 2f64.powi(700), 4.0 * 2f64.powi(700)), 5.0 * 2f64.powi(700)),
            ((3.0 * 2f64.powi(-600), 4.0 * 2f64.powi(-600)), 5.0 * 2f64.powi(-600)),
            ((0.0, -5e-324), 5e-324),
            ((5e-324, 5e-324), 5e-324),
            ((f64::MAX, 0.0), f64::MAX),
            ((f64::MAX, f64::MAX), f64::INFINITY),
            ((f64::NEG_INFINITY, 1.0), f64::INFINITY),
        ] {
            assert_eq!(abs(re, im).to_bits(), expected.to_bits(), "{re} {im}");
        }
        assert!(abs(0.0, f64::NAN).is_nan());
    }
}
