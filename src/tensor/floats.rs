//! Floats as elements.

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

use super::element::{Element, Number, Scalar};
use super::encoding::{Encoding, Layout};

/// IEEE floats: sign and magnitude, so that magnitudes sort as integers. `$key` has room for the magnitudes of both signs.
macro_rules! ieee_floats {
    ($($float:ty: $layout:expr, $key:ty, $ulps:ty, $extreme:literal, $wide:ty, $widen:expr; { $($member:item)* })*) => {$(
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
            type Count = $ulps;
            type Wide = $wide;
            type Exact = $wide;

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

            $($member)*
        }
    )*};
}
ieee_floats! {
    f32: Layout::F32, i32, u32, false, f32, |x| x; {}
    f64: Layout::F64, i64, u64, true, f64, |x| x; {}
    f16: Layout::ieee(5, 10), i16, u16, false, f32, |x: f16| Layout::ieee(5, 10).widen(x.to_bits().into()); {
        const IS_HALF: bool = true;

        #[inline(always)]
        fn half_bits(self) -> u16 {
            self.to_bits()
        }
    }
    bf16: Layout::ieee(8, 7), i16, u16, false, f32, |x: bf16| f32::from_bits(u32::from(x.to_bits()) << 16); {}
}

/// Floats of a byte or less.
macro_rules! small_floats {
    ($($name:ident: $layout:expr, $mask:literal, $half:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub u8);

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
            type Ulps = u8;
            type Count = u16;
            type Wide = f32;
            type Exact = f32;

            #[inline(always)]
            fn widen(self) -> f32 {
                $layout.widen(self.0.into())
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.widen().into()
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                $layout.is_zero(self.0)
            }

            #[inline(always)]
            fn ulps(self, other: Self) -> u8 {
                $layout.small_ulps(self.0, other.0)
            }

            const IS_HALF: bool = $half;

            #[inline(always)]
            fn half_bits(self) -> u16 {
                u16::from(self.0) << u8::BITS
            }
        }
    )*};
}
small_floats! {
    F8E5M2: Layout::ieee(5, 2), 0xff, true, "`float8_e5m2`: IEEE-like, with infinities.";
    F8E4M3Fn: Layout::finite(4, 3), 0xff, false, "`float8_e4m3fn`: no infinities; all ones is NaN.";
    F8E4M3Fnuz: Layout::unsigned_zero(4, 3, 8), 0xff, false, "`float8_e4m3fnuz`: one zero; 0x80 is NaN.";
    F8E4M3B11Fnuz: Layout::unsigned_zero(4, 3, 11), 0xff, false, "`float8_e4m3b11fnuz`: bias 11, one zero; 0x80 is NaN.";
    F8E5M2Fnuz: Layout::unsigned_zero(5, 2, 16), 0xff, false, "`float8_e5m2fnuz`: one zero; 0x80 is NaN.";
    F4E2M1Fn: Layout::all_finite(2, 1), 0x0f, false, "`float4_e2m1fn`: no infinities, no NaN; in the low 4 bits.";
}
