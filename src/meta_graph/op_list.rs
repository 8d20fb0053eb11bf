//! The definitions of the ops that a graph uses, without their documentation.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{bytes_in, records, text_in, write};
use super::parts::Parts;
use crate::error::Result;
use crate::graph::{OpTable, attr, bytes_of, text_of};
use crate::message::Writer;
use crate::schema::WireType;
use crate::schema::field::{
    attr_value, function_def, function_def_library, graph_def,
    meta_graph_def::meta_info_def,
    name_attr_list, node_def,
    op_def::{self, arg_def, attr_def},
    op_list,
};

/// The definitions that a meta graph brings along, over those of TensorFlow.
pub(super) fn of<'m>(parts: &Parts<'m>) -> Result<OpTable<'m>> {
    let own =
        OpTable::decode(bytes_in(parts.info, meta_info_def::STRIPPED_OP_LIST).unwrap_or_default())?;
    Ok(own.over(OpTable::builtin()))
}

/// The records of an `OpList` with the ops of `graph`, a `GraphDef`, sorted by name; those that `ops` lacks are left out.
///
/// As in TensorFlow, a function counts whose name is an op, or which a `PartitionedCall` calls: not those that are
/// branches of a condition or bodies of a loop.
pub(super) fn of_graph(graph: &[u8], ops: &OpTable<'_>) -> Vec<u8> {
    let mut out = Writer::default();
    for bytes in used(graph).into_iter().filter_map(|op| ops.bytes(op)) {
        out.tag(op_list::OP, WireType::Len);
        out.open();
        without_docs(bytes, &mut out);
        out.close();
    }
    out.finish()
}

/// The functions in the library of a `GraphDef`, by name.
pub(super) fn functions(graph: &[u8]) -> BTreeMap<&str, &[u8]> {
    let library = bytes_in(graph, graph_def::LIBRARY).unwrap_or_default();
    let functions =
        records(library).filter(|record| record.number == function_def_library::FUNCTION);
    functions
        .map(|record| {
            let function = bytes_of(&record);
            (
                text_in(
                    bytes_in(function, function_def::SIGNATURE).unwrap_or_default(),
                    op_def::NAME,
                ),
                function,
            )
        })
        .collect()
}

/// The ops of the graph and of the functions that can be reached, functions left out.
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
        for record in records(nodes).filter(|record| record.number == number) {
            let (op, called) = ops(bytes_of(&record));
            mark(op, &mut open);
            if let Some(called) = called {
                mark(called, &mut open);
            }
        }
    }
    used
}

/// The op of a node, and the function that it calls.
fn ops(node: &[u8]) -> (&str, Option<&str>) {
    let (mut op, mut called) = ("", None);
    for record in records(node) {
        match record.number {
            node_def::OP => op = text_of(&record),
            node_def::ATTR if matches!(op, "PartitionedCall" | "StatefulPartitionedCall") => {
                if let ("f", value) = attr(bytes_of(&record)) {
                    called = bytes_in(value, attr_value::FUNC)
                        .map(|function| text_in(function, name_attr_list::NAME));
                }
            }
            _ => {}
        }
    }
    (op, called)
}

/// Writes the records of an `OpDef` but for summaries and descriptions.
fn without_docs(op: &[u8], out: &mut Writer) {
    for record in records(op) {
        let description = match record.number {
            op_def::INPUT_ARG | op_def::OUTPUT_ARG => arg_def::DESCRIPTION,
            op_def::ATTR => attr_def::DESCRIPTION,
            op_def::SUMMARY | op_def::DESCRIPTION => continue,
            _ => {
                out.raw(record.bytes);
                continue;
            }
        };
        let part = bytes_of(&record);
        if records(part).all(|record| record.number != description) {
            out.raw(record.bytes);
            continue;
        }
        let kept = records(part).filter(|record| record.number != description);
        let kept: Vec<u8> = kept.flat_map(|record| record.bytes).copied().collect();
        write(record.number, &kept, out);
    }
}
