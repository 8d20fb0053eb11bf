//! Values of nested structures, each with its kind.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use crate::report::{ConstantValue, Shown, StructuredValue, TensorSpec, TypeSpec};
use crate::serial::{Float, Number as Value};
use crate::tensor::{DType, Name};

/// A value of a nested structure.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum StructuredOut<'a> {
    Unknown,
    TooDeep,
    None,
    Bool { value: bool },
    Integer { value: i64 },
    Float { value: Float },
    String { value: &'a str },
    Shape { shape: Option<&'a [Option<u64>]> },
    Dtype { dtype: Option<&'a str> },
    Tensor(TensorOut<'a>),
    TypeSpec(TypeSpecOut<'a>),
    List { items: Items<'a> },
    Tuple { items: Items<'a> },
    Dict { entries: Entries<'a> },
    NamedTuple { name: &'a str, entries: Entries<'a> },
    Constant(ConstantOut<'a>),
}

impl<'a> StructuredOut<'a> {
    pub(super) fn new(value: &'a StructuredValue) -> Self {
        match value {
            StructuredValue::Unknown => Self::Unknown,
            StructuredValue::TooDeep => Self::TooDeep,
            StructuredValue::None => Self::None,
            StructuredValue::Bool(value) => Self::Bool { value: *value },
            StructuredValue::Integer(value) => Self::Integer { value: *value },
            StructuredValue::Float(value) => Self::Float { value: Float(*value) },
            StructuredValue::String(value) => Self::String { value },
            StructuredValue::Shape(shape) => Self::Shape { shape: shape.as_deref() },
            StructuredValue::DType(dtype) => Self::Dtype { dtype: dtype.as_deref() },
            StructuredValue::Tensor(spec) => Self::Tensor(TensorOut::new(spec)),
            StructuredValue::Type(spec) => Self::TypeSpec(TypeSpecOut::new(spec)),
            StructuredValue::List(items) => Self::List { items: Items(items) },
            StructuredValue::Tuple(items) => Self::Tuple { items: Items(items) },
            StructuredValue::Dict(pairs) => Self::Dict { entries: Entries(pairs) },
            StructuredValue::NamedTuple(tuple) => {
                Self::NamedTuple { name: &tuple.name, entries: Entries(&tuple.fields) }
            }
            StructuredValue::Constant(value) => Self::Constant(ConstantOut::new(value)),
        }
    }
}

/// The items of a list or tuple, made while they are written.
pub(super) struct Items<'a>(pub(super) &'a [StructuredValue]);

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(StructuredOut::new))
    }
}

/// Values by key, made while they are written.
pub(super) struct Entries<'a>(pub(super) &'a [(String, StructuredValue)]);

#[derive(Serialize)]
struct Entry<'a> {
    key: &'a str,
    value: StructuredOut<'a>,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.0.iter();
        serializer.collect_seq(
            entries.map(|(key, value)| Entry { key, value: StructuredOut::new(value) }),
        )
    }
}

/// A place for a tensor.
#[derive(Serialize)]
pub(super) struct TensorOut<'a> {
    name: &'a str,
    dtype: Option<&'a str>,
    shape: Option<&'a [Option<u64>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<ConstantOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<ConstantOut<'a>>,
}

impl<'a> TensorOut<'a> {
    fn new(spec: &'a TensorSpec) -> Self {
        let [minimum, maximum] = match &spec.range {
            Some([least, greatest]) => [Some(least), Some(greatest)],
            None => [None, None],
        };
        Self {
            name: &spec.name,
            dtype: spec.ty.dtype.as_deref(),
            shape: spec.ty.shape.as_deref(),
            minimum: minimum.map(ConstantOut::new),
            maximum: maximum.map(ConstantOut::new),
        }
    }
}

/// A place for what is made of several tensors.
#[derive(Serialize)]
pub(super) struct TypeSpecOut<'a> {
    class: &'a str,
    state: Box<StructuredOut<'a>>,
}

impl<'a> TypeSpecOut<'a> {
    pub(super) fn new(spec: &'a TypeSpec) -> Self {
        Self { class: &spec.class, state: Box::new(StructuredOut::new(&spec.state)) }
    }
}

/// A tensor with its first values.
#[derive(Serialize)]
pub(super) struct ConstantOut<'a> {
    dtype: Option<&'a str>,
    shape: Option<&'a [Option<u64>]>,
    elements: u64,
    values: Values<'a>,
    repeats: bool,
}

impl<'a> ConstantOut<'a> {
    pub(super) fn new(value: &'a ConstantValue) -> Self {
        Self {
            dtype: value.ty.dtype.as_deref(),
            shape: value.ty.shape.as_deref(),
            elements: value.elements,
            values: Values(&value.first, value.dtype.unwrap_or(DType::F64)),
            repeats: value.repeats,
        }
    }
}

/// Elements of this type; bytes as text, with what is not UTF-8 as `\xNN`.
struct Values<'a>(&'a [Shown], DType);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_seq(Some(self.0.len()))?;
        for shown in self.0 {
            match shown {
                Shown::Scalar(scalar) => out.serialize_element(&Value(*scalar, self.1))?,
                Shown::Bytes(bytes, len) => {
                    let more = if *len > bytes.len() as u64 { "…" } else { "" };
                    out.serialize_element(&format!("{}{more}", Name::from(bytes)))?;
                }
            }
        }
        out.end()
    }
}
