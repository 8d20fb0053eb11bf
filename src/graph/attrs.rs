//! What attributes say, read from the wire bytes of an `AttrValue`.

use prost_reflect::prost::Message as _;

use super::{Node, bytes_of, text_of};
use crate::message::{Packed, Record, Records, Value, int32};
use crate::schema::Kind;
use crate::schema::field::{
    attr_value::{self, list_value},
    name_attr_list,
};
use crate::schema::tensorflow::TensorShapeProto;

/// The record in the field `number`.
fn field(value: &[u8], number: u32) -> Option<Record<'_>> {
    Records::new(value, 0).map_while(Result::ok).find(|record| record.number == number)
}

/// The boolean in an attribute.
pub(crate) fn truth(value: &[u8]) -> bool {
    field(value, attr_value::B).is_some_and(|record| matches!(record.value, Value::Varint(1..)))
}

/// The integer in an attribute; 0 where there is none.
pub(crate) fn int(value: &[u8]) -> i64 {
    match field(value, attr_value::I) {
        Some(Record { value: Value::Varint(bits), .. }) => bits.cast_signed(),
        _ => 0,
    }
}

/// The bytes in an attribute.
pub(crate) fn bytes(value: &[u8]) -> &[u8] {
    field(value, attr_value::S).map(|record| bytes_of(&record)).unwrap_or_default()
}

/// The `TensorProto` in an attribute.
pub(crate) fn tensor(value: &[u8]) -> Option<&[u8]> {
    field(value, attr_value::TENSOR).map(|record| bytes_of(&record))
}

/// The name of the function in an attribute; nothing where there is none.
pub(crate) fn function(value: &[u8]) -> &str {
    let inside = field(value, attr_value::FUNC).map(|record| bytes_of(&record)).unwrap_or_default();
    field(inside, name_attr_list::NAME).map(|record| text_of(&record)).unwrap_or_default()
}

/// The strings in the list of an attribute that are UTF-8.
pub(crate) fn texts(value: &[u8]) -> Vec<&str> {
    let list = field(value, attr_value::LIST).map(|record| bytes_of(&record)).unwrap_or_default();
    let records = Records::new(list, 0).map_while(Result::ok);
    records.filter(|record| record.number == list_value::S).map(|record| text_of(&record)).collect()
}

/// The types in an attribute: one, or a list.
pub(crate) fn types(value: &[u8]) -> Vec<i32> {
    let mut types = Vec::new();
    for record in Records::new(value, 0).map_while(Result::ok) {
        match (record.number, record.value) {
            (attr_value::TYPE, Value::Varint(code)) => types.push(int32(code)),
            (attr_value::LIST, Value::Len(list)) => {
                for record in Records::new(list, 0).map_while(Result::ok) {
                    match (record.number, record.value) {
                        (list_value::TYPE, Value::Varint(code)) => types.push(int32(code)),
                        (list_value::TYPE, Value::Len(packed)) => {
                            for value in Packed::new(Kind::Uint64, packed, 0).map_while(Result::ok)
                            {
                                if let Value::Varint(code) = value {
                                    types.push(int32(code));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    types
}

impl<'m> Node<'m> {
    /// The name of the function that it calls, if its library has one: that of its attribute, or of its op.
    pub(crate) fn called(&self) -> &'m str {
        match self.op {
            "StatefulPartitionedCall" | "PartitionedCall" => {
                self.attr("f").map(function).unwrap_or_default()
            }
            op => op,
        }
    }

    /// The shape that a variable has, as far as its node says.
    pub(crate) fn declared_shape(&self) -> Option<Vec<Option<u64>>> {
        // The oldest op for variables had no other way to say that it knows none.
        self.shape_in("shape").filter(|shape| self.op != "Variable" || !shape.is_empty())
    }

    /// The shape in an attribute: `None` where there is none, or it is of any rank.
    pub(crate) fn shape_in(&self, attr: &str) -> Option<Vec<Option<u64>>> {
        let record = field(self.attr(attr)?, attr_value::SHAPE)?;
        let shape = TensorShapeProto::decode(bytes_of(&record)).ok()?;
        let dims = || shape.dim.iter().map(|dim| u64::try_from(dim.size).ok()).collect();
        (!shape.unknown_rank).then(dims)
    }
}
