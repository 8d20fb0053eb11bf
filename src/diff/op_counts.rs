//! How many nodes of each op a graph has, those of its functions included.

use std::collections::BTreeMap;

use crate::message::{fields, nested, utf8};
use crate::schema::field::{function_def, function_def_library, graph_def, node_def};

/// The number of nodes of each op in a `GraphDef`.
pub(super) fn op_counts(graph: &[u8]) -> BTreeMap<String, u64> {
    let functions = fields(nested(graph, graph_def::LIBRARY), function_def_library::FUNCTION);
    let of_functions = functions.flat_map(|function| fields(function, function_def::NODE_DEF));
    let mut counts = BTreeMap::<&str, u64>::new();
    for node in fields(graph, graph_def::NODE).chain(of_functions) {
        // A graph is in canonical form, so the first op of a node is its only one.
        let op = fields(node, node_def::OP).next().unwrap_or_default();
        *counts.entry(utf8(op)).or_default() += 1;
    }
    counts.into_iter().map(|(op, count)| (op.to_owned(), count)).collect()
}
