//! The `*_val` field of a `TensorProto` for each element type, which is used if `tensor_content` is not.

use super::DType;
use crate::schema::field::tensor_proto::{
    BOOL_VAL, DCOMPLEX_VAL, DOUBLE_VAL, FLOAT_VAL, FLOAT8_VAL, HALF_VAL, INT_VAL, INT64_VAL,
    RESOURCE_HANDLE_VAL, SCOMPLEX_VAL, STRING_VAL, UINT32_VAL, UINT64_VAL, VARIANT_VAL,
};

/// The `*_val` field of an element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueField {
    /// The number in `TensorProto`.
    pub(crate) number: u32,
    /// The encoding of the values.
    pub(crate) coding: Coding,
    /// The size of a decoded number in bytes: half an element for complex types, 0 for elements of variable length.
    pub(crate) bytes: usize,
}

/// How a list of values is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Fixed-width numbers, as in memory.
    Fixed,
    /// Varints of 32 bits; only values in this range are valid for the type.
    Varint {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// Varints of 64 bits.
    Wide,
    /// Varints that are true if not zero.
    Bool,
    /// One `bytes` field, in which each byte is an element.
    Bytes,
    /// One record per element: its bytes, or its message.
    Each,
}

impl ValueField {
    /// The field for the values of `dtype`.
    pub(crate) fn of(dtype: DType) -> Self {
        let varint = |number, bytes, min, max| (number, Coding::Varint { min, max }, bytes);
        let (number, coding, bytes) = match dtype {
            DType::F32 => (FLOAT_VAL, Coding::Fixed, 4),
            DType::F64 => (DOUBLE_VAL, Coding::Fixed, 8),
            DType::Complex64 => (SCOMPLEX_VAL, Coding::Fixed, 4),
            DType::Complex128 => (DCOMPLEX_VAL, Coding::Fixed, 8),
            DType::I32 | DType::QI32 => varint(INT_VAL, 4, i32::MIN.into(), i32::MAX.into()),
            DType::I16 | DType::QI16 => varint(INT_VAL, 2, i16::MIN.into(), i16::MAX.into()),
            DType::U16 | DType::QU16 => varint(INT_VAL, 2, 0, u16::MAX.into()),
            DType::I8 | DType::QI8 => varint(INT_VAL, 1, i8::MIN.into(), i8::MAX.into()),
            DType::U8 | DType::QU8 => varint(INT_VAL, 1, 0, u8::MAX.into()),
            DType::I4 => varint(INT_VAL, 1, -8, 7),
            DType::U4 => varint(INT_VAL, 1, 0, 15),
            DType::I2 => varint(INT_VAL, 1, -2, 1),
            DType::U2 => varint(INT_VAL, 1, 0, 3),
            DType::F16 | DType::BF16 => varint(HALF_VAL, 2, 0, u16::MAX.into()),
            DType::I64 => (INT64_VAL, Coding::Wide, 8),
            DType::U64 => (UINT64_VAL, Coding::Wide, 8),
            DType::U32 => varint(UINT32_VAL, 4, 0, u32::MAX.into()),
            DType::Bool => (BOOL_VAL, Coding::Bool, 1),
            DType::F8E5M2
            | DType::F8E4M3Fn
            | DType::F8E4M3Fnuz
            | DType::F8E4M3B11Fnuz
            | DType::F8E5M2Fnuz
            | DType::F4E2M1Fn => (FLOAT8_VAL, Coding::Bytes, 1),
            DType::String => (STRING_VAL, Coding::Each, 0),
            DType::Resource => (RESOURCE_HANDLE_VAL, Coding::Each, 0),
            DType::Variant => (VARIANT_VAL, Coding::Each, 0),
        };
        Self { number, coding, bytes }
    }
}
