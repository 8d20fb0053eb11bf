//! Types of composite tensors; those that have a dtype and a shape are shown like a tensor.

use crate::overview::{StructuredValue, TypeSpec};

use super::python;

/// A type spec in the cells of a tensor.
pub(super) struct TensorCells {
    pub(super) dtype: String,
    pub(super) dims: String,
    pub(super) notes: String,
}

/// The cells of a type spec that has a dtype and a shape; `None` for any other.
pub(super) fn as_tensor(spec: &TypeSpec) -> Option<TensorCells> {
    use StructuredValue::{Bool, DType, Integer, Shape, Tuple};
    let Tuple(state) = &spec.state else { return None };
    let [shape @ Shape(_), dtype @ DType(_), rest @ ..] = state.as_slice() else { return None };
    let notes = match (&*spec.class, rest) {
        ("SparseTensorSpec", []) => "sparse".into(),
        ("RaggedTensorSpec", [Integer(rank), DType(Some(splits))]) => {
            format!("ragged, rank {rank}, row splits {splits}")
        }
        ("VariableSpec", [Bool(true), ..]) => "variable, trainable".into(),
        ("VariableSpec", [Bool(false), ..]) => "variable".into(),
        _ => python::type_spec(spec),
    };
    Some(TensorCells { dtype: python::value(dtype), dims: python::value(shape), notes })
}
