//! Reads types and shapes.

use super::cursor::{Cursor, Fail};
use crate::schema::tensorflow::tensor_shape_proto::Dim;
use crate::schema::tensorflow::{DataType, TensorShapeProto};

/// Reads the name of a type.
pub(super) fn dtype(cursor: &mut Cursor<'_>) -> Result<i32, Fail> {
    let start = cursor.clone();
    let name = cursor.word(|c| c.is_ascii_alphanumeric() || c == '_');
    let known = DataType::from_str_name(name).map(i32::from);
    known.ok_or_else(|| start.unexpected("the name of a type, such as DT_FLOAT"))
}

/// Reads a shape.
pub(super) fn shape(cursor: &mut Cursor<'_>) -> Result<TensorShapeProto, Fail> {
    if cursor.eat("[...]") {
        return Ok(TensorShapeProto { dim: Vec::new(), unknown_rank: true });
    }
    cursor.expect("[")?;
    let mut dim = Vec::new();
    while !cursor.eat("]") {
        if !dim.is_empty() {
            cursor.expect(", ")?;
        }
        let size = if cursor.eat("?") { -1 } else { cursor.integer()? };
        dim.push(Dim { size, name: String::new() });
    }
    Ok(TensorShapeProto { dim, unknown_rank: false })
}
