//! Makes the values of attributes.

use crate::saver::SaveSpec;
use crate::schema::tensorflow::attr_value::{ListValue, Value};
use crate::schema::tensorflow::tensor_shape_proto::Dim;
use crate::schema::tensorflow::{AttrValue, TensorProto, TensorShapeProto};
use crate::tensor::DType;

fn value(value: Value) -> AttrValue {
    AttrValue { value: Some(value) }
}

pub(super) fn dtype(dtype: DType) -> AttrValue {
    value(Value::Type(dtype.code()))
}

/// The dtypes of the tensors of `specs`.
pub(super) fn dtypes(specs: &[&SaveSpec]) -> AttrValue {
    let r#type = specs.iter().map(|spec| spec.dtype.code()).collect();
    value(Value::List(Box::new(ListValue { r#type, ..ListValue::default() })))
}

pub(super) fn truth(truth: bool) -> AttrValue {
    value(Value::B(truth))
}

pub(super) fn int(int: i64) -> AttrValue {
    value(Value::I(int))
}

pub(super) fn text(text: &str) -> AttrValue {
    value(Value::S(text.into()))
}

/// A list of strings, such as `_class`.
pub(super) fn texts(texts: &[String]) -> AttrValue {
    let s = texts.iter().map(|text| text.clone().into_bytes()).collect();
    value(Value::List(Box::new(ListValue { s, ..ListValue::default() })))
}

/// The shape of a scalar.
pub(super) fn scalar_shape() -> AttrValue {
    value(Value::Shape(TensorShapeProto::default()))
}

fn shape(dims: &[usize]) -> Option<TensorShapeProto> {
    let dim = |&dim: &usize| Dim { size: i64::try_from(dim).unwrap_or(i64::MAX), ..Dim::default() };
    Some(TensorShapeProto { dim: dims.iter().map(dim).collect(), unknown_rank: false })
}

/// A constant: its dtype and its tensor.
pub(super) struct Constant(pub(super) DType, pub(super) AttrValue);

/// A scalar string.
pub(super) fn string(text: &str) -> Constant {
    tensor(
        DType::String,
        TensorProto {
            tensor_shape: shape(&[]),
            string_val: vec![text.into()],
            ..TensorProto::default()
        },
    )
}

/// A vector of strings.
pub(super) fn strings<'a>(texts: impl Iterator<Item = &'a str>) -> Constant {
    let string_val: Vec<Vec<u8>> = texts.map(Into::into).collect();
    let tensor_shape = shape(&[string_val.len()]);
    tensor(DType::String, TensorProto { tensor_shape, string_val, ..TensorProto::default() })
}

/// A scalar int32.
pub(super) fn number(number: usize) -> Constant {
    let int_val = vec![i32::try_from(number).unwrap_or(i32::MAX)];
    tensor(DType::I32, TensorProto { tensor_shape: shape(&[]), int_val, ..TensorProto::default() })
}

/// A shape as a vector, of int32 if its dimensions fit.
pub(super) fn dims(dims: &[u64]) -> Constant {
    let tensor_shape = shape(&[dims.len()]);
    let short: Option<Vec<i32>> = dims.iter().map(|&dim| i32::try_from(dim).ok()).collect();
    let proto = TensorProto { tensor_shape, ..TensorProto::default() };
    match (short, dims) {
        (Some(int_val), [] | [_]) => tensor(DType::I32, TensorProto { int_val, ..proto }),
        (Some(short), _) => {
            let tensor_content = short.iter().flat_map(|dim| dim.to_le_bytes()).collect();
            tensor(DType::I32, TensorProto { tensor_content, ..proto })
        }
        (None, [dim]) => {
            let int64_val = vec![dim.cast_signed()];
            tensor(DType::I64, TensorProto { int64_val, ..proto })
        }
        (None, _) => {
            let tensor_content = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
            tensor(DType::I64, TensorProto { tensor_content, ..proto })
        }
    }
}

fn tensor(dtype: DType, proto: TensorProto) -> Constant {
    Constant(dtype, value(Value::Tensor(Box::new(TensorProto { dtype: dtype.code(), ..proto }))))
}
