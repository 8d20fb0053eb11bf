//! Prints constants.
//!
//! ```text
//! tensor := "tensor(" DT_FLOAT " " shape (" " value)* ")"          all elements
//!         | "tensor(" DT_FLOAT " " shape " sha256:" hex ")"        a digest in place of them
//! ```

use std::fmt::Write as _;

use prost::Message as _;

use super::facts;
use crate::schema::tensorflow::{DataType, TensorProto};
use crate::snapshot::quote;
use crate::snapshot::redact::digest_in;

/// Appends a tensor whose elements are in the list of their type, or are replaced by a digest; `false` if it is another.
pub(super) fn print(tensor: &TensorProto, out: &mut String) -> bool {
    let Some(shape) = &tensor.tensor_shape else { return false };
    out.push_str("tensor(");
    let is_typed = facts::dtype(tensor.dtype, out);
    out.push(' ');
    let is_shaped = facts::shape(shape, out);
    if !is_typed || !is_shaped {
        return false;
    }
    if let Some(digest) = digest_in(tensor) {
        out.push(' ');
        out.push_str(digest);
        out.push(')');
        return true;
    }
    // Nothing but the one list may be there.
    let mut others = TensorProto {
        dtype: tensor.dtype,
        tensor_shape: Some(shape.clone()),
        ..TensorProto::default()
    };
    let mut item = |text: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = write!(out, " {text}");
    };
    match DataType::try_from(tensor.dtype) {
        Ok(DataType::DtFloat) => {
            tensor.float_val.iter().for_each(|number| item(format_args!("{number:?}")));
            others.float_val.clone_from(&tensor.float_val);
        }
        Ok(DataType::DtDouble) => {
            tensor.double_val.iter().for_each(|number| item(format_args!("{number:?}")));
            others.double_val.clone_from(&tensor.double_val);
        }
        Ok(DataType::DtInt32) => {
            tensor.int_val.iter().for_each(|number| item(format_args!("{number}")));
            others.int_val.clone_from(&tensor.int_val);
        }
        Ok(DataType::DtInt64) => {
            tensor.int64_val.iter().for_each(|number| item(format_args!("{number}")));
            others.int64_val.clone_from(&tensor.int64_val);
        }
        Ok(DataType::DtBool) => {
            tensor.bool_val.iter().for_each(|truth| item(format_args!("{truth}")));
            others.bool_val.clone_from(&tensor.bool_val);
        }
        Ok(DataType::DtString) => {
            for bytes in &tensor.string_val {
                let mut text = String::new();
                quote::string(bytes, &mut text);
                item(format_args!("{text}"));
            }
            others.string_val.clone_from(&tensor.string_val);
        }
        _ => return false,
    }
    out.push(')');
    // Bits, since a NaN equals nothing.
    others.encode_to_vec() == tensor.encode_to_vec()
}
