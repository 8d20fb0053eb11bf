//! Tables of all values of floats of a byte or less.
//!
//! Source of the special values: the OCP 8-bit and micro-scaling formats, and the `fnuz` variants of IEEE P3109.

use super::encoding::{Layout, Specials};

impl Layout {
    const fn sign_bit(self) -> u32 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    const fn decode(self, byte: u32) -> f32 {
        let negative = byte & self.sign_bit() != 0;
        let magnitude = byte & (self.sign_bit() - 1);
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        let exponent = magnitude >> self.fraction_bits;
        match self.specials {
            Specials::Ieee if exponent == (1 << self.exponent_bits) - 1 => {
                if fraction != 0 {
                    return f32::NAN;
                }
                return if negative { f32::NEG_INFINITY } else { f32::INFINITY };
            }
            Specials::AllOnes if magnitude == self.sign_bit() - 1 => return f32::NAN,
            Specials::NegativeZero if negative && magnitude == 0 => return f32::NAN,
            _ => {}
        }
        let (significand, exponent) = if exponent == 0 {
            (fraction, 1)
        } else {
            (fraction | 1 << self.fraction_bits, exponent)
        };
        let value = significand as f32
            * power_of_two(exponent as i32 - self.bias - self.fraction_bits as i32);
        if negative { -value } else { value }
    }

    #[inline(always)]
    pub(super) const fn order_key(self, byte: u32) -> i32 {
        let magnitude = (byte & (self.sign_bit() - 1)).cast_signed();
        if byte & self.sign_bit() != 0 { -magnitude } else { magnitude }
    }
}

/// 2 to the power `exponent`, which must be the exponent of a normal `f32`.
const fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits((exponent + 127).cast_unsigned() << 23)
}

/// The value of every byte; bits above the sign are ignored.
#[expect(
    clippy::indexing_slicing,
    reason = "a const fn has no iterators, and the loop bounds the index"
)]
pub(crate) const fn values(layout: Layout) -> [f32; 256] {
    let mut table = [0.0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte as usize] = layout.decode(byte);
        byte += 1;
    }
    table
}
