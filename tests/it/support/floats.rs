//! Floats of any type as bits: neighbors, extreme values, and the float nearest to a number.

use ckdiff::tensor::{ComplexNumber, DType, Encoding, Layout, Number, Specials, Visit};

use crate::support::Random;

/// A floating-point type.
#[derive(Debug, Clone, Copy)]
pub struct Float {
    dtype: DType,
    layout: Layout,
}

impl Float {
    /// The floating-point type of `dtype`; `None` for other dtypes.
    pub fn of(dtype: DType) -> Option<Self> {
        match dtype.visit(Encodings)? {
            Encoding::Float(layout) => Some(Self { dtype, layout }),
            Encoding::Integer { .. } => None,
        }
    }

    /// All floating-point types.
    pub fn all() -> impl Iterator<Item = Self> {
        DType::ALL.iter().filter_map(|&dtype| Self::of(dtype))
    }

    pub fn dtype(self) -> DType {
        self.dtype
    }

    pub fn fraction_bits(self) -> u32 {
        self.layout.fraction_bits
    }

    fn sign(self) -> u64 {
        1 << (self.layout.bits() - 1)
    }

    /// The bits of the largest finite number.
    pub fn largest(self) -> u64 {
        match self.layout.specials {
            Specials::Ieee => self.sign() - 1 - (1 << self.layout.fraction_bits),
            Specials::AllOnes => self.sign() - 2,
            Specials::NegativeZero | Specials::None => self.sign() - 1,
        }
    }

    /// The value of these bits.
    pub fn value(self, bits: u64) -> f64 {
        self.dtype.visit(Value(bits))
    }

    pub fn negate(self, bits: u64) -> u64 {
        bits ^ self.sign()
    }

    /// The number nearest to `x` towards zero; the largest number if `x` is larger.
    pub fn nearest(self, x: f64) -> u64 {
        let (mut least, mut most) = (0, self.largest() + 1);
        while most - least > 1 {
            let middle = least + (most - least) / 2;
            if self.value(middle) <= x.abs() {
                least = middle;
            } else {
                most = middle;
            }
        }
        if x < 0.0 { self.negate(least) } else { least }
    }

    /// The bits `by` representable values above or below; beyond the largest number, the bits of infinities and NaNs follow.
    pub fn step(self, bits: u64, by: i64) -> u64 {
        let magnitude = (bits & (self.sign() - 1)).cast_signed();
        let key = if bits & self.sign() == 0 { magnitude } else { -magnitude };
        let most = (self.sign() - 1).cast_signed();
        let key = key.saturating_add(by).clamp(-most, most);
        key.unsigned_abs() | if key < 0 { self.sign() } else { 0 }
    }

    /// Random bits.
    pub fn random(self, random: &mut Random) -> u64 {
        random.next() & (2 * (self.sign() - 1) + 1)
    }

    /// A number of either sign, or sometimes random bits, which may be a NaN or infinite.
    pub fn any(self, random: &mut Random) -> u64 {
        if random.one_in(6) {
            return self.random(random);
        }
        let bits = self.positive(random);
        if random.one_in(2) { self.negate(bits) } else { bits }
    }

    /// A positive number or zero: ordinary, small, with few significant bits, or extreme.
    pub fn positive(self, random: &mut Random) -> u64 {
        let fraction = self.layout.fraction_bits;
        let exponents = self.largest() >> fraction;
        let bits = match random.below(7) {
            0 => self.nearest(random.below(1 << 30) as f64 / f64::from(1 << 27)),
            1 => self.nearest(random.below(1 << 8) as f64 / 16.0),
            2 => random.below(1 << fraction),
            3 => random.below(4),
            4 => self.largest() - random.below(4),
            // A power of two, or one of its neighbors.
            5 => (random.below(exponents + 1) << fraction)
                .saturating_add(random.below(3))
                .saturating_sub(1),
            _ => random.next() & (self.sign() - 1),
        };
        bits.min(self.largest())
    }

    /// Appends the element to `out`.
    pub fn write(self, out: &mut Vec<u8>, bits: u64) {
        out.extend(&bits.to_le_bytes()[..self.dtype.size().unwrap()]);
    }
}

struct Encodings;

impl Visit for Encodings {
    type Out = Option<Encoding>;

    fn number<T: Number>(self) -> Self::Out {
        Some(T::ENCODING)
    }

    fn complex<T: ComplexNumber>(self) -> Self::Out {
        None
    }

    fn boolean(self) -> Self::Out {
        None
    }

    fn bytes(self) -> Self::Out {
        None
    }
}

/// The value of an element with these bits.
struct Value(u64);

impl Visit for Value {
    type Out = f64;

    fn number<T: Number>(self) -> f64 {
        bytemuck::pod_read_unaligned::<T>(&self.0.to_le_bytes()[..size_of::<T>()]).to_f64()
    }

    fn complex<T: ComplexNumber>(self) -> f64 {
        f64::NAN
    }

    fn boolean(self) -> f64 {
        f64::NAN
    }

    fn bytes(self) -> f64 {
        f64::NAN
    }
}
