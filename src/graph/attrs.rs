//! The values of attributes, read from the wire bytes of an `AttrValue`.

use prost::Message as _;

use super::{Node, calls_function, is_case, is_if};
use crate::message::{field, fields, int32, nested, numbers, string, strings, varint};
use crate::schema::Kind;
use crate::schema::field::{
    attr_value::{self, list_value},
    name_attr_list,
};
use crate::schema::tensorflow::TensorShapeProto;
use crate::tensor::DType;

/// The boolean of an attribute.
pub(crate) fn truth(value: &[u8]) -> bool {
    varint(value, attr_value::B).is_some_and(|bits| bits != 0)
}

/// The integer of an attribute; 0 if there is none.
pub(crate) fn int(value: &[u8]) -> i64 {
    varint(value, attr_value::I).unwrap_or_default().cast_signed()
}

/// The bytes of an attribute.
pub(crate) fn bytes(value: &[u8]) -> &[u8] {
    nested(value, attr_value::S)
}

/// The `TensorProto` of an attribute.
pub(crate) fn tensor(value: &[u8]) -> Option<&[u8]> {
    field(value, attr_value::TENSOR)
}

/// The name of the function of an attribute; empty if there is none.
pub(crate) fn function(value: &[u8]) -> &str {
    string(nested(value, attr_value::FUNC), name_attr_list::NAME)
}

/// The strings of a list attribute; empty strings for those that are not UTF-8.
pub(crate) fn texts(value: &[u8]) -> impl Iterator<Item = &str> {
    strings(nested(value, attr_value::LIST), list_value::S)
}

/// The types of an attribute: a single one, or a list.
fn types(value: &[u8]) -> Vec<i32> {
    let single = varint(value, attr_value::TYPE);
    let listed = numbers(nested(value, attr_value::LIST), list_value::TYPE, Kind::Int32);
    single.into_iter().chain(listed).map(int32).collect()
}

impl<'m> Node<'m> {
    /// The types in an attribute: one, or a list; empty if it is missing.
    pub(crate) fn types(&self, attr: &str) -> Vec<i32> {
        self.attr(attr).map(types).unwrap_or_default()
    }

    /// The dtype in an attribute, if it is known.
    pub(crate) fn dtype_in(&self, attr: &str) -> Option<DType> {
        self.types(attr).first().and_then(|&code| DType::from_code(code))
    }

    /// The name of the function that the node may call: that of its function attribute, or its op.
    pub(crate) fn called(&self) -> &'m str {
        match calls_function(self.op) {
            true => self.attr("f").map(function).unwrap_or_default(),
            false => self.op,
        }
    }

    /// The names of the functions of which the node calls one; none unless it is a condition, whose other inputs are the arguments.
    pub(crate) fn branches(&self) -> Vec<&'m str> {
        if is_case(self.op) {
            let list = self.attr("branches").map(|value| nested(value, attr_value::LIST));
            let functions = fields(list.unwrap_or_default(), list_value::FUNC);
            return functions.map(|function| string(function, name_attr_list::NAME)).collect();
        }
        let attrs: &[&str] = if is_if(self.op) { &["then_branch", "else_branch"] } else { &[] };
        attrs.iter().map(|name| self.attr(name).map(function).unwrap_or_default()).collect()
    }

    /// Whether the node selects a branch by its number.
    pub(crate) fn is_case(&self) -> bool {
        is_case(self.op)
    }

    /// The shape that the node of a variable states.
    pub(crate) fn declared_shape(&self) -> Option<Vec<Option<u64>>> {
        // The op `Variable` has an empty shape if the shape is unknown.
        self.shape_in("shape").filter(|shape| self.op != "Variable" || !shape.is_empty())
    }

    /// The shape of an attribute; `None` if there is none, or its rank is unknown.
    pub(crate) fn shape_in(&self, attr: &str) -> Option<Vec<Option<u64>>> {
        let shape = field(self.attr(attr)?, attr_value::SHAPE)?;
        let shape = TensorShapeProto::decode(shape).ok()?;
        let dims = || shape.dim.iter().map(|dim| u64::try_from(dim.size).ok()).collect();
        (!shape.unknown_rank).then(dims)
    }
}
