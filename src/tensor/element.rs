//! The Rust type of each fixed-width [`DType`](super::DType), and the value of its bytes.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

use super::encoding::{Encoding, Layout};
use super::float8;

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

    /// The value: exact for floats, rounded once for integers of more than 53 bits.
    fn to_f64(self) -> f64;

    /// `self - other`: the `f64` subtraction for floats, the exact difference rounded once for integers.
    #[inline(always)]
    fn minus(self, other: Self) -> f64 {
        self.to_f64() - other.to_f64()
    }

    /// The type to compute in: this one, or `f32` for narrow types, whose values it represents exactly.
    type Wide: Number;

    /// The same value, with the sign of a zero, in the type to compute in.
    fn widen(self) -> Self::Wide;

    /// Whether the value is a zero of either sign.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.to_f64() == 0.0
    }

    /// A distance in representable values, in the narrowest type that fits.
    type Ulps: Copy + Ord + Default + Into<u64> + TryFrom<u64>;

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

/// Integers; `$minus` is the exact difference, rounded once.
macro_rules! integers {
    ($($int:ty => $wide:ty: $minus:expr;)*) => {$(
        impl Element for $int {
            fn scalar(self) -> Scalar {
                Scalar::Integer(self.into())
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                self != other
            }
        }

        impl Number for $int {
            const ENCODING: Encoding =
                Encoding::Integer { bits: <$int>::BITS, signed: <$int>::MIN != 0 };
            type Ulps = u32;
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                self.into()
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                self == 0
            }

            #[inline(always)]
            fn minus(self, other: Self) -> f64 {
                $minus(self, other)
            }
        }
    )*};
}
integers! {
    i8 => f32: |x, y| f64::from(x) - f64::from(y);
    u8 => f32: |x, y| f64::from(x) - f64::from(y);
    i16 => f32: |x, y| f64::from(x) - f64::from(y);
    u16 => f32: |x, y| f64::from(x) - f64::from(y);
    i32 => i32: |x, y| f64::from(x) - f64::from(y);
    u32 => u32: |x, y| f64::from(x) - f64::from(y);
    i64 => i64: |x: i64, y: i64| if x < y { -(x.abs_diff(y) as f64) } else { x.abs_diff(y) as f64 };
    u64 => u64: |x: u64, y: u64| if x < y { -(x.abs_diff(y) as f64) } else { x.abs_diff(y) as f64 };
}

/// Integers of less than a byte, in the low bits of a byte.
macro_rules! small_integers {
    ($($name:ident: $bits:literal, $signed:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u8);

        impl $name {
            #[inline(always)]
            fn value(self) -> i8 {
                let high = self.0 << (8 - $bits);
                if $signed { high.cast_signed() >> (8 - $bits) } else { (high >> (8 - $bits)).cast_signed() }
            }
        }

        impl Element for $name {
            fn scalar(self) -> Scalar {
                Scalar::Integer(self.value().into())
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                self.value() != other.value()
            }
        }

        impl Number for $name {
            const ENCODING: Encoding = Encoding::Integer { bits: $bits, signed: $signed };
            type Ulps = u32;
            type Wide = f32;

            #[inline(always)]
            fn widen(self) -> f32 {
                self.value().into()
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.value().into()
            }
        }
    )*};
}
small_integers! {
    I4: 4, true, "A signed integer in the low 4 bits.";
    U4: 4, false, "An unsigned integer in the low 4 bits.";
    I2: 2, true, "A signed integer in the low 2 bits.";
    U2: 2, false, "An unsigned integer in the low 2 bits.";
}

/// IEEE floats: sign and magnitude, so that magnitudes sort as integers. `$key` has room for the magnitudes of both signs.
macro_rules! ieee_floats {
    ($($float:ty: $layout:expr, $key:ty, $ulps:ty, $extreme:literal, $wide:ty, $widen:expr;)*) => {$(
        impl Element for $float {
            fn scalar(self) -> Scalar {
                Scalar::Float(self.into())
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                self.to_bits() != other.to_bits()
            }
        }

        impl Number for $float {
            const ENCODING: Encoding = Encoding::Float($layout);
            const WIDE: bool = $extreme;
            type Ulps = $ulps;
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.widen().into()
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                self.to_bits() << 1 == 0
            }

            #[inline(always)]
            fn ulps(self, other: Self) -> $ulps {
                let key = |x: Self| {
                    let magnitude = <$key>::from((x.to_bits() << 1 >> 1).cast_signed());
                    if x.to_bits().cast_signed() < 0 { -magnitude } else { magnitude }
                };
                key(self).abs_diff(key(other))
            }
        }
    )*};
}
ieee_floats! {
    f32: Layout::F32, i32, u32, false, f32, |x| x;
    f64: Layout::F64, i64, u64, true, f64, |x| x;
    f16: Layout::ieee(5, 10), i32, u32, false, f32, widen_f16;
    bf16: Layout::ieee(8, 7), i32, u32, false, f32, |x: bf16| f32::from_bits(u32::from(x.to_bits()) << 16);
}

/// Converts `f16` to `f32` in a few operations that vectorize, unlike those of `half`. Subnormals are computed from their integer
/// significand: a subnormal `f32` as an intermediate result would cost the processor a hundred cycles.
#[inline(always)]
fn widen_f16(x: f16) -> f32 {
    const SMALLEST: f32 = f32::from_bits((127 - 24) << 23);
    let bits = u32::from(x.to_bits());
    let (exponent, fraction) = ((bits >> 10) & 0x1f, x.to_bits() & 0x3ff);
    let rebased = if exponent == 0x1f { 0xff } else { exponent + 112 };
    let normal = f32::from_bits(rebased << 23 | u32::from(fraction) << 13);
    let magnitude = if exponent == 0 { f32::from(fraction) * SMALLEST } else { normal };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// Floats of a byte or less, decoded by table.
macro_rules! small_floats {
    ($($name:ident: $layout:expr, $mask:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u8);

        impl $name {
            const VALUES: [f32; 256] = float8::values($layout);
        }

        impl Element for $name {
            fn scalar(self) -> Scalar {
                Scalar::Float(self.to_f64())
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                (self.0 ^ other.0) & $mask != 0
            }
        }

        impl Number for $name {
            const ENCODING: Encoding = Encoding::Float($layout);
            type Ulps = u32;
            type Wide = f32;

            #[inline(always)]
            fn widen(self) -> f32 {
                static VALUES: [f32; 256] = $name::VALUES;
                VALUES.get(usize::from(self.0)).copied().unwrap_or_default()
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.widen().into()
            }

            #[inline(always)]
            fn ulps(self, other: Self) -> u32 {
                let key = |x: Self| $layout.order_key(x.0.into());
                key(self).abs_diff(key(other))
            }
        }
    )*};
}
small_floats! {
    F8E5M2: Layout::ieee(5, 2), 0xff, "`float8_e5m2`: IEEE-like, with infinities.";
    F8E4M3Fn: Layout::finite(4, 3), 0xff, "`float8_e4m3fn`: no infinities; all ones is NaN.";
    F8E4M3Fnuz: Layout::unsigned_zero(4, 3, 8), 0xff, "`float8_e4m3fnuz`: one zero; 0x80 is NaN.";
    F8E4M3B11Fnuz: Layout::unsigned_zero(4, 3, 11), 0xff, "`float8_e4m3b11fnuz`: bias 11, one zero; 0x80 is NaN.";
    F8E5M2Fnuz: Layout::unsigned_zero(5, 2, 16), 0xff, "`float8_e5m2fnuz`: one zero; 0x80 is NaN.";
    F4E2M1Fn: Layout::all_finite(2, 1), 0x0f, "`float4_e2m1fn`: no infinities, no NaN; in the low 4 bits.";
}
