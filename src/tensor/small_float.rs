//! Floats of 16 bits or less as `f32`, which represents them exactly.
//!
//! Source of the special values: the OCP 8-bit and micro-scaling formats, and the `fnuz` variants of IEEE P3109.

use super::encoding::{Layout, Specials};

/// Bits of the fraction of an `f32`.
const FRACTION: u32 = 23;
/// The exponent of an `f32` that is not finite.
const NOT_FINITE: u32 = 0xff << FRACTION;

impl Layout {
    const fn sign_bit(self) -> u32 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The value of some bits; those above the sign are ignored.
    ///
    /// It takes a few operations that vectorize. A subnormal is the difference of two normal numbers, because a subnormal `f32`
    /// as an operand would cost some processors a hundred cycles.
    #[inline(always)]
    pub(super) fn widen(self, bits: u32) -> f32 {
        let sign_bit = self.sign_bit();
        let magnitude = (bits & (sign_bit - 1)) << (FRACTION - self.fraction_bits);
        let rebase = (127 - self.bias).cast_unsigned() << FRACTION;
        let smallest_normal = rebase + (1 << FRACTION);
        let subnormal =
            f32::from_bits(magnitude + smallest_normal) - f32::from_bits(smallest_normal);
        let normal = f32::from_bits(magnitude + rebase);
        let finite = if magnitude < 1 << FRACTION { subnormal } else { normal };
        let value = match self.specials {
            Specials::Ieee => {
                let largest = ((1 << self.exponent_bits) - 1) << FRACTION;
                if magnitude >= largest { f32::from_bits(magnitude | NOT_FINITE) } else { finite }
            }
            Specials::AllOnes => {
                let ones = (sign_bit - 1) << (FRACTION - self.fraction_bits);
                if magnitude == ones { f32::NAN } else { finite }
            }
            Specials::NegativeZero => {
                let is_nan = bits & (2 * sign_bit - 1) == sign_bit;
                if is_nan { f32::NAN } else { finite }
            }
            Specials::None => finite,
        };
        let sign = (bits & sign_bit) << (31 - sign_bit.ilog2());
        f32::from_bits(value.to_bits() | sign)
    }

    /// Whether a value of a type of a byte or less is a zero of either sign.
    #[inline(always)]
    pub(super) fn is_zero(self, byte: u8) -> bool {
        let sign_bit = 1u8 << (self.exponent_bits + self.fraction_bits);
        let is_nan = matches!(self.specials, Specials::NegativeZero) & (byte & sign_bit != 0);
        (byte & (sign_bit - 1) == 0) & !is_nan
    }

    /// The distance of two finite values in representable ones, for types of a byte or less; both zeros are one value.
    #[inline(always)]
    pub(super) fn small_ulps(self, lhs: u8, rhs: u8) -> u8 {
        let key = |byte: u8| {
            let sign_bit = 1u8 << (self.exponent_bits + self.fraction_bits);
            let magnitude = (byte & (sign_bit - 1)).cast_signed();
            if byte & sign_bit == 0 { magnitude } else { -magnitude }
        };
        key(lhs).abs_diff(key(rhs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of some bits, from its definition.
    fn decode(layout: Layout, bits: u32) -> f64 {
        let sign_bit = layout.sign_bit();
        let (is_negative, magnitude) = (bits & sign_bit != 0, bits & (sign_bit - 1));
        let fraction = magnitude & ((1 << layout.fraction_bits) - 1);
        let exponent = magnitude >> layout.fraction_bits;
        let is_largest = exponent == (1 << layout.exponent_bits) - 1;
        let sign = if is_negative { -1.0 } else { 1.0 };
        match layout.specials {
            Specials::Ieee if is_largest && fraction != 0 => return f64::NAN,
            Specials::Ieee if is_largest => return sign * f64::INFINITY,
            Specials::AllOnes if magnitude == sign_bit - 1 => return f64::NAN,
            Specials::NegativeZero if is_negative && magnitude == 0 => return f64::NAN,
            _ => {}
        }
        let significand = f64::from(fraction) / f64::from(1 << layout.fraction_bits);
        let implicit = if exponent == 0 { 0.0 } else { 1.0 };
        let power = exponent.max(1).cast_signed() - layout.bias;
        sign * (implicit + significand) * f64::from(power).exp2()
    }

    #[test]
    fn every_value_is_widened_exactly() {
        for (layout, bits) in [
            (Layout::ieee(5, 10), 16),
            (Layout::ieee(8, 7), 16),
            (Layout::ieee(5, 2), 8),
            (Layout::finite(4, 3), 8),
            (Layout::unsigned_zero(4, 3, 8), 8),
            (Layout::unsigned_zero(4, 3, 11), 8),
            (Layout::unsigned_zero(5, 2, 16), 8),
            (Layout::all_finite(2, 1), 4),
        ] {
            for pattern in 0..1u32 << bits {
                let (wide, expected) = (f64::from(layout.widen(pattern)), decode(layout, pattern));
                let same =
                    wide.to_bits() == expected.to_bits() || wide.is_nan() && expected.is_nan();
                assert!(same, "{layout:?} {pattern:#x}: {wide} {expected}");
                if let Ok(byte) = u8::try_from(pattern) {
                    assert!(bits > 8 || layout.is_zero(byte) == (expected == 0.0), "{pattern:#x}");
                }
            }
        }
    }
}
