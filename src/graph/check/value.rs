//! The value of an attribute, read from its bytes.

use crate::graph::Node;
use crate::message::{Record, Value as Wire, fields, int32, numbers, records, string};
use crate::schema::Kind;
use crate::schema::field::{
    attr_value::{self, list_value},
    name_attr_list,
};

/// The value of an attribute, by the member that is set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Unset,
    List(List<'a>),
    String(&'a [u8]),
    Int(i64),
    Float,
    Bool,
    /// The code of a type.
    Type(i32),
    Shape,
    /// A `TensorProto`.
    Tensor(&'a [u8]),
    /// The name of an attribute of the enclosing function.
    Placeholder(&'a str),
    /// The name of a function.
    Func(&'a str),
}

/// The attributes of a node, by name.
pub(super) fn attrs<'a>(node: &Node<'a>) -> impl Iterator<Item = (&'a str, Value<'a>)> {
    node.attrs().map(|(name, value)| (name, Value::new(value)))
}

impl<'a> Value<'a> {
    /// Reads an `AttrValue`.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        records(bytes).filter_map(|record| Self::of(&record)).last().unwrap_or(Self::Unset)
    }

    fn of(record: &Record<'a>) -> Option<Self> {
        Some(match (record.number, record.value) {
            (attr_value::LIST, Wire::Len(list)) => Self::List(List(list)),
            (attr_value::S, Wire::Len(content)) => Self::String(content),
            (attr_value::I, Wire::Varint(number)) => Self::Int(number.cast_signed()),
            (attr_value::F, _) => Self::Float,
            (attr_value::B, _) => Self::Bool,
            (attr_value::TYPE, Wire::Varint(code)) => Self::Type(int32(code)),
            (attr_value::SHAPE, _) => Self::Shape,
            (attr_value::TENSOR, Wire::Len(tensor)) => Self::Tensor(tensor),
            (attr_value::PLACEHOLDER, Wire::Len(name)) => {
                Self::Placeholder(str::from_utf8(name).unwrap_or_default())
            }
            (attr_value::FUNC, Wire::Len(func)) => Self::Func(string(func, name_attr_list::NAME)),
            _ => return None,
        })
    }

    /// The type as op definitions call it; of a list, that of its first items, or `list`.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Unset => "nothing",
            Self::List(list) => list.members().next().unwrap_or("list"),
            Self::String(_) => "string",
            Self::Int(_) => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Type(_) => "type",
            Self::Shape => "shape",
            Self::Tensor(_) => "tensor",
            Self::Placeholder(_) => "placeholder",
            Self::Func(_) => "func",
        }
    }

    /// The functions that the value names.
    pub(super) fn functions(self) -> impl Iterator<Item = &'a str> {
        let (one, list) = match self {
            Self::Func(name) => (Some(name), List(&[])),
            Self::List(list) => (None, list),
            _ => (None, List(&[])),
        };
        one.into_iter()
            .chain(fields(list.0, list_value::FUNC).map(|func| string(func, name_attr_list::NAME)))
    }
}

/// A list of values.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'a>(&'a [u8]);

/// The type of a list by the number of its field, and the type of its items.
fn member(number: u32) -> Option<&'static str> {
    Some(match number {
        list_value::S => "list(string)",
        list_value::I => "list(int)",
        list_value::F => "list(float)",
        list_value::B => "list(bool)",
        list_value::TYPE => "list(type)",
        list_value::SHAPE => "list(shape)",
        list_value::TENSOR => "list(tensor)",
        list_value::FUNC => "list(func)",
        _ => return None,
    })
}

impl<'a> List<'a> {
    /// The types of the items, each as a list and as a single value; consecutive items of one type count once.
    pub(super) fn members(self) -> impl Iterator<Item = &'static str> {
        let mut last = 0;
        records(self.0).filter_map(move |record| {
            let is_new = last != record.number;
            last = record.number;
            member(record.number).filter(|_| is_new)
        })
    }

    /// The number of items.
    pub(super) fn len(self) -> u64 {
        let items = records(self.0).map(|record| match (record.number, record.value) {
            (list_value::I | list_value::B | list_value::TYPE, Wire::Len(packed)) => {
                packed.iter().filter(|byte| **byte < 0x80).count() as u64
            }
            (list_value::F, Wire::Len(packed)) => packed.len() as u64 / 4,
            (list_value::S..=list_value::FUNC, _) => 1,
            _ => 0,
        });
        items.sum()
    }

    /// The codes of the types in the list.
    pub(super) fn types(self) -> impl Iterator<Item = i32> {
        numbers(self.0, list_value::TYPE, Kind::Int32).map(int32)
    }

    /// The strings in the list.
    pub(super) fn strings(self) -> impl Iterator<Item = &'a [u8]> {
        fields(self.0, list_value::S)
    }
}
