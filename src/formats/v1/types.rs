//! The element types of the format.

use crate::tensor::DType;

/// The types that TensorFlow writes: those for which its `tensor_slice_writer.h` has `SaveData`. Reading accepts all that a
/// `TensorProto` can have.
pub(super) const WRITTEN: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::I32,
    DType::U8,
    DType::I16,
    DType::I8,
    DType::Complex64,
    DType::I64,
    DType::Bool,
    DType::QI8,
    DType::QU8,
    DType::QI32,
    DType::U16,
    DType::Complex128,
    DType::F16,
    DType::String,
];
