//! Reads constants.

use super::cursor::{Cursor, Fail};
use super::facts;
use crate::schema::tensorflow::{DataType, TensorProto};

/// Reads a tensor from after its opening parenthesis on.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<TensorProto, Fail> {
    let dtype = facts::dtype(cursor)?;
    cursor.expect(" ")?;
    let shape = facts::shape(cursor)?;
    let mut tensor = TensorProto { dtype, tensor_shape: Some(shape), ..TensorProto::default() };
    if cursor.has(" sha256:") {
        cursor.expect(" ")?;
        let digest = cursor.word(|c| c.is_ascii_alphanumeric() || c == ':');
        tensor.string_val.push(digest.as_bytes().to_vec());
        cursor.expect(")")?;
        return Ok(tensor);
    }
    let start = cursor.clone();
    let dtype = DataType::try_from(dtype).unwrap_or_default();
    while !cursor.eat(")") {
        cursor.expect(" ")?;
        match dtype {
            DataType::DtFloat => tensor.float_val.push(cursor.number("a number")?),
            DataType::DtDouble => tensor.double_val.push(cursor.number("a number")?),
            DataType::DtInt32 => tensor.int_val.push(cursor.number("an integer of 32 bits")?),
            DataType::DtInt64 => tensor.int64_val.push(cursor.integer()?),
            DataType::DtBool => tensor.bool_val.push(cursor.number("true or false")?),
            DataType::DtString => tensor.string_val.push(cursor.string()?),
            _ => {
                return Err(
                    start.unexpected("a digest, since elements of this type have no notation")
                );
            }
        }
    }
    Ok(tensor)
}
