//! Values of attributes: their equality, and their text in a report.

use super::Context;
use crate::diff::constant::{self, ConstantDiff};
use crate::graph::Constant;
use crate::message::{Record, Value, entries, field, fields, records, string, varint};
use crate::schema::Schema;
use crate::schema::field::{
    attr_value::{self, list_value},
    name_attr_list,
    tensor_shape_proto::{self, dim},
};
use crate::text::{BriefValue, brief};

/// The maximum number of bytes of a list in a text.
const MAX_LEN: usize = 2_000;

/// The attribute with the nodes on whose devices a node is placed.
pub(super) const COLOCATED: &str = "_class";

/// The names of nodes in the value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// There are none.
    None,
    /// Strings are made from names of nodes, or anything else.
    Derived,
    /// Strings are names of nodes.
    Nodes,
}

/// The names of nodes in the value of an attribute.
pub(super) fn names_in(attr: &str) -> Names {
    match attr {
        COLOCATED => Names::Nodes,
        "shared_name" | "debug_name" | "frame_name" => Names::Derived,
        _ => Names::None,
    }
}

impl Context<'_> {
    /// Whether two values of an attribute mean the same; `names` are those in strings.
    pub(super) fn is_same_value(&self, names: Names, lhs: &[u8], rhs: &[u8]) -> bool {
        let may_be_exchanged = || {
            names == Names::Nodes && self.renames.has_exchanged() || self.may_name_exchanged(lhs)
        };
        lhs == rhs && !may_be_exchanged() || self.are_same(names, attr_value::FUNC, lhs, rhs)
    }

    /// Whether a value may name a function whose name means another one in rhs, so that equal bytes may
    /// differ in meaning.
    pub(super) fn may_name_exchanged(&self, value: &[u8]) -> bool {
        self.functions.has_exchanged()
            && records(value).any(|record| names_function(record.number, attr_value::FUNC))
    }

    /// Whether the records mean the same, one by one; `func` is the number of the field for functions.
    fn are_same(&self, names: Names, func: u32, lhs: &[u8], rhs: &[u8]) -> bool {
        let (mut l, mut r) = (records(lhs), records(rhs));
        loop {
            match (l.next(), r.next()) {
                (None, None) => return true,
                (Some(l), Some(r))
                    if l.bytes == r.bytes
                        && !(names == Names::Nodes && self.renames.has_exchanged())
                        && !(self.functions.has_exchanged() && names_function(l.number, func)) => {}
                (Some(l), Some(r)) if l.number == r.number => {
                    if !self.is_same_record(names, func, &l, &r) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }

    fn is_same_record(&self, names: Names, func: u32, lhs: &Record<'_>, rhs: &Record<'_>) -> bool {
        let (Value::Len(l), Value::Len(r)) = (lhs.value, rhs.value) else {
            return lhs.bytes == rhs.bytes;
        };
        match lhs.number {
            number if number == func => self.is_same_function(l, r),
            attr_value::LIST if func == attr_value::FUNC => {
                self.are_same(names, list_value::FUNC, l, r)
            }
            attr_value::S => match (std::str::from_utf8(l), std::str::from_utf8(r)) {
                (Ok(l), Ok(r)) if l == r => names != Names::Nodes || !self.renames.is_exchanged(l),
                (Ok(l), Ok(r)) if names != Names::None => {
                    self.names().any(|names| names.is_rename(l, r))
                }
                (Ok(l), Ok(r)) => self.functions.is_rename(l, r),
                _ => false,
            },
            attr_value::TENSOR => match (Constant::parse(l), Constant::parse(r)) {
                (Ok(l), Ok(r)) => matches!(
                    constant::compare(&l, &r, self.compare),
                    Ok(ConstantDiff::Same | ConstantDiff::Close(_))
                ),
                _ => false,
            },
            _ => l == r,
        }
    }

    /// Whether two `NameAttrList`s are the same function with the same attributes.
    fn is_same_function(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        let name = |bytes| string(bytes, name_attr_list::NAME);
        self.functions.is_same_name(name(lhs), name(rhs)) && {
            let attrs = |bytes| entries(bytes, name_attr_list::ATTR).collect::<Vec<_>>();
            let (l, r) = (attrs(lhs), attrs(rhs));
            l.len() == r.len()
                && l.iter()
                    .zip(&r)
                    .all(|((a, x), (b, y))| a == b && self.is_same_value(names_in(a), x, y))
        }
    }
}

/// Whether a field of `AttrValue`, or of a list in one, may name a function; `func` is the number of that
/// field.
fn names_function(number: u32, func: u32) -> bool {
    number == func || number == attr_value::LIST && func == attr_value::FUNC
}

/// The text of a value: `DT_FLOAT`, `[?, 3]`, `"text"`, `[1, 2]`.
pub(super) fn attr_text(schema: &Schema, value: &[u8]) -> String {
    let Some(ty) = schema.message(attr_value::MESSAGE_NAME) else { return String::new() };
    let record = records(value).next();
    if let Some(record) = record.filter(|record| record.number == attr_value::SHAPE) {
        return shape_text(record.payload());
    }
    if let Some(list) = list(schema, value) {
        return list;
    }
    let field = record.and_then(|record| Some((ty.field(record.number)?, record.value)));
    brief(
        schema,
        match field {
            // The field is evident from the value.
            Some((field, value)) if field.kind.message().is_none() => {
                BriefValue::Value(field, value)
            }
            _ => BriefValue::Message(ty, value),
        },
    )
}

/// The text of a shape: `[?, 3]`, or `[…]` if the rank is unknown.
pub(in crate::diff) fn shape_text(bytes: &[u8]) -> String {
    if varint(bytes, tensor_shape_proto::UNKNOWN_RANK).is_some_and(|unknown| unknown != 0) {
        return "[…]".into();
    }
    let dims = fields(bytes, tensor_shape_proto::DIM).map(|dim| {
        match varint(dim, dim::SIZE).unwrap_or_default().cast_signed() {
            -1 => "?".to_owned(),
            size => size.to_string(),
        }
    });
    format!("[{}]", dims.collect::<Vec<_>>().join(", "))
}

/// The text of a list: `[1, 2]`, `["a", "b"]`, `[[?, 3], []]`; `None` for other values.
fn list(schema: &Schema, value: &[u8]) -> Option<String> {
    let list = field(value, attr_value::LIST)?;
    let mut items = Vec::new();
    let mut size = 0;
    for record in records(list) {
        items.push(match record.number {
            list_value::S => format!("\"{}\"", record.payload().escape_ascii()),
            list_value::SHAPE => shape_text(record.payload()),
            list_value::TENSOR | list_value::FUNC => return None,
            _ => {
                let ty = schema.message(list_value::MESSAGE_NAME)?;
                let field = ty.field(record.number)?;
                return Some(brief(schema, BriefValue::Numbers(ty, field, list)));
            }
        });
        size += items.last().map_or(0, String::len);
        if size > MAX_LEN {
            items.push("…".into());
            break;
        }
    }
    Some(format!("[{}]", items.join(", ")))
}
