//! Reads the values of attributes.

use super::cursor::{Cursor, Fail};
use super::facts::{dtype, shape};
use super::{proto, tensor};
use crate::schema::tensorflow::attr_value::{ListValue, Value};
use crate::schema::tensorflow::{AttrValue, NameAttrList};

/// Reads the value of an attribute.
pub(super) fn attr(cursor: &mut Cursor<'_>) -> Result<AttrValue, Fail> {
    if cursor.has("{") {
        return proto::message(cursor);
    }
    if cursor.eat("list(") {
        return Ok(AttrValue { value: Some(Value::List(Box::new(list(cursor)?))) });
    }
    if cursor.eat("tensor(") {
        return Ok(AttrValue { value: Some(Value::Tensor(Box::new(tensor::parse(cursor)?))) });
    }
    if cursor.eat("&") {
        let function = NameAttrList { name: cursor.name()?, ..NameAttrList::default() };
        return Ok(AttrValue { value: Some(Value::Func(function)) });
    }
    Ok(AttrValue { value: Some(item(cursor)?) })
}

/// Reads a value that can be in a list.
fn item(cursor: &mut Cursor<'_>) -> Result<Value, Fail> {
    if cursor.has("\"") {
        return Ok(Value::S(cursor.string()?));
    }
    if cursor.has("[") {
        return Ok(Value::Shape(shape(cursor)?));
    }
    if cursor.has("DT_") {
        return Ok(Value::Type(dtype(cursor)?));
    }
    let start = cursor.clone();
    let word = cursor.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    match word {
        "true" => return Ok(Value::B(true)),
        "false" => return Ok(Value::B(false)),
        _ => {}
    }
    let is_integer = word.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    let number = match is_integer {
        true => word.parse().map(Value::I).ok(),
        false => word.parse().map(Value::F).ok(),
    };
    number.ok_or_else(|| start.unexpected("the value of an attribute"))
}

/// Reads a list up to its closing parenthesis.
fn list(cursor: &mut Cursor<'_>) -> Result<ListValue, Fail> {
    let mut list = ListValue::default();
    let mut kind = None;
    while !cursor.eat(")") {
        if kind.is_some() {
            cursor.expect(", ")?;
        }
        let start = cursor.clone();
        let item = item(cursor)?;
        let own = std::mem::discriminant(&item);
        if *kind.get_or_insert(own) != own {
            return Err(start.unexpected("a value of the kind of the first one"));
        }
        match item {
            Value::S(item) => list.s.push(item),
            Value::I(item) => list.i.push(item),
            Value::F(item) => list.f.push(item),
            Value::B(item) => list.b.push(item),
            Value::Type(item) => list.r#type.push(item),
            Value::Shape(item) => list.shape.push(item),
            _ => {}
        }
    }
    Ok(list)
}
