//! Kinds of ops, by their names.

/// The kind of a variable in a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VariableKind {
    /// A node that is the variable: `VariableV2`, formerly `Variable`.
    Reference,
    /// A handle to the variable: `VarHandleOp`.
    Resource,
}

impl VariableKind {
    /// The kind of variable that nodes of this op make; `None` for other ops.
    pub fn of_op(op: &str) -> Option<Self> {
        match op {
            "VariableV2" | "Variable" | "AutoReloadVariable" => Some(Self::Reference),
            "VarHandleOp" => Some(Self::Resource),
            _ => None,
        }
    }
}

/// Whether nodes of this op are placeholders.
pub(crate) fn is_placeholder(op: &str) -> bool {
    matches!(op, "Placeholder" | "PlaceholderV2" | "PlaceholderWithDefault")
}

/// Whether nodes of this op are constants.
pub(crate) fn is_constant(op: &str) -> bool {
    op == "Const"
}

/// Whether nodes of this op make tables, which TensorFlow gives random shared names.
pub(crate) fn is_table(op: &str) -> bool {
    let op = op.strip_suffix("V2").unwrap_or(op);
    let op = op.strip_prefix("Mutable").unwrap_or(op);
    matches!(op, "HashTable" | "HashTableOfTensors" | "DenseHashTable")
}

/// Whether nodes of this op make tables that savers save.
pub(crate) fn is_saved_table(op: &str) -> bool {
    matches!(op, "MutableHashTableV2" | "MutableHashTableOfTensorsV2") || is_dense_table(op)
}

/// Whether nodes of this op make tables whose keys and values are saved as buckets.
pub(crate) fn is_dense_table(op: &str) -> bool {
    op == "MutableDenseHashTableV2"
}

/// Whether nodes of this op call one of the functions in `then_branch` and `else_branch`, selected by their first input.
pub(crate) fn is_if(op: &str) -> bool {
    matches!(op, "If" | "StatelessIf")
}

/// Whether nodes of this op call one of the functions in `branches`, selected by their first input.
pub(crate) fn is_case(op: &str) -> bool {
    matches!(op, "Case" | "StatelessCase")
}

/// Whether nodes of this op call the function in their attribute `f`.
pub(crate) fn calls_function(op: &str) -> bool {
    matches!(op, "PartitionedCall" | "StatefulPartitionedCall")
}
