//! Reads graphs.

use super::cursor::Fail;
use super::reader::Reader;
use super::{function, nodes, proto};
use crate::schema::tensorflow::{FunctionDefLibrary, GraphDef};

/// Reads a graph and its functions; `level` is that of the line `graph`.
pub(super) fn with_library(reader: &mut Reader<'_>, level: usize) -> Result<GraphDef, Fail> {
    let cursor = reader.expect("graph")?;
    cursor.end()?;
    let node = nodes::parse(reader, level + 1)?;
    let mut graph: GraphDef = proto::rest(reader, level + 1)?;
    graph.node = node;
    let mut functions = Vec::new();
    while let Some(cursor) = reader.eat(level, "function ") {
        functions.push(function::parse(reader, cursor, level)?);
    }
    if !functions.is_empty() {
        let library = graph.library.get_or_insert_with(FunctionDefLibrary::default);
        library.function = functions;
    }
    Ok(graph)
}
