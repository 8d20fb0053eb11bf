//! Integers as elements.

use bytemuck::{Pod, Zeroable};

use super::element::{Element, Number, Scalar};
use super::encoding::Encoding;

/// Integers, with the type of counters; the type to compute in, and how to convert to it; and the members that differ.
macro_rules! integers {
    ($($int:ty: $count:ty, $wide:ty, $widen:expr, $exact:ty; { $($member:item)* })*) => {$(
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
            type Ulps = $count;
            type Count = $count;
            type Wide = $wide;
            type Exact = $exact;

            #[inline(always)]
            fn widen(self) -> $wide {
                $widen(self)
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                self == 0
            }

            $(#[inline(always)] $member)*
        }
    )*};
}
integers! {
    i8: u16, f32, f32::from, f32; {
        fn to_f64(self) -> f64 { self.into() }
        fn small(self) -> i16 { self.into() }
    }
    u8: u16, f32, f32::from, f32; {
        fn to_f64(self) -> f64 { self.into() }
        fn small(self) -> i16 { self.into() }
    }
    i16: u16, f32, f32::from, f32; { fn to_f64(self) -> f64 { self.into() } }
    u16: u16, f32, f32::from, f32; { fn to_f64(self) -> f64 { self.into() } }
    i32: u32, i32, i32::from, i32; { fn to_f64(self) -> f64 { self.into() } }
    u32: u32, u32, u32::from, u32; { fn to_f64(self) -> f64 { self.into() } }
    i64: u64, f64, i64_to_f64, i64; {
        fn to_f64(self) -> f64 { i64_to_f64(self) }
        fn abs_diff(self, other: Self) -> f64 { u64_to_f64(<i64>::abs_diff(self, other)) }
        fn excess_bits(self) -> u64 { ((self ^ (self >> 63)) >> f64::MANTISSA_DIGITS).cast_unsigned() }
    }
    u64: u64, f64, u64_to_f64, u64; {
        fn to_f64(self) -> f64 { u64_to_f64(self) }
        fn abs_diff(self, other: Self) -> f64 { u64_to_f64(<u64>::abs_diff(self, other)) }
        fn excess_bits(self) -> u64 { self >> f64::MANTISSA_DIGITS }
    }
}

/// Converts an integer, rounded once, in operations that vectorize on every machine: its halves become the low bits of `2^52`
/// and of `2^84`, which are then subtracted.
#[inline(always)]
fn u64_to_f64(x: u64) -> f64 {
    const BIASES: f64 = f64::from_bits(0x4530_0000_0010_0000);
    let low = f64::from_bits(0x4330_0000_0000_0000 | (x & u64::from(u32::MAX)));
    let high = f64::from_bits(0x4530_0000_0000_0000 | (x >> 32));
    (high - BIASES) + low
}

/// As [`u64_to_f64`], of the integer plus `2^63`, which is subtracted too.
#[inline(always)]
fn i64_to_f64(x: i64) -> f64 {
    const BIASES: f64 = f64::from_bits(0x4530_0000_8010_0000);
    let x = x.cast_unsigned();
    let low = f64::from_bits(0x4330_0000_0000_0000 | (x & u64::from(u32::MAX)));
    let high = f64::from_bits(0x4530_0000_8000_0000 ^ (x >> 32));
    (high - BIASES) + low
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
            type Ulps = u16;
            type Count = u16;
            type Wide = f32;
            type Exact = f32;

            #[inline(always)]
            fn small(self) -> i16 {
                self.value().into()
            }

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
