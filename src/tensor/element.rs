//! The Rust type behind each fixed-width [`DType`](super::DType), and how its bytes become a value.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

use super::encoding::{Encoding, Layout};
use super::float8;

/// One element, little-endian and without padding, exactly as stored.
pub trait Element: Pod + Debug + Send + Sync {
    /// The element as a value that says all there is to it.
    fn scalar(self) -> Scalar;

    /// Whether the bits that count are unequal (sub-byte types ignore the high bits of their byte).
    fn differs(self, other: Self) -> bool;

    /// Bytes of each number in it: half the element for complex ones.
    const NUMBER_BYTES: usize = size_of::<Self>();
}

/// An element with an order and a difference: floats and integers.
pub trait Number: Element {
    /// What its bits mean, for those who read them without this trait.
    const ENCODING: Encoding;

    /// Whether it is a floating type, with NaN, infinities and ulps.
    const FLOAT: bool = matches!(Self::ENCODING, Encoding::Float(_));

    /// Whether squares and products of its values can leave the range of `f64`.
    const WIDE: bool = false;

    /// Its value: exact for floats, rounded once for integers of more than 53 bits.
    fn to_f64(self) -> f64;

    /// `self - other`: for floats the `f64` subtraction, for integers the exact difference rounded once.
    #[inline(always)]
    fn minus(self, other: Self) -> f64 {
        self.to_f64() - other.to_f64()
    }

    /// The type to compute with: this one, or `f32` for narrow types, which it holds exactly.
    type Wide: Number;

    /// The same value, zero of the same sign, in the type to compute with.
    fn widen(self) -> Self::Wide;

    /// Whether it is a zero of either sign.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.to_f64() == 0.0
    }

    /// A distance in representable values, no wider than it must be.
    type Ulps: Copy + Ord + Default + Into<u64> + TryFrom<u64>;

    /// How many representable values the two are apart, both zeros being one; means something for finite floats only.
    #[inline(always)]
    fn ulps(self, _other: Self) -> Self::Ulps {
        Self::Ulps::default()
    }
}

/// A complex element: two floats of one type.
pub trait ComplexNumber: Element {
    /// Whether squares and products of its values can leave the range of `f64`.
    const WIDE: bool;

    /// Real and imaginary part, widened exactly.
    fn parts(self) -> (f64, f64);
}

/// A computation that depends on the element type; see [`DType::visit`](super::DType::visit).
pub trait Visit {
    /// What it returns.
    type Out;
    /// For floats and integers.
    fn number<T: Number>(self) -> Self::Out;
    /// For complex numbers.
    fn complex<T: ComplexNumber>(self) -> Self::Out;
    /// For truth values.
    fn boolean(self) -> Self::Out;
    /// For elements of any length.
    fn bytes(self) -> Self::Out;
}

/// The value of one element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A float of any width, widened exactly.
    Float(f64),
    /// An integer of any width.
    Integer(i128),
    /// A truth value.
    Bool(bool),
    /// Real and imaginary part, widened exactly.
    Complex(f64, f64),
}

/// One byte that is true when it is not zero.
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
        /// A complex number of two of these floats, real part first.
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

/// Integers; `$minus` is the difference of two, exact or rounded once.
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

/// Integers of less than a byte, each in the low bits of one.
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

/// IEEE floats: sign and magnitude, so that magnitudes order as integers do. `$key` holds the magnitudes of both signs.
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
    f32: Layout::ieee(8, 23), i32, u32, false, f32, |x| x;
    f64: Layout::ieee(11, 52), i64, u64, true, f64, |x| x;
    f16: Layout::ieee(5, 10), i32, u32, false, f32, widen_f16;
    bf16: Layout::ieee(8, 7), i32, u32, false, f32, |x: bf16| f32::from_bits(u32::from(x.to_bits()) << 16);
}

/// `f16` to `f32` in a few operations that vectorise, which `half` does not offer. Subnormals come from their integer
/// significand: a subnormal `f32` on the way would cost the processor a hundred cycles.
#[inline(always)]
fn widen_f16(x: f16) -> f32 {
    const SMALLEST: f32 = f32::from_bits((127 - 24) << 23);
    let bits = u32::from(x.to_bits());
    let (exponent, mantissa) = ((bits >> 10) & 0x1f, x.to_bits() & 0x3ff);
    let rebased = if exponent == 0x1f { 0xff } else { exponent + 112 };
    let normal = f32::from_bits(rebased << 23 | u32::from(mantissa) << 13);
    let magnitude = if exponent == 0 { f32::from(mantissa) * SMALLEST } else { normal };
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
            const KEYS: [i32; 256] = float8::order_keys($layout);
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
                static KEYS: [i32; 256] = $name::KEYS;
                let key = |x: Self| KEYS.get(usize::from(x.0)).copied().unwrap_or_default();
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
