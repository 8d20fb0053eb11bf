//! Prints graphs: their nodes, then their functions.

use super::lines::Lines;
use super::{function, nodes, proto};
use crate::error::Result;
use crate::schema::tensorflow::GraphDef;

/// Prints a graph and its functions; `level` is that of the line `graph`.
///
/// # Errors
/// If a part cannot be printed.
pub(super) fn with_library(graph: &GraphDef, level: usize, out: &mut Lines) -> Result<()> {
    out.line(level, "graph");
    nodes::print(&graph.node, level + 1, out)?;
    let mut rest = GraphDef {
        library: graph.library.clone(),
        version: graph.version,
        versions: graph.versions.clone(),
        debug_info: graph.debug_info.clone(),
        node: Vec::new(),
    };
    let functions = rest.library.as_mut().map(|library| std::mem::take(&mut library.function));
    if rest.library.as_ref().is_some_and(|library| *library == Default::default()) {
        rest.library = None;
    }
    proto::rest(level + 1, &rest, out)?;
    functions.iter().flatten().try_for_each(|it| function::print(it, level, out))
}
