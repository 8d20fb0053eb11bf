//! Properties of an op, by its definition.

use crate::schema::tensorflow::{AttrValue, OpDef};

/// Whether the data inputs of an op may be in any order: two inputs, or a list as of `AddN`.
pub fn is_commutative(op: &OpDef) -> bool {
    op.is_commutative
}

/// Whether an op has side effects, or its outputs depend on more than its inputs.
pub fn is_stateful(op: &OpDef) -> bool {
    op.is_stateful
}

/// The default of an attribute.
///
/// ```
/// use ckdiff::graph::{OpTable, default_of};
/// use ckdiff::schema::tensorflow::attr_value::Value;
///
/// let matmul = OpTable::builtin().definition("MatMul").unwrap();
/// assert_eq!(default_of(matmul, "transpose_b").unwrap().value, Some(Value::B(false)));
/// assert!(default_of(matmul, "T").is_none());
/// ```
pub fn default_of<'a>(op: &'a OpDef, attr: &str) -> Option<&'a AttrValue> {
    op.attr.iter().find(|definition| definition.name == attr)?.default_value.as_ref()
}
