//! Element types: the one table of codes, names, sizes and Rust types.

use std::fmt;

use half::{bf16, f16};

use super::element::{Bool, Complex64 as C64, Complex128 as C128, Visit};
use super::floats::{F4E2M1Fn, F8E4M3B11Fnuz, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz};
use super::integers::{I2, I4, U2, U4};
use crate::error::{Error, Result};
use crate::schema::tensorflow::DataType;

/// The kind of a type's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// IEEE-like floating point.
    Float,
    /// Signed, unsigned and quantized integers.
    Integer,
    /// `bool`.
    Bool,
    /// Pairs of floats.
    Complex,
    /// Elements of variable length: `string`, `variant`, `resource`.
    Bytes,
}

/// The difference between the code of a reference type and that of the type.
pub(crate) const REFERENCE: i32 = 100;

macro_rules! visit {
    ($f:ident, Bool, $element:ty) => {
        $f.boolean()
    };
    ($f:ident, Complex, $element:ty) => {
        $f.complex::<$element>()
    };
    ($f:ident, $number:ident, $element:ty) => {
        $f.number::<$element>()
    };
}

macro_rules! dtypes {
    (fixed { $($variant:ident: $element:ty = $code:literal, $name:literal, $kind:ident;)* }
     bytes { $($opaque:ident = $opaque_code:literal, $opaque_name:literal;)* }) => {
        /// The type of a tensor's elements; the names and codes of TensorFlow's `types.proto`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DType { $(#[doc = $name] $variant,)* $(#[doc = $opaque_name] $opaque,)* }

        impl DType {
            /// Every type: those of fixed width by code, then the others.
            pub const ALL: &[Self] = &[$(Self::$variant,)* $(Self::$opaque,)*];

            /// The type with this code in `types.proto`; `None` for unknown codes, `DT_INVALID` and references.
            pub fn from_code(code: i32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    $($opaque_code => Some(Self::$opaque),)*
                    _ => None,
                }
            }

            /// The type that the type with this code refers to, such as `float32` for `DT_FLOAT_REF`.
            pub(crate) fn from_reference(code: i32) -> Option<Self> {
                Self::from_code(code.checked_sub(REFERENCE)?)
            }

            /// The code in `types.proto`.
            pub fn code(self) -> i32 {
                match self { $(Self::$variant => $code,)* $(Self::$opaque => $opaque_code,)* }
            }

            /// TensorFlow's name, as `tf.float32.name` returns it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* $(Self::$opaque => $opaque_name,)* }
            }

            /// The kind of the elements.
            pub fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind,)* $(Self::$opaque => Kind::Bytes,)* }
            }

            /// The size of a stored element in bytes; `None` for elements of variable length.
            pub fn size(self) -> Option<usize> {
                match self {
                    $(Self::$variant => Some(size_of::<$element>()),)*
                    $(Self::$opaque => None,)*
                }
            }

            /// Calls the method of `f` for the Rust type of the elements.
            pub fn visit<V: Visit>(self, f: V) -> V::Out {
                match self {
                    $(Self::$variant => visit!(f, $kind, $element),)*
                    $(Self::$opaque => f.bytes(),)*
                }
            }
        }
    };
}

dtypes! {
    fixed {
        F32: f32 = 1, "float32", Float;
        F64: f64 = 2, "float64", Float;
        I32: i32 = 3, "int32", Integer;
        U8: u8 = 4, "uint8", Integer;
        I16: i16 = 5, "int16", Integer;
        I8: i8 = 6, "int8", Integer;
        Complex64: C64 = 8, "complex64", Complex;
        I64: i64 = 9, "int64", Integer;
        Bool: Bool = 10, "bool", Bool;
        QI8: i8 = 11, "qint8", Integer;
        QU8: u8 = 12, "quint8", Integer;
        QI32: i32 = 13, "qint32", Integer;
        BF16: bf16 = 14, "bfloat16", Float;
        QI16: i16 = 15, "qint16", Integer;
        QU16: u16 = 16, "quint16", Integer;
        U16: u16 = 17, "uint16", Integer;
        Complex128: C128 = 18, "complex128", Complex;
        F16: f16 = 19, "float16", Float;
        U32: u32 = 22, "uint32", Integer;
        U64: u64 = 23, "uint64", Integer;
        F8E5M2: F8E5M2 = 24, "float8_e5m2", Float;
        F8E4M3Fn: F8E4M3Fn = 25, "float8_e4m3fn", Float;
        F8E4M3Fnuz: F8E4M3Fnuz = 26, "float8_e4m3fnuz", Float;
        F8E4M3B11Fnuz: F8E4M3B11Fnuz = 27, "float8_e4m3b11fnuz", Float;
        F8E5M2Fnuz: F8E5M2Fnuz = 28, "float8_e5m2fnuz", Float;
        I4: I4 = 29, "int4", Integer;
        U4: U4 = 30, "uint4", Integer;
        I2: I2 = 31, "int2", Integer;
        U2: U2 = 32, "uint2", Integer;
        F4E2M1Fn: F4E2M1Fn = 33, "float4_e2m1fn", Float;
    }
    bytes {
        String = 7, "string";
        Resource = 20, "resource";
        Variant = 21, "variant";
    }
}

impl DType {
    /// The type with this code, of which tensors can be stored.
    ///
    /// # Errors
    /// If the code is unknown, `DT_INVALID` or that of a reference.
    pub(crate) fn stored(what: &'static str, code: i32) -> Result<Self> {
        Self::from_code(code).ok_or_else(|| {
            let found = match DataType::try_from(code) {
                Ok(known) => format!("{} ({code})", known.as_str_name()),
                Err(_) => code.to_string(),
            };
            Error::unexpected(what, found, "a dtype that can be stored")
        })
    }

    /// The name of the type with this code; the code itself if it is unknown.
    pub(crate) fn name_of(code: i32) -> String {
        Self::from_code(code).map_or_else(|| format!("type {code}"), |dtype| dtype.to_string())
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
