//! Structured values: the arguments and results of functions, which are nested.
//!
//! They are read record by record, since they may be nested deeper than the decoder of structs allows.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::constant::ConstantValue;
use super::graph::TensorType;
use super::records::decode;
use crate::error::Result;
use crate::message::{
    Value, entries, field, fields, from_zigzag, int32, nested, records, string, utf8, varint,
};
use crate::schema::field::{
    bounded_tensor_spec_proto, dict_value, list_value, named_tuple_value, structured_value,
    type_spec_proto,
};
use crate::schema::tensorflow::type_spec_proto::TypeSpecClass;
use crate::serial::{Float, object};

/// The deepest nesting of messages that is read. TensorFlow reads no deeper model, since protobuf's limit is a hundred.
const DEEPEST: usize = 96;

/// Values by key, in their order.
pub(super) type Pairs = Vec<(String, StructuredValue)>;

/// An argument or result of a function, or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StructuredValue {
    /// No value, or a value of unknown kind.
    #[default]
    Unknown,
    /// A value that is nested too deep to be read.
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
    /// TensorFlow's name of a dtype; `None` where it is not recorded.
    #[serde(rename = "dtype", serialize_with = "dtype_entry")]
    DType(Option<String>),
    /// The type of a tensor.
    Tensor(Box<TensorSpec>),
    /// The type of a composite tensor, such as a ragged one.
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
    /// A named tuple.
    NamedTuple(Box<NamedTuple>),
    /// A tensor or NumPy array, with its values.
    Constant(Box<ConstantValue>),
}

/// The type of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TensorSpec {
    /// Its name in calls by keyword; empty where it has none.
    pub name: String,
    /// Its dtype and shape.
    #[serde(flatten)]
    pub ty: TensorType,
    /// The range of its values, if they are bounded.
    #[serde(flatten)]
    pub range: Option<Range>,
}

/// The least and the greatest value of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Range {
    /// The least value.
    pub minimum: ConstantValue,
    /// The greatest value.
    pub maximum: ConstantValue,
}

/// The type of a composite tensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TypeSpec {
    /// Its class, such as `RaggedTensorSpec`.
    pub class: String,
    /// The state of the class, as its `_serialize` returns it.
    pub state: StructuredValue,
}

/// A named tuple.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedTuple {
    /// The name of its class.
    pub name: String,
    /// Its fields, in their order.
    #[serde(rename = "entries", serialize_with = "pairs_as_entries")]
    pub fields: Vec<(String, StructuredValue)>,
}

impl StructuredValue {
    /// Reads a `StructuredValue`.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        Self::at(bytes, 0)
    }

    /// Reads a `StructuredValue` at this depth of messages.
    fn at(bytes: &[u8], depth: usize) -> Result<Self> {
        use structured_value as field;
        if depth > DEEPEST {
            return Ok(Self::TooDeep);
        }
        let mut found = Self::Unknown;
        for record in records(bytes) {
            found = match (record.number, record.value) {
                (field::NONE_VALUE, _) => Self::None,
                (field::FLOAT64_VALUE, Value::Fixed64(bits)) => Self::Float(f64::from_bits(bits)),
                (field::INT64_VALUE, Value::Varint(bits)) => Self::Integer(from_zigzag(bits)),
                (field::STRING_VALUE, Value::Len(text)) => Self::String(utf8(text).to_owned()),
                (field::BOOL_VALUE, Value::Varint(bits)) => Self::Bool(bits != 0),
                (field::TENSOR_SHAPE_VALUE, Value::Len(shape)) => {
                    Self::Shape(TensorType::new(0, Some(&decode(shape)?)).shape)
                }
                (field::TENSOR_DTYPE_VALUE, Value::Varint(code)) => {
                    Self::DType(TensorType::new(int32(code), None).dtype)
                }
                (field::TENSOR_SPEC_VALUE | field::BOUNDED_TENSOR_SPEC_VALUE, Value::Len(spec)) => {
                    Self::Tensor(Box::new(TensorSpec::parse(spec)?))
                }
                (field::TYPE_SPEC_VALUE, Value::Len(spec)) => {
                    Self::Type(Box::new(TypeSpec::parse(spec, depth)?))
                }
                (field::LIST_VALUE, Value::Len(list)) => Self::List(items(list, depth)?),
                (field::TUPLE_VALUE, Value::Len(list)) => Self::Tuple(items(list, depth)?),
                (field::DICT_VALUE, Value::Len(dict)) => {
                    Self::Dict(pairs(dict, dict_value::FIELDS, depth)?)
                }
                (field::NAMED_TUPLE_VALUE, Value::Len(tuple)) => {
                    Self::NamedTuple(Box::new(NamedTuple {
                        name: string(tuple, named_tuple_value::NAME).to_owned(),
                        fields: pairs(tuple, named_tuple_value::VALUES, depth)?,
                    }))
                }
                (field::TENSOR_VALUE | field::NUMPY_VALUE, Value::Len(tensor)) => {
                    Self::Constant(Box::new(ConstantValue::parse(tensor)?))
                }
                _ => continue,
            };
        }
        Ok(found)
    }

    /// Whether it is, or contains, the type of a tensor.
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

/// Writes an object of one entry, to which serde adds the tag of the enum.
pub(super) fn entry<S: Serializer>(
    key: &str,
    value: &(impl Serialize + ?Sized),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

fn float_entry<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    entry("value", &Float(*value), serializer)
}

/// Functions that write a value under a key.
macro_rules! entries {
    ($($function:ident: $key:literal),*) => {
        $(fn $function<S: Serializer>(value: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
            entry($key, value, serializer)
        })*
    };
}
entries!(value_entry: "value", shape_entry: "shape", dtype_entry: "dtype", items_entry: "items");

fn entries_entry<S: Serializer>(
    pairs: &[(String, StructuredValue)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    entry("entries", &Entries(pairs), serializer)
}

/// Writes values by key.
fn pairs_as_entries<S: Serializer>(
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

/// Values by key, written as a list of objects, since a key may occur twice.
struct Entries<'a>(&'a [(String, StructuredValue)]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(key, value)| object! { key: key, value: value }))
    }
}

impl TensorSpec {
    /// Reads a `TensorSpecProto`, or a `BoundedTensorSpecProto`, which has two more fields.
    fn parse(bytes: &[u8]) -> Result<Self> {
        use bounded_tensor_spec_proto as fields;
        // A scalar shape is an empty message, which may be left out.
        let shape = decode(nested(bytes, fields::SHAPE))?;
        let bound = |number| field(bytes, number).map(ConstantValue::parse).transpose();
        let range = bound(fields::MINIMUM)?.zip(bound(fields::MAXIMUM)?);
        Ok(Self {
            name: string(bytes, fields::NAME).to_owned(),
            ty: TensorType::new(int32(varint(bytes, fields::DTYPE).unwrap_or(0)), Some(&shape)),
            range: range.map(|(minimum, maximum)| Range { minimum, maximum }),
        })
    }
}

impl TypeSpec {
    /// Reads a `TypeSpecProto`.
    pub(super) fn parse(bytes: &[u8], depth: usize) -> Result<Self> {
        let state = field(bytes, type_spec_proto::TYPE_STATE);
        let state = state.map(|state| StructuredValue::at(state, depth + 2)).transpose()?;
        let mut class = string(bytes, type_spec_proto::TYPE_SPEC_CLASS_NAME).to_owned();
        if class.is_empty() {
            let code = int32(varint(bytes, type_spec_proto::TYPE_SPEC_CLASS).unwrap_or(0));
            class = match TypeSpecClass::try_from(code) {
                Ok(class) => class.as_str_name().to_owned(),
                Err(_) => format!("type spec {code}"),
            };
        }
        Ok(Self { class, state: state.unwrap_or_default() })
    }
}

fn items(bytes: &[u8], depth: usize) -> Result<Vec<StructuredValue>> {
    let items = fields(bytes, list_value::VALUES);
    items.map(|item| StructuredValue::at(item, depth + 2)).collect()
}

/// Reads the entries of a map, or `PairValue`s, which have the same encoding.
fn pairs(bytes: &[u8], number: u32, depth: usize) -> Result<Vec<(String, StructuredValue)>> {
    let pair =
        |(key, value): (&str, _)| Ok((key.to_owned(), StructuredValue::at(value, depth + 3)?));
    entries(bytes, number).map(pair).collect()
}
