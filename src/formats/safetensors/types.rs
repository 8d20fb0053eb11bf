//! The element types of the format.

use crate::tensor::DType;

/// An element type of the format.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) name: &'static str,
    /// The size of an element in bits. Elements smaller than a byte are packed, low bits first.
    pub(super) bits: u64,
    /// `None` for types that are not supported.
    pub(super) dtype: Option<DType>,
}

/// All types, in the order in which the library stores tensors.
pub(super) static TYPES: &[Type] = &[
    Type::of("U64", 64, DType::U64),
    Type::of("I64", 64, DType::I64),
    Type::of("F64", 64, DType::F64),
    Type::of("C64", 64, DType::Complex64),
    Type::of("F32", 32, DType::F32),
    Type::of("U32", 32, DType::U32),
    Type::of("I32", 32, DType::I32),
    Type::of("BF16", 16, DType::BF16),
    Type::of("F16", 16, DType::F16),
    Type::of("U16", 16, DType::U16),
    Type::of("I16", 16, DType::I16),
    Type::of("F8_E5M2FNUZ", 8, DType::F8E5M2Fnuz),
    Type::of("F8_E4M3FNUZ", 8, DType::F8E4M3Fnuz),
    Type::unsupported("F8_E8M0", 8),
    Type::of("F8_E4M3", 8, DType::F8E4M3Fn),
    Type::of("F8_E5M2", 8, DType::F8E5M2),
    Type::of("I8", 8, DType::I8),
    Type::of("U8", 8, DType::U8),
    Type::unsupported("F6_E3M2", 6),
    Type::unsupported("F6_E2M3", 6),
    Type::of("F4", 4, DType::F4E2M1Fn),
    Type::of("BOOL", 8, DType::Bool),
];

impl Type {
    const fn of(name: &'static str, bits: u64, dtype: DType) -> Self {
        Self { name, bits, dtype: Some(dtype) }
    }

    const fn unsupported(name: &'static str, bits: u64) -> Self {
        Self { name, bits, dtype: None }
    }

    /// The type with this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TYPES.iter().find(|ty| ty.name == name)
    }
}
