//! Reads functions.

use std::collections::BTreeMap;

use super::cursor::{Cursor, Fail};
use super::reader::Reader;
use super::{facts, nodes, proto};
use crate::schema::tensorflow::op_def::ArgDef;
use crate::schema::tensorflow::{FunctionDef, OpDef};

/// Reads a function. The cursor is at its name, in a line of this level.
pub(super) fn parse(
    reader: &mut Reader<'_>,
    mut cursor: Cursor<'_>,
    level: usize,
) -> Result<FunctionDef, Fail> {
    let name = cursor.name()?;
    cursor.end()?;
    let level = level + 1;
    let input_arg = arguments(reader, "arg ", level)?;
    let output_arg = arguments(reader, "result ", level)?;
    let mut control_output = Vec::new();
    while let Some(mut cursor) = reader.eat(level, "control ") {
        control_output.push(cursor.name()?);
        cursor.end()?;
    }
    let mut attr = BTreeMap::new();
    if let Some(mut cursor) = reader.eat(level, "with") {
        attr = nodes::attrs(&mut cursor)?;
        cursor.end()?;
    }
    let rest: FunctionDef = proto::rest(reader, level)?;
    let signature = rest.signature.unwrap_or_default();
    let signature = Some(OpDef { name, input_arg, output_arg, control_output, ..signature });
    reader.expect("nodes")?.end()?;
    let node_def = nodes::parse(reader, level + 1)?;
    let ret = pairs(reader, "return ", level)?;
    let control_ret = pairs(reader, "always ", level)?;
    Ok(FunctionDef { signature, node_def, ret, attr, control_ret, ..rest })
}

fn arguments(reader: &mut Reader<'_>, what: &str, level: usize) -> Result<Vec<ArgDef>, Fail> {
    let mut arguments = Vec::new();
    while let Some(mut cursor) = reader.eat(level, what) {
        let argument = match cursor.has("{") {
            true => proto::message(&mut cursor)?,
            false => {
                let name = cursor.name()?;
                cursor.expect(" ")?;
                ArgDef { name, r#type: facts::dtype(&mut cursor)?, ..ArgDef::default() }
            }
        };
        cursor.end()?;
        arguments.push(argument);
    }
    Ok(arguments)
}

/// Reads lines with a name and what it stands for.
fn pairs(
    reader: &mut Reader<'_>,
    what: &str,
    level: usize,
) -> Result<BTreeMap<String, String>, Fail> {
    let mut pairs = BTreeMap::new();
    while let Some(mut cursor) = reader.eat(level, what) {
        let start = cursor.clone();
        let key = cursor.name()?;
        cursor.expect(" = ")?;
        let value = cursor.name()?;
        cursor.end()?;
        if pairs.insert(key, value).is_some() {
            return Err(start.unexpected("a name that is not given above"));
        }
    }
    Ok(pairs)
}
