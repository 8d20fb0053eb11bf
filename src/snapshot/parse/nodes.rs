//! Reads nodes.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Fail};
use super::reader::Reader;
use super::{proto, value};
use crate::schema::tensorflow::{AttrValue, NodeDef};

/// Reads nodes and the lines of their scopes.
pub(super) fn parse(reader: &mut Reader<'_>, level: usize) -> Result<Vec<NodeDef>, Fail> {
    let mut nodes = Vec::new();
    let mut scope: Option<String> = None;
    while let Some(line) = reader.peek().filter(|line| line.level >= level) {
        let mut cursor = line.cursor();
        if line.level == level && cursor.has("other {") {
            break;
        }
        if line.level == level {
            scope = scope_line(line.cursor())?;
        }
        match (&scope, line.level) {
            (Some(_), at) if at == level => {}
            (Some(scope), at) if at == level + 1 => {
                nodes.push(node(&mut cursor, |leaf| format!("{scope}/{leaf}"))?);
            }
            (None, at) if at == level => nodes.push(node(&mut cursor, str::to_owned)?),
            _ => return Err(cursor.unexpected("another indentation")),
        }
        reader.next();
    }
    Ok(nodes)
}

/// The scope, if the line is that of one: a name and a slash. A name without quotes has that slash.
fn scope_line(mut cursor: Cursor<'_>) -> Result<Option<String>, Fail> {
    let is_quoted = cursor.has("\"");
    let mut name = cursor.name()?;
    let is_scope = match is_quoted {
        true => cursor.rest() == "/",
        false => cursor.rest().is_empty() && name.pop() == Some('/'),
    };
    Ok(is_scope.then_some(name))
}

/// Reads the line of a node; `full_name` makes its name from that in its scope.
fn node(cursor: &mut Cursor<'_>, full_name: impl FnOnce(&str) -> String) -> Result<NodeDef, Fail> {
    let name = full_name(&cursor.name()?);
    cursor.expect(" = ")?;
    let op = cursor.name()?;
    cursor.expect("(")?;
    let mut input = Vec::new();
    while !cursor.eat(")") {
        if !input.is_empty() {
            cursor.expect(", ")?;
        }
        input.push(cursor.name()?);
    }
    let mut device = String::new();
    if cursor.eat(" on ") {
        device = cursor.name()?;
        cursor.expect(";")?;
    }
    let attr = attrs(cursor)?;
    let mut node = NodeDef::default();
    if cursor.eat(" ") {
        node = proto::message(cursor)?;
    }
    cursor.end()?;
    Ok(NodeDef { name, op, input, device, attr, ..node })
}

/// Reads attributes up to the end of the line, or to a message.
pub(super) fn attrs(cursor: &mut Cursor<'_>) -> Result<BTreeMap<String, AttrValue>, Fail> {
    let mut attrs = BTreeMap::new();
    while cursor.has(" ") && !cursor.has(" {") {
        cursor.expect(" ")?;
        let start = cursor.clone();
        let name = cursor.name()?;
        cursor.expect("=")?;
        if attrs.insert(name, value::attr(cursor)?).is_some() {
            return Err(start.unexpected("an attribute that is not given before"));
        }
    }
    Ok(attrs)
}
