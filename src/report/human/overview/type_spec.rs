//! Places for what is made of several tensors: those that have a type and a shape are told like a tensor.

use crate::report::{StructuredValue, TypeSpec};

use super::python;

/// A type spec as a tensor: type, shape, and what sort it is of.
pub(super) struct Told {
    pub(super) dtype: String,
    pub(super) dims: String,
    pub(super) sort: String,
}

/// What is told of a type spec that has a type and a shape; `None` of any other.
pub(super) fn as_tensor(spec: &TypeSpec) -> Option<Told> {
    use StructuredValue::{Bool, DType, Integer, Shape, Tuple};
    let Tuple(state) = &spec.state else { return None };
    let [shape @ Shape(_), dtype @ DType(_), rest @ ..] = state.as_slice() else { return None };
    let sort = match (&*spec.class, rest) {
        ("SparseTensorSpec", []) => "sparse".into(),
        ("RaggedTensorSpec", [Integer(rank), DType(Some(splits))]) => {
            format!("ragged, rank {rank}, row splits {splits}")
        }
        ("VariableSpec", [Bool(true), ..]) => "variable, trainable".into(),
        ("VariableSpec", [Bool(false), ..]) => "variable".into(),
        _ => python::type_spec(spec),
    };
    Some(Told { dtype: python::spelled(dtype), dims: python::spelled(shape), sort })
}
