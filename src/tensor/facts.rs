//! Dtype and shape of a tensor.

use serde::Serialize;

use super::{DType, Shape, TensorSource};

/// Dtype and shape of a tensor, from the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// The type of the elements.
    pub dtype: DType,
    /// The full shape.
    pub shape: Shape,
}

impl Facts {
    /// The facts of the tensor in `source`.
    pub fn of(source: &dyn TensorSource) -> Self {
        Self { dtype: source.dtype(), shape: source.shape().clone() }
    }
}
