//! The tensors that a saver saves, with their keys and variables.

use crate::graph::VariableKind;
use crate::tensor::DType;

/// The source of a saved tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveSource {
    /// An output of a node, in the form of an input: `v`, `v/Read/ReadVariableOp`.
    Tensor(String),
    /// A resource variable, by the name of its handle; each saver adds a node that reads it.
    Read(String),
}

/// A tensor in a checkpoint, and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveSpec {
    /// The source.
    pub tensor: SaveSource,
    /// The full shape and the slice, such as `4 2 0,2:0,2`; empty for the whole tensor.
    pub slice_spec: String,
    /// The key in the checkpoint.
    pub name: String,
    /// The dtype; of a reference, that of the variable.
    pub dtype: DType,
    /// The device of its node, as written.
    pub device: String,
    /// The declared shape; `None` stands for any dimension, or any shape.
    pub shape: Option<Vec<Option<u64>>>,
}

/// A variable, and its tensors in a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveableObject {
    /// The node of the variable, which a restore assigns.
    pub op: String,
    /// The kind of the variable, which decides how it is assigned.
    pub kind: VariableKind,
    /// The saved tensors. The variable is restored from the first one.
    pub specs: Vec<SaveSpec>,
    /// The name in the checkpoint.
    pub name: String,
}

impl SaveSpec {
    /// The dimensions, if all are known.
    pub fn full_shape(&self) -> Option<Vec<u64>> {
        self.shape.as_ref()?.iter().copied().collect()
    }
}
