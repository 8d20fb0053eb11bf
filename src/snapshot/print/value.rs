//! Prints the values of attributes.
//!
//! ```text
//! value := true | 3 | 0.5 | "text" | DT_FLOAT | [2, ?] | [...] | &function | list(value, …) | tensor(…) | {an AttrValue as text}
//! ```

use std::fmt::Write as _;

use super::facts::{dtype, shape};
use super::{proto, tensor};
use crate::error::Result;
use crate::schema::tensorflow::attr_value::{ListValue, Value};
use crate::schema::tensorflow::{AttrValue, NameAttrList};
use crate::snapshot::quote;

/// Appends the value of an attribute.
///
/// # Errors
/// If it cannot be printed as text.
pub(super) fn attr(value: &AttrValue, out: &mut String) -> Result<()> {
    let start = out.len();
    let is_printed = match &value.value {
        Some(value) => short(value, out),
        None => false,
    };
    if !is_printed {
        out.truncate(start);
        out.push_str(&proto::braced(value)?);
    }
    Ok(())
}

/// Appends a value in a notation of its own; `false` if it has none.
fn short(value: &Value, out: &mut String) -> bool {
    match value {
        Value::S(bytes) => quote::string(bytes, out),
        // Writing to a string does not fail.
        Value::I(number) => drop(write!(out, "{number}")),
        Value::F(number) => float(*number, out),
        Value::B(truth) => drop(write!(out, "{truth}")),
        Value::Type(code) => return dtype(*code, out),
        Value::Shape(value) => return shape(value, out),
        Value::Func(NameAttrList { name, attr }) if attr.is_empty() => {
            out.push('&');
            quote::name(name, out);
        }
        Value::Tensor(value) => return tensor::print(value, out),
        Value::List(value) => return list(value, out),
        _ => return false,
    }
    true
}

/// Appends a number that reads as a float, in the shortest digits.
fn float(number: f32, out: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(out, "{number:?}");
}

/// Appends a list of one kind of values; `false` if it has several, or tensors or functions.
fn list(list: &ListValue, out: &mut String) -> bool {
    let ListValue { s, i, f, b, r#type, shape, tensor, func } = list;
    let lens = [s.len(), i.len(), f.len(), b.len(), r#type.len(), shape.len()];
    if lens.iter().filter(|len| **len > 0).count() > 1 || !tensor.is_empty() || !func.is_empty() {
        return false;
    }
    let strings = s.iter().map(|item| Value::S(item.clone()));
    let integers = i.iter().map(|item| Value::I(*item));
    let floats = f.iter().map(|item| Value::F(*item));
    let truths = b.iter().map(|item| Value::B(*item));
    let types = r#type.iter().map(|item| Value::Type(*item));
    let shapes = shape.iter().map(|item| Value::Shape(item.clone()));
    out.push_str("list(");
    let mut is_first = true;
    for item in strings.chain(integers).chain(floats).chain(truths).chain(types).chain(shapes) {
        if !std::mem::take(&mut is_first) {
            out.push_str(", ");
        }
        if !short(&item, out) {
            return false;
        }
    }
    out.push(')');
    true
}
