//! Which field of a `TensorProto` lists the elements of a type, where `tensor_content` does not hold them.

use super::DType;

/// The `*_val` field of an element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueField {
    /// Its number in `TensorProto`.
    pub(crate) number: u32,
    /// What is in it.
    pub(crate) coding: Coding,
    /// Bytes of each number once it is decoded: half an element for complex ones; 0 for elements of any length.
    pub(crate) bytes: usize,
}

/// How a list of values is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As they are in memory.
    Fixed,
    /// `int32` and its like; what lies in this range is what the type can say.
    Varint {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// 64 bits of any kind.
    Wide,
    /// 0 or not.
    Bool,
    /// One field of bytes, each of them an element.
    Bytes,
    /// For each element one field: its bytes, or its message.
    Each,
}

impl ValueField {
    /// `tensor_content`: what the elements are in memory.
    pub(crate) const CONTENT: u32 = 4;

    /// Where the values of `dtype` are.
    pub(crate) fn of(dtype: DType) -> Self {
        let varint = |number, bytes, min, max| (number, Coding::Varint { min, max }, bytes);
        let (number, coding, bytes) = match dtype {
            DType::F32 => (5, Coding::Fixed, 4),
            DType::F64 => (6, Coding::Fixed, 8),
            DType::Complex64 => (9, Coding::Fixed, 4),
            DType::Complex128 => (12, Coding::Fixed, 8),
            DType::I32 | DType::QI32 => varint(7, 4, i32::MIN.into(), i32::MAX.into()),
            DType::I16 | DType::QI16 => varint(7, 2, i16::MIN.into(), i16::MAX.into()),
            DType::U16 | DType::QU16 => varint(7, 2, 0, u16::MAX.into()),
            DType::I8 | DType::QI8 => varint(7, 1, i8::MIN.into(), i8::MAX.into()),
            DType::U8 | DType::QU8 => varint(7, 1, 0, u8::MAX.into()),
            DType::I4 => varint(7, 1, -8, 7),
            DType::U4 => varint(7, 1, 0, 15),
            DType::I2 => varint(7, 1, -2, 1),
            DType::U2 => varint(7, 1, 0, 3),
            DType::F16 | DType::BF16 => varint(13, 2, 0, u16::MAX.into()),
            DType::I64 => (10, Coding::Wide, 8),
            DType::U64 => (17, Coding::Wide, 8),
            DType::U32 => varint(16, 4, 0, u32::MAX.into()),
            DType::Bool => (11, Coding::Bool, 1),
            DType::F8E5M2
            | DType::F8E4M3Fn
            | DType::F8E4M3Fnuz
            | DType::F8E4M3B11Fnuz
            | DType::F8E5M2Fnuz
            | DType::F4E2M1Fn => (18, Coding::Bytes, 1),
            DType::String => (8, Coding::Each, 0),
            DType::Resource => (14, Coding::Each, 0),
            DType::Variant => (15, Coding::Each, 0),
        };
        Self { number, coding, bytes }
    }
}
