//! The meaning of a number's bits.
//!
//! ```text
//! float: sign: 1 bit, exponent, fraction; the value of a nonzero exponent e is 2^(e - bias) * 1.fraction
//! integer: two's complement in the low bits
//! ```

/// The meaning of a number's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Sign, exponent and fraction.
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
    /// Bits of the fraction: the significand without the implicit one.
    pub fraction_bits: u32,
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
    pub(crate) const F32: Self = Self::ieee(8, 23);
    pub(crate) const F64: Self = Self::ieee(11, 52);

    pub(crate) const fn ieee(exponent_bits: u32, fraction_bits: u32) -> Self {
        let bias = (1 << (exponent_bits - 1)) - 1;
        Self { exponent_bits, fraction_bits, bias, specials: Specials::Ieee }
    }

    pub(crate) const fn finite(exponent_bits: u32, fraction_bits: u32) -> Self {
        Self { specials: Specials::AllOnes, ..Self::ieee(exponent_bits, fraction_bits) }
    }

    pub(crate) const fn all_finite(exponent_bits: u32, fraction_bits: u32) -> Self {
        Self { specials: Specials::None, ..Self::ieee(exponent_bits, fraction_bits) }
    }

    pub(crate) const fn unsigned_zero(exponent_bits: u32, fraction_bits: u32, bias: i32) -> Self {
        Self { exponent_bits, fraction_bits, bias, specials: Specials::NegativeZero }
    }

    /// The value of the type that is nearest to `x`, on a tie the one with an even bit pattern; `None` if `x` is out of range or
    /// not finite.
    pub(crate) fn round(self, x: f64) -> Option<f64> {
        let stored =
            (x.to_bits() >> Self::F64.fraction_bits) & ((1 << Self::F64.exponent_bits) - 1);
        let exponent = i32::try_from(stored).ok()? - Self::F64.bias;
        let smallest = 1 - self.bias;
        let unit = power_of_two(exponent.max(smallest) - self.fraction_bits.cast_signed());
        let rounded = (x / unit).round_ties_even() * unit;
        (rounded.abs() <= self.largest()).then_some(rounded)
    }

    /// The largest finite value.
    fn largest(self) -> f64 {
        let exponents = 1 << self.exponent_bits;
        let (exponent, unused) = match self.specials {
            Specials::Ieee => (exponents - 2, 1.0),
            Specials::AllOnes => (exponents - 1, 2.0),
            Specials::NegativeZero | Specials::None => (exponents - 1, 1.0),
        };
        let significand = 2.0 - unused * power_of_two(-self.fraction_bits.cast_signed());
        significand * power_of_two(exponent - self.bias)
    }

    /// The number of bits, with the sign.
    pub const fn bits(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits
    }
}

/// 2 to the power `exponent`, which must be the exponent of a normal `f64`.
#[inline]
pub(crate) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).cast_unsigned() as u64) << 52)
}
