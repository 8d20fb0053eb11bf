//! What a saver saves: tensors with their keys, and the variables that they are restored to.

use crate::tensor::DType;

/// How a variable is held by a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VariableKind {
    /// A node that is the variable: `VariableV2`, and `Variable` before it.
    Reference,
    /// A handle that leads to it: `VarHandleOp`.
    Resource,
}

/// Where the tensor that is saved comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// An output of a node of the graph, as inputs spell it: `v`, `v/Read/ReadVariableOp`.
    Tensor(String),
    /// A resource variable, by the name of its handle, for which each saver makes a read of its own.
    Read(String),
}

/// One tensor in a checkpoint, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveSpec {
    /// What is saved.
    pub tensor: Saved,
    /// The full shape and the slice of it, as in `4 2 0,2:0,2`; nothing where it is whole.
    pub slice_spec: String,
    /// Its key in the checkpoint.
    pub name: String,
    /// The type of its elements, without a mark for references.
    pub dtype: DType,
    /// The device that it is on, as its node spells it.
    pub device: String,
    /// Its shape, as far as the graph knows it: `None` in place of a dimension, or of all of them.
    pub shape: Option<Vec<Option<u64>>>,
}

/// A variable, and what is saved of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveableObject {
    /// The node of the variable that is assigned when this is restored.
    pub op: String,
    /// How the graph holds that variable, and so what assigns it.
    pub kind: VariableKind,
    /// What is saved. The first one is what the variable is restored from.
    pub specs: Vec<SaveSpec>,
    /// The name that it is saved under.
    pub name: String,
}

impl SaveSpec {
    /// The dimensions, where all of them are known.
    pub fn full_shape(&self) -> Option<Vec<u64>> {
        self.shape.as_ref()?.iter().copied().collect()
    }
}
