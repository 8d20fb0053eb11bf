//! Prints types and shapes.

use std::fmt::Write as _;

use crate::schema::tensorflow::{DataType, TensorShapeProto};

/// Appends the name of a type; `false` if it has none.
pub(super) fn dtype(code: i32, out: &mut String) -> bool {
    let known = DataType::try_from(code).map(|dtype| out.push_str(dtype.as_str_name()));
    known.is_ok()
}

/// Appends a shape; `false` if it has names.
pub(super) fn shape(shape: &TensorShapeProto, out: &mut String) -> bool {
    if shape.unknown_rank {
        out.push_str("[...]");
        return shape.dim.is_empty();
    }
    out.push('[');
    for (at, dim) in shape.dim.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        match dim.size {
            -1 => out.push('?'),
            // Writing to a string does not fail.
            size => drop(write!(out, "{size}")),
        }
    }
    out.push(']');
    shape.dim.iter().all(|dim| dim.name.is_empty())
}
