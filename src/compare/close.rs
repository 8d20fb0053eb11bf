//! The definition: when two elements are close.
//!
//! Everything else in this room is a faster way to say the same, and is tested against this file.
//!
//! 1. Equal bits are equal, but for NaN under [`NanPolicy::Differ`].
//! 2. `atol`, `rtol` (0 where another tolerance is given alone): `|rhs - lhs| <= atol + rtol * |lhs|` in `f64`, each operation rounded, none fused. Infinities are
//!    close only to themselves, NaN to NaN as the policy says, both zeros to each other.
//! 3. `ulp`: both finite, and no more representable values apart than that.

use super::{NanPolicy, Tolerance};

/// An element widened to `f64`; `im` is 0 of real ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Value {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Value {
    pub(crate) fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    pub(crate) fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    /// Whether a component is infinite and none is NaN.
    pub(crate) fn is_infinite(self) -> bool {
        !self.is_nan() && !self.is_finite()
    }

    pub(crate) fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// The magnitude, scaled by the exponent of the larger component so that no square leaves the range of `f64`.
    pub(crate) fn abs(self) -> f64 {
        let (re, im) = (self.re.abs(), self.im.abs());
        if self.is_nan() {
            return f64::NAN;
        }
        let larger = re.max(im);
        if im == 0.0 || larger == 0.0 || !larger.is_finite() {
            return larger;
        }
        // Two steps down and up, because 2^1074 is no f64.
        let exponent = exponent(larger);
        let (half, rest) = (power_of_two(exponent / 2), power_of_two(exponent - exponent / 2));
        let (re, im) = (re / half / rest, im / half / rest);
        (re * re + im * im).sqrt() * half * rest
    }
}

/// The `e` of a positive finite number in `2^e <= x < 2^(e + 1)`.
pub(crate) fn exponent(x: f64) -> i32 {
    let biased = i32::from((x.to_bits() >> 52) as u16 & 0x7ff);
    if biased > 0 { biased - 1023 } else { -1011 - x.to_bits().leading_zeros().cast_signed() }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).cast_unsigned() as u64) << 52)
}

/// A pair of elements, as the definition sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    /// Whether the bits are unequal (the values, where the dtypes differ).
    pub(crate) differs: bool,
    pub(crate) lhs: Value,
    pub(crate) rhs: Value,
    /// `|rhs - lhs|`, where both are finite.
    pub(crate) gap: f64,
    /// `|lhs|`.
    pub(crate) size: f64,
    /// Representable values between the two; `None` where the dtype has no ulp or one is not finite.
    pub(crate) ulps: Option<u64>,
}

impl Pair {
    pub(crate) fn is_finite(&self) -> bool {
        self.lhs.is_finite() && self.rhs.is_finite()
    }

    pub(crate) fn both_nan(&self) -> bool {
        self.lhs.is_nan() && self.rhs.is_nan()
    }
}

/// A tolerance with its NaN policy: what decides over a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// `atol` and `rtol`; `None` without any tolerance, when values compare by bits.
    pub(crate) absolute: Option<(f64, f64)>,
    pub(crate) ulp: Option<u64>,
    pub(crate) nan: NanPolicy,
}

impl Rule {
    pub(crate) fn new(tolerance: &Tolerance, nan: NanPolicy) -> Self {
        // Of the two zeros the positive one, whose bits order as numbers do.
        let part = |part: Option<f64>| part.unwrap_or_default() + 0.0;
        let absolute = (!tolerance.is_bits()).then(|| (part(tolerance.atol), part(tolerance.rtol)));
        Self { absolute, ulp: tolerance.ulp, nan }
    }

    /// The rule with the largest tolerance there is: what it does not call close, none does.
    pub(crate) fn any(nan: NanPolicy) -> Self {
        Self { absolute: Some((f64::MAX, 0.0)), ulp: None, nan }
    }

    /// Whether the pair is close.
    pub(crate) fn is_close(&self, pair: &Pair) -> bool {
        if !pair.differs {
            return !(pair.lhs.is_nan() && self.nan == NanPolicy::Differ);
        }
        let Some((atol, rtol)) = self.absolute else {
            return false;
        };
        if pair.both_nan() {
            return self.nan == NanPolicy::Equal;
        }
        if !pair.is_finite() {
            return pair.lhs == pair.rhs;
        }
        pair.gap <= atol + rtol * pair.size
            || self.ulp.is_some_and(|most| pair.ulps.is_some_and(|ulps| ulps <= most))
    }
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
