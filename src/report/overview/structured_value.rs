//! Values of nested structures, as the arguments and results of a function have them.
//!
//! They are read record by record, since they may be nested deeper than a decoder of structs goes.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::constant::ConstantValue;
use super::graph::TensorType;
use super::records::{content, decode, key, nested, text, value};
use crate::error::Result;
use crate::message::{Records, Value, from_zigzag, int32};
use crate::schema::field::{
    bounded_tensor_spec_proto, dict_value, list_value, named_tuple_value, structured_value,
    type_spec_proto,
};
use crate::schema::tensorflow;
use crate::schema::tensorflow::type_spec_proto::TypeSpecClass;
use crate::serial::Float;

/// Messages inside each other that are looked into. TensorFlow reads no model with more: protobuf stops it at a hundred.
const DEEPEST: usize = 96;

/// Values by key, in their order.
pub(super) type Pairs = Vec<(String, StructuredValue)>;

/// A value of a nested structure: what a function takes or gives, or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StructuredValue {
    /// None is given, or one of a kind that is not known.
    #[default]
    Unknown,
    /// One so deep inside others that it is not looked at.
    TooDeep,
    /// Python's `None`.
    None,
    /// A truth value.
    #[serde(serialize_with = "value_entry")]
    Bool(bool),
    /// An integer.
    #[serde(serialize_with = "value_entry")]
    Integer(i64),
    /// A float.
    #[serde(serialize_with = "float_entry")]
    Float(f64),
    /// A string.
    #[serde(serialize_with = "value_entry")]
    String(String),
    /// A shape: the dimensions, as in [`TensorType`].
    #[serde(serialize_with = "shape_entry")]
    Shape(Option<Vec<Option<u64>>>),
    /// An element type, by TensorFlow's name; `None` where it is not given.
    #[serde(rename = "dtype", serialize_with = "dtype_entry")]
    DType(Option<String>),
    /// A place for a tensor.
    Tensor(Box<TensorSpec>),
    /// A place for what is made of several tensors, such as a ragged one.
    #[serde(rename = "type_spec")]
    Type(Box<TypeSpec>),
    /// A list.
    #[serde(serialize_with = "items_entry")]
    List(Vec<Self>),
    /// A tuple.
    #[serde(serialize_with = "items_entry")]
    Tuple(Vec<Self>),
    /// A dict, by key.
    #[serde(serialize_with = "entries_entry")]
    Dict(Vec<(String, Self)>),
    /// A tuple whose fields have names.
    NamedTuple(Box<NamedTuple>),
    /// A tensor or an array of numpy, with its values.
    Constant(Box<ConstantValue>),
}

/// A place for a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TensorSpec {
    /// The name that the tensor has in calls by name; empty where it has none.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub ty: TensorType,
    /// The values that it may hold, where they are bounded.
    #[serde(flatten)]
    pub range: Option<Range>,
}

/// The least and the greatest value of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Range {
    /// The least.
    pub minimum: ConstantValue,
    /// The greatest.
    pub maximum: ConstantValue,
}

/// A place for what is made of several tensors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TypeSpec {
    /// Its class, as `RaggedTensorSpec`.
    pub class: String,
    /// What the class is made from, as its `_serialize` gives it.
    pub state: StructuredValue,
}

/// A tuple whose fields have names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedTuple {
    /// The name of its class.
    pub name: String,
    /// Its fields, in their order.
    #[serde(rename = "entries", serialize_with = "entries")]
    pub fields: Vec<(String, StructuredValue)>,
}

impl StructuredValue {
    /// Reads a `StructuredValue`.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        Self::at(bytes, 0)
    }

    /// Reads one that is so many messages inside the outermost.
    fn at(bytes: &[u8], depth: usize) -> Result<Self> {
        if depth > DEEPEST {
            return Ok(Self::TooDeep);
        }
        let mut found = Self::Unknown;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let inside = content(&record);
            found = match (record.number, record.value) {
                (structured_value::NONE_VALUE, _) => Self::None,
                (structured_value::FLOAT64_VALUE, Value::Fixed64(bits)) => {
                    Self::Float(f64::from_bits(bits))
                }
                (structured_value::INT64_VALUE, Value::Varint(bits)) => {
                    Self::Integer(from_zigzag(bits))
                }
                (structured_value::STRING_VALUE, _) => Self::String(text(&record)),
                (structured_value::BOOL_VALUE, Value::Varint(bits)) => Self::Bool(bits != 0),
                (structured_value::TENSOR_SHAPE_VALUE, _) => {
                    Self::Shape(TensorType::new(0, Some(&decode(inside)?)).shape)
                }
                (structured_value::TENSOR_DTYPE_VALUE, Value::Varint(code)) => {
                    Self::DType(TensorType::new(int32(code), None).dtype)
                }
                (
                    structured_value::TENSOR_SPEC_VALUE
                    | structured_value::BOUNDED_TENSOR_SPEC_VALUE,
                    _,
                ) => Self::Tensor(Box::new(TensorSpec::parse(inside)?)),
                (structured_value::TYPE_SPEC_VALUE, _) => {
                    Self::Type(Box::new(TypeSpec::parse(inside, depth)?))
                }
                (structured_value::LIST_VALUE, _) => Self::List(items(inside, depth)?),
                (structured_value::TUPLE_VALUE, _) => Self::Tuple(items(inside, depth)?),
                (structured_value::DICT_VALUE, _) => {
                    Self::Dict(pairs(inside, dict_value::FIELDS, depth)?)
                }
                (structured_value::NAMED_TUPLE_VALUE, _) => {
                    Self::NamedTuple(Box::new(NamedTuple {
                        name: key(inside)?,
                        fields: pairs(inside, named_tuple_value::VALUES, depth)?,
                    }))
                }
                (structured_value::TENSOR_VALUE | structured_value::NUMPY_VALUE, _) => {
                    Self::Constant(Box::new(ConstantValue::parse(inside)?))
                }
                _ => continue,
            };
        }
        Ok(found)
    }

    /// Whether it, or anything in it, is a place for tensors.
    pub fn has_tensors(&self) -> bool {
        match self {
            Self::Tensor(_) | Self::Type(_) => true,
            Self::List(items) | Self::Tuple(items) => items.iter().any(Self::has_tensors),
            Self::Dict(pairs) => pairs.iter().any(|(_, value)| value.has_tensors()),
            Self::NamedTuple(tuple) => tuple.fields.iter().any(|(_, value)| value.has_tensors()),
            _ => false,
        }
    }

    /// The items of a list or tuple.
    pub(super) fn into_items(self) -> Vec<Self> {
        match self {
            Self::List(items) | Self::Tuple(items) => items,
            _ => Vec::new(),
        }
    }

    /// The entries of a dict, or the fields of a named tuple.
    pub(super) fn into_pairs(self) -> Pairs {
        match self {
            Self::Dict(pairs) => pairs,
            Self::NamedTuple(tuple) => tuple.fields,
            _ => Vec::new(),
        }
    }
}

/// Writes an object of one entry, next to which serde puts the tag of an enum.
pub(super) fn entry<S: Serializer>(
    key: &str,
    value: &(impl Serialize + ?Sized),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

fn value_entry<S: Serializer>(value: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    entry("value", value, serializer)
}

fn float_entry<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    entry("value", &Float(*value), serializer)
}

fn shape_entry<S: Serializer>(shape: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    entry("shape", shape, serializer)
}

fn dtype_entry<S: Serializer>(dtype: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    entry("dtype", dtype, serializer)
}

fn items_entry<S: Serializer>(items: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    entry("items", items, serializer)
}

fn entries_entry<S: Serializer>(
    pairs: &[(String, StructuredValue)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    entry("entries", &Entries(pairs), serializer)
}

/// Writes values by key.
fn entries<S: Serializer>(
    pairs: &[(String, StructuredValue)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Entries(pairs).serialize(serializer)
}

/// Writes values by key, or `null`.
pub(super) fn optional_entries<S: Serializer>(
    pairs: &Option<Vec<(String, StructuredValue)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    pairs.as_deref().map(Entries).serialize(serializer)
}

/// Values by key, written as a list of objects, since keys may be given twice.
struct Entries<'a>(&'a [(String, StructuredValue)]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Entry<'a> {
            key: &'a str,
            value: &'a StructuredValue,
        }
        serializer.collect_seq(self.0.iter().map(|(key, value)| Entry { key, value }))
    }
}

impl TensorSpec {
    /// Reads a `TensorSpecProto`, or a `BoundedTensorSpecProto`, which has two fields more.
    fn parse(bytes: &[u8]) -> Result<Self> {
        let (mut name, mut shape, mut dtype) = (String::new(), None, 0);
        let (mut least, mut greatest) = (None, None);
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (bounded_tensor_spec_proto::NAME, _) => name = text(&record),
                (bounded_tensor_spec_proto::SHAPE, _) => {
                    shape = Some(decode::<tensorflow::TensorShapeProto>(content(&record))?)
                }
                (bounded_tensor_spec_proto::DTYPE, Value::Varint(code)) => dtype = int32(code),
                (bounded_tensor_spec_proto::MINIMUM, _) => {
                    least = Some(ConstantValue::parse(content(&record))?)
                }
                (bounded_tensor_spec_proto::MAXIMUM, _) => {
                    greatest = Some(ConstantValue::parse(content(&record))?)
                }
                _ => {}
            }
        }
        // A shape that says nothing has no dimensions, and is left out.
        let ty = TensorType::new(dtype, Some(&shape.unwrap_or_default()));
        Ok(Self {
            name,
            ty,
            range: least.zip(greatest).map(|(minimum, maximum)| Range { minimum, maximum }),
        })
    }
}

impl TypeSpec {
    /// Reads a `TypeSpecProto`.
    pub(super) fn parse(bytes: &[u8], depth: usize) -> Result<Self> {
        let (mut code, mut class, mut state) = (0, String::new(), StructuredValue::Unknown);
        for record in Records::new(bytes, 0) {
            let record = record?;
            match (record.number, record.value) {
                (type_spec_proto::TYPE_SPEC_CLASS, Value::Varint(value)) => code = int32(value),
                (type_spec_proto::TYPE_STATE, _) => {
                    state = StructuredValue::at(content(&record), depth + 2)?
                }
                (type_spec_proto::TYPE_SPEC_CLASS_NAME, _) => class = text(&record),
                _ => {}
            }
        }
        if class.is_empty() {
            class = match TypeSpecClass::try_from(code) {
                Ok(class) => class.as_str_name().to_owned(),
                Err(_) => format!("type spec {code}"),
            };
        }
        Ok(Self { class, state })
    }
}

fn items(bytes: &[u8], depth: usize) -> Result<Vec<StructuredValue>> {
    nested(bytes, list_value::VALUES)
        .map(|item| StructuredValue::at(content(&item?), depth + 2))
        .collect()
}

/// Entries of a map, or `PairValue`s, which are encoded alike.
fn pairs(bytes: &[u8], number: u32, depth: usize) -> Result<Vec<(String, StructuredValue)>> {
    let pair = |entry: &[u8]| Ok((key(entry)?, StructuredValue::at(value(entry)?, depth + 3)?));
    nested(bytes, number).map(|entry| pair(content(&entry?))).collect()
}
