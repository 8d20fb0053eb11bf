//! Constants: one encoding, a digest in place of many elements, and no object graphs.

use std::collections::BTreeSet;

use prost::Message as _;
use sha2::{Digest, Sha256};

use crate::bytes::hex;
use crate::diff::embedded_object_graph;
use crate::graph::constant::Constant;
use crate::graph::{SaveOp, is_constant};
use crate::message::{is_odd_nan32, is_odd_nan64};
use crate::schema::Schema;
use crate::schema::tensorflow::attr_value::Value;
use crate::schema::tensorflow::{AttrValue, NodeDef, TensorProto};
use crate::tensor::{Bool, DType};

/// The most elements and bytes of a constant that is printed.
const MAX_ELEMENTS: u64 = 16;
const MAX_BYTES: usize = 256;

/// The most bytes of a constant whose elements are all written out; a larger one keeps its encoding.
const MAX_WRITTEN: u64 = 1 << 20;

/// What a digest begins with, in place of the elements.
const DIGEST: &str = "sha256:";

/// Removes the value of a constant that is the object graph of a checkpoint.
pub(super) fn drop_object_graph(node: &mut NodeDef) {
    if !is_constant(&node.op) {
        return;
    }
    let schema = Schema::tensorflow();
    let is_object_graph = |value: &AttrValue| match &value.value {
        Some(Value::Tensor(tensor)) => {
            matches!(&*tensor.string_val, [text] if embedded_object_graph(schema, text).is_some())
        }
        _ => false,
    };
    node.attr.retain(|_, value| !is_object_graph(value));
}

/// Encodes the tensors of nodes in one way: with all elements in the list of their type, or with a digest. The names and slices of
/// savers keep their elements, which a comparison of savers needs.
pub(super) fn encode(nodes: &mut [NodeDef], digests: bool) {
    let savers = nodes.iter().filter(|node| SaveOp::of(&node.op).is_some());
    let named: BTreeSet<String> =
        savers.flat_map(|node| node.input.iter().skip(1).take(2)).cloned().collect();
    for node in nodes {
        let size = match digests && !named.contains(&node.name) {
            true => MAX_ELEMENTS,
            false => u64::MAX,
        };
        for value in node.attr.values_mut() {
            match &mut value.value {
                Some(Value::Tensor(tensor)) => encode_tensor(tensor, size),
                Some(Value::List(list)) => {
                    list.tensor.iter_mut().for_each(|tensor| encode_tensor(tensor, size));
                }
                // Text has one NaN.
                Some(Value::F(number)) if number.is_nan() => *number = f32::NAN,
                _ => {}
            }
        }
    }
}

/// Encodes a tensor; one of more than `most` elements, or of many bytes, with a digest.
fn encode_tensor(tensor: &mut TensorProto, most: u64) {
    // What cannot be parsed stays as it is.
    let Ok(constant) = Constant::parse(&tensor.encode_to_vec()) else { return };
    let elements = constant.shape().elements();
    let is_large = elements > most || most != u64::MAX && constant.head().len() > MAX_BYTES;
    let plain = TensorProto {
        dtype: tensor.dtype,
        tensor_shape: tensor.tensor_shape.clone(),
        ..TensorProto::default()
    };
    let written = if is_large { None } else { with_elements(&constant, plain.clone()) };
    match written {
        Some(written) if !has_odd_nan(&written) => *tensor = written,
        // Text has one NaN, and a digest has all bits.
        Some(_) => *tensor = with_digest(&constant, plain),
        None if is_large => *tensor = with_digest(&constant, plain),
        None => {}
    }
}

fn with_digest(constant: &Constant, plain: TensorProto) -> TensorProto {
    TensorProto { string_val: vec![digest(constant).into_bytes()], ..plain }
}

fn has_odd_nan(tensor: &TensorProto) -> bool {
    tensor.float_val.iter().any(|number| is_odd_nan32(number.to_bits()))
        || tensor.double_val.iter().any(|number| is_odd_nan64(number.to_bits()))
}

/// The digest of the elements, without repetitions of the last one: no more is hashed than the message holds.
fn digest(constant: &Constant) -> String {
    let head = constant.head();
    let last = constant.last();
    let mut len = head.len();
    while !last.is_empty() && len >= 2 * last.len() && is_same_before(head, len, last) {
        len -= last.len();
    }
    let mut hasher = Sha256::new();
    hasher.update(head.get(..len).unwrap_or_default());
    format!("{DIGEST}{}", hex(hasher.finalize()))
}

/// Whether the element before the last of `head[..len]` equals the last one.
fn is_same_before(head: &[u8], len: usize, last: &[u8]) -> bool {
    head.get(len - 2 * last.len()..len - last.len()) == Some(last)
}

/// The digest that a tensor has in place of its elements.
pub(in crate::snapshot) fn digest_in(tensor: &TensorProto) -> Option<&str> {
    let [text] = tensor.string_val.as_slice() else { return None };
    let text = str::from_utf8(text).ok()?;
    let digits = text.strip_prefix(DIGEST)?;
    let is_digest = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let plain = TensorProto {
        dtype: tensor.dtype,
        tensor_shape: tensor.tensor_shape.clone(),
        string_val: tensor.string_val.clone(),
        ..TensorProto::default()
    };
    (is_digest && plain == *tensor).then_some(text)
}

/// The tensor with all elements of a small constant, each written out; `None` for types that stay as they are.
fn with_elements(constant: &Constant, plain: TensorProto) -> Option<TensorProto> {
    let all = constant.tensor(MAX_WRITTEN).ok()?;
    let mut tensor = plain;
    match constant.dtype() {
        DType::F32 => tensor.float_val = all.elements::<f32>()?,
        DType::F64 => tensor.double_val = all.elements::<f64>()?,
        DType::I32 => tensor.int_val = all.elements::<i32>()?,
        DType::I64 => tensor.int64_val = all.elements::<i64>()?,
        DType::Bool => {
            tensor.bool_val =
                all.elements::<Bool>()?.into_iter().map(|truth| truth.0 != 0).collect()
        }
        DType::String => {
            tensor.string_val = all.byte_elements()?.iter().map(|b| b.to_vec()).collect()
        }
        _ => return None,
    }
    Some(tensor)
}
