//! Hand-made constants of graphs.

use ckdiff::graph::constant::Constant;
use ckdiff::tensor::{DType, Tensor};

use crate::support::encoding::{bytes, int, shape};

/// One dtype for each kind of list in a `TensorProto`.
pub const TYPES: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::F16,
    DType::F8E5M2,
    DType::Complex64,
    DType::I32,
    DType::I8,
    DType::I4,
    DType::Bool,
    DType::String,
];

/// A constant of this dtype and shape, with these fields for its elements.
pub fn proto(dtype: DType, dims: &[i64], elements: &[u8]) -> Vec<u8> {
    let dtype = int(1, dtype.code().into());
    [&dtype[..], &bytes(2, &shape(dims)), elements].concat()
}

pub fn parse(dtype: DType, dims: &[i64], elements: &[u8]) -> Constant {
    Constant::parse(&proto(dtype, dims, elements)).unwrap()
}

pub fn expand(constant: &Constant) -> Tensor {
    constant.tensor(1 << 24).unwrap()
}

pub fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub fn content(content: &[u8]) -> Vec<u8> {
    bytes(4, content)
}

pub fn strings(values: &[&str]) -> Vec<u8> {
    values.iter().flat_map(|value| bytes(8, value.as_bytes())).collect()
}
