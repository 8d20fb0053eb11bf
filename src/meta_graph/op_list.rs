//! The op list: the definitions of the ops that a graph uses, without documentation.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Parts;
use crate::error::Result;
use crate::graph::{OpTable, attrs, calls_function};
use crate::message::{Message, Value, Writer, entries, field, fields, nested, records, string};
use crate::schema::field::meta_graph_def::{self, meta_info_def};
use crate::schema::field::op_def::{self, arg_def, attr_def};
use crate::schema::field::{function_def, function_def_library, graph_def, node_def, op_list};

/// The op list of a meta graph over the built-in op table.
pub(super) fn of<'m>(parts: &Parts<'m>) -> Result<OpTable<'m>> {
    let own = OpTable::decode(nested(parts.info, meta_info_def::STRIPPED_OP_LIST))?;
    Ok(own.over(OpTable::builtin()))
}

/// Whether a `MetaGraphDef` has an op list.
pub(crate) fn has_op_list(meta: &Message<'_>) -> bool {
    let info = nested(meta.bytes(), meta_graph_def::META_INFO_DEF);
    field(info, meta_info_def::STRIPPED_OP_LIST).is_some()
}

/// The records of an `OpList` with the ops of `graph`, a `GraphDef`, sorted by name, without those that `ops` does not have.
///
/// As in TensorFlow, the ops in a function count if the function is called as an op or by a `PartitionedCall`, but not if it is
/// the branch of a condition or the body of a loop.
pub(super) fn of_graph(graph: &[u8], ops: &OpTable<'_>) -> Vec<u8> {
    let mut out = Writer::default();
    for op in used(graph).into_iter().filter_map(|op| ops.bytes(op)) {
        out.put_message(op_list::OP, |out| without_docs(op, out));
    }
    out.finish()
}

/// The functions in the library of a `GraphDef`, by name.
pub(super) fn functions(graph: &[u8]) -> BTreeMap<&str, &[u8]> {
    let functions = fields(nested(graph, graph_def::LIBRARY), function_def_library::FUNCTION);
    let name = |function| string(nested(function, function_def::SIGNATURE), op_def::NAME);
    functions.map(|function| (name(function), function)).collect()
}

/// The ops of the graph and of the functions that it calls, without functions.
fn used(graph: &[u8]) -> BTreeSet<&str> {
    let functions = functions(graph);
    let (mut seen, mut used, mut open) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut mark = |op, open: &mut Vec<_>| {
        if seen.insert(op) {
            match functions.get(op) {
                Some(function) => open.push((*function, function_def::NODE_DEF)),
                None => drop(used.insert(op)),
            }
        }
    };
    open.push((graph, graph_def::NODE));
    while let Some((nodes, number)) = open.pop() {
        for node in fields(nodes, number) {
            let op = string(node, node_def::OP);
            mark(op, &mut open);
            if calls_function(op) {
                let mut attrs = entries(node, node_def::ATTR);
                let called = attrs.find(|(name, _)| *name == "f");
                if let Some((_, value)) = called {
                    mark(attrs::function(value), &mut open);
                }
            }
        }
    }
    used
}

/// Writes an `OpDef` without summaries and descriptions.
fn without_docs(op: &[u8], out: &mut Writer) {
    for record in records(op) {
        let description = match (record.number, record.value) {
            (op_def::INPUT_ARG | op_def::OUTPUT_ARG, Value::Len(_)) => arg_def::DESCRIPTION,
            (op_def::ATTR, Value::Len(_)) => attr_def::DESCRIPTION,
            (op_def::SUMMARY | op_def::DESCRIPTION, _) => continue,
            _ => {
                out.raw(record.bytes);
                continue;
            }
        };
        out.put_message(record.number, |out| {
            let kept = records(record.payload()).filter(|part| part.number != description);
            kept.for_each(|part| out.raw(part.bytes));
        });
    }
}
