//! How many nodes of each op a graph has, those of its functions included.

use std::collections::BTreeMap;

use crate::message::{fields, nested, string};
use crate::schema::field::{function_def, function_def_library, graph_def, node_def};

/// The number of nodes of each op in a `GraphDef`.
pub(super) fn op_counts(graph: &[u8]) -> BTreeMap<String, u64> {
    let functions = fields(nested(graph, graph_def::LIBRARY), function_def_library::FUNCTION);
    let of_functions = functions.flat_map(|function| fields(function, function_def::NODE_DEF));
    let mut counts = BTreeMap::<String, u64>::new();
    for node in fields(graph, graph_def::NODE).chain(of_functions) {
        let op = string(node, node_def::OP);
        match counts.get_mut(op) {
            Some(count) => *count += 1,
            None => {
                counts.insert(op.to_owned(), 1);
            }
        }
    }
    counts
}
