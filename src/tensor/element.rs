//! The Rust type of each fixed-width [`DType`](super::DType), and the value of its bytes.

use std::fmt::Debug;
use std::ops::Add;

use super::encoding::Encoding;
use bytemuck::{Pod, Zeroable};

/// One element as stored: little-endian, without padding.
pub trait Element: Pod + Debug + Send + Sync {
    /// The value of the element, exactly.
    fn scalar(self) -> Scalar;

    /// Whether the bits of two elements are unequal. Types of less than a byte ignore the high bits.
    fn differs(self, other: Self) -> bool;

    /// The size of each number in the element, in bytes: half the element for complex types.
    const NUMBER_BYTES: usize = size_of::<Self>();
}

/// An element with an order and a difference: floats and integers.
pub trait Number: Element {
    /// The meaning of the bits, for code that reads them without this trait.
    const ENCODING: Encoding;

    /// Whether this is a floating type.
    const FLOAT: bool = matches!(Self::ENCODING, Encoding::Float(_));

    /// Whether squares and products of values can leave the range of `f64`.
    const WIDE: bool = false;

    /// Whether this is an integer of a byte or less.
    const IS_SMALL: bool = matches!(Self::ENCODING, Encoding::Integer { bits: ..=8, .. });

    /// The value of an integer of a byte or less; 0 for all others.
    #[inline(always)]
    fn small(self) -> i16 {
        0
    }

    /// Whether the bits, shifted to the left, are those of an IEEE float of 16 bits with the same value.
    const IS_HALF: bool = false;

    /// The bits of a float of 16 bits with the same value; 0 for types without.
    #[inline(always)]
    fn half_bits(self) -> u16 {
        0
    }

    /// The value: exact for floats, rounded once for integers of more than 53 bits.
    fn to_f64(self) -> f64;

    /// `|self - other|`: of the `f64` subtraction for floats, of the exact difference, rounded once, for integers.
    #[inline(always)]
    fn abs_diff(self, other: Self) -> f64 {
        (self.to_f64() - other.to_f64()).abs()
    }

    /// The type to compute in: this one, `f32` for narrow types, whose values it represents exactly, or `f64`, for values with
    /// no [`excess_bits`](Self::excess_bits).
    type Wide: Number;

    /// Bits that are not 0 if the type to compute in does not represent the value.
    #[inline(always)]
    fn excess_bits(self) -> u64 {
        0
    }

    /// The type to compute in where values have excess bits: this one. Of all other types, the only one to compute in, so that no
    /// code is generated twice.
    type Exact: Number;

    /// The same value, with the sign of a zero, in the type to compute in.
    fn widen(self) -> Self::Wide;

    /// Whether the value is a zero of either sign.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.to_f64() == 0.0
    }

    /// Whether two values have a distance in representable values.
    const HAS_ULPS: bool = Self::FLOAT;

    /// A distance in representable values, in the narrowest type that fits.
    type Ulps: Copy + Ord + Default + Into<u64> + TryFrom<u64>;

    /// Counts 2,048 elements at least. As narrow as an element if possible, so that a vector has as many counters as elements.
    type Count: Copy + Default + Add<Output = Self::Count> + From<bool> + Into<u64>;

    /// The distance of two finite floats in representable values; both zeros are one value.
    #[inline(always)]
    fn ulps(self, _other: Self) -> Self::Ulps {
        Self::Ulps::default()
    }
}

/// A complex element: two floats of one type.
pub trait ComplexNumber: Element {
    /// Whether squares and products of values can leave the range of `f64`.
    const WIDE: bool;

    /// The type of the real and imaginary parts.
    type Part: Number;

    /// The real and imaginary parts, widened exactly.
    fn parts(self) -> (f64, f64);
}

/// A computation that depends on the element type; see [`DType::visit`](super::DType::visit).
pub trait Visit {
    /// The result.
    type Out;
    /// Called for floats and integers.
    fn number<T: Number>(self) -> Self::Out;
    /// Called for complex numbers.
    fn complex<T: ComplexNumber>(self) -> Self::Out;
    /// Called for `bool`.
    fn boolean(self) -> Self::Out;
    /// Called for elements of variable length.
    fn bytes(self) -> Self::Out;
}

/// The value of one element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A float of any width, widened exactly.
    Float(f64),
    /// An integer of any width.
    Integer(i128),
    /// A boolean.
    Bool(bool),
    /// The real and imaginary parts, widened exactly.
    Complex(f64, f64),
}

/// A byte that is true if it is not zero.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct Bool(pub u8);

impl Element for Bool {
    fn scalar(self) -> Scalar {
        Scalar::Bool(self.0 != 0)
    }

    #[inline(always)]
    fn differs(self, other: Self) -> bool {
        self.0 != other.0
    }
}

macro_rules! complex {
    ($float:ty, $wide:literal, $name:ident) => {
        /// A complex number: two floats, the real part first.
        #[derive(Debug, Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            /// Real part.
            pub re: $float,
            /// Imaginary part.
            pub im: $float,
        }

        impl Element for $name {
            const NUMBER_BYTES: usize = size_of::<$float>();

            fn scalar(self) -> Scalar {
                Scalar::Complex(self.re.into(), self.im.into())
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                (self.re.to_bits() != other.re.to_bits())
                    | (self.im.to_bits() != other.im.to_bits())
            }
        }

        impl ComplexNumber for $name {
            type Part = $float;
            const WIDE: bool = $wide;

            #[inline(always)]
            fn parts(self) -> (f64, f64) {
                (self.re.into(), self.im.into())
            }
        }
    };
}
complex!(f32, false, Complex64);
complex!(f64, true, Complex128);
