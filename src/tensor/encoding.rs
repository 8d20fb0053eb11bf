//! The meaning of a number's bits.
//!
//! ```text
//! float: sign: 1 bit, exponent, mantissa; the value of a nonzero exponent e is 2^(e - bias) * 1.mantissa
//! integer: two's complement in the low bits
//! ```

/// The meaning of a number's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Sign, exponent and mantissa.
    Float(Layout),
    /// An integer in the low `bits`; a signed one in two's complement.
    Integer {
        /// The number of bits.
        bits: u32,
        /// Whether the integer can be negative.
        signed: bool,
    },
}

/// The bit layout of a floating type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bits of the exponent.
    pub exponent_bits: u32,
    /// Bits of the mantissa, without the implicit one.
    pub mantissa_bits: u32,
    /// The bias of the stored exponent.
    pub bias: i32,
    /// The bit patterns that are not finite numbers.
    pub specials: Specials,
}

/// The bit patterns that are not finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specials {
    /// The largest exponent is that of infinities and NaN.
    Ieee,
    /// All ones is NaN; there are no infinities.
    AllOnes,
    /// Negative zero is NaN; there are no infinities.
    NegativeZero,
    /// Every pattern is a finite number.
    None,
}

impl Layout {
    pub(crate) const fn ieee(exponent_bits: u32, mantissa_bits: u32) -> Self {
        let bias = (1 << (exponent_bits - 1)) - 1;
        Self { exponent_bits, mantissa_bits, bias, specials: Specials::Ieee }
    }

    pub(crate) const fn finite(exponent_bits: u32, mantissa_bits: u32) -> Self {
        Self { specials: Specials::AllOnes, ..Self::ieee(exponent_bits, mantissa_bits) }
    }

    pub(crate) const fn all_finite(exponent_bits: u32, mantissa_bits: u32) -> Self {
        Self { specials: Specials::None, ..Self::ieee(exponent_bits, mantissa_bits) }
    }

    pub(crate) const fn unsigned_zero(exponent_bits: u32, mantissa_bits: u32, bias: i32) -> Self {
        Self { exponent_bits, mantissa_bits, bias, specials: Specials::NegativeZero }
    }

    /// The number of bits, with the sign.
    pub const fn bits(self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }
}
