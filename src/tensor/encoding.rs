//! What the bits of a number mean.
//!
//! ```text
//! float: sign: 1 bit, exponent, mantissa; the value of a nonzero exponent e is 2^(e - bias) * 1.mantissa
//! integer: two's complement in the low bits
//! ```

/// What the bits of a number mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Sign, exponent and mantissa.
    Float(Layout),
    /// An integer in the low `bits`, in two's complement where it is signed.
    Integer {
        /// Bits that count.
        bits: u32,
        /// Whether it can be negative.
        signed: bool,
    },
}

/// How a float spells its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bits of the exponent.
    pub exponent_bits: u32,
    /// Bits of the mantissa, without the one that is not stored.
    pub mantissa_bits: u32,
    /// What is subtracted from the stored exponent.
    pub bias: i32,
    /// Which bit patterns are not finite numbers.
    pub specials: Specials,
}

/// Which bit patterns are not finite numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specials {
    /// The largest exponent holds infinities and NaN.
    Ieee,
    /// All ones is NaN; there is no infinity.
    AllOnes,
    /// Only negative zero is NaN; there is no infinity.
    NegativeZero,
    /// Every pattern is a number.
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

    /// Bits that count, the sign among them.
    pub const fn bits(self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }
}
