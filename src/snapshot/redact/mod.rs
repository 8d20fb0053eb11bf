//! Takes out of a model what differs between two exports of it, in a fixed order of steps.
//!
//! ```text
//! attributes ─► object graphs ─► saver functions ─► random names ─► names of functions ─► numbers ─► constants ─► order
//! ```
//! Attributes come first, so that names in those that are dropped do not count; the order comes last, since it depends on names.

mod attributes;
mod constants;
mod functions;
mod numbers;
mod order;
mod renames;
mod saver_functions;
mod strings;
mod versions;

use super::structure::Body;
use super::{Redaction, Redactions, Snapshot};
use crate::error::Result;
use crate::schema::tensorflow::{FunctionDef, GraphDef, NodeDef};
pub(super) use constants::digest_in;

/// Applies the redactions of a snapshot.
///
/// # Errors
/// If a message is nested too deeply.
pub(super) fn redact(snapshot: &mut Snapshot) -> Result<()> {
    let redactions = snapshot.redactions.clone();
    for meta_graph in snapshot.meta_graphs_mut() {
        versions::of_meta_graph(meta_graph, &redactions);
        if redactions.has(Redaction::Objects) {
            meta_graph.object_graph_def = None;
        }
        if let Some(graph) = &mut meta_graph.graph_def {
            contents(graph, &redactions);
        }
        *meta_graph = strings::of_meta_graph(std::mem::take(meta_graph), &redactions)?;
        if redactions.has(Redaction::Numbers) {
            numbers::in_signatures(meta_graph);
        }
        if redactions.has(Redaction::Order) {
            order::sort_sets(meta_graph);
        }
        if let Some(graph) = &mut meta_graph.graph_def {
            values_and_order(graph, &redactions);
        }
    }
    if let Body::Graph(graph) = &mut snapshot.body {
        contents(graph, &redactions);
        **graph = strings::of_graph(std::mem::take(graph), &redactions)?;
        values_and_order(graph, &redactions);
    }
    if redactions.has(Redaction::Numbers) {
        snapshot.variables.iter_mut().for_each(|variables| numbers::in_variables(variables));
    }
    Ok(())
}

/// Removes attributes, bodies and versions.
fn contents(graph: &mut GraphDef, redactions: &Redactions) {
    versions::of_graph(graph, redactions);
    attributes::drop(graph, redactions);
    if redactions.has(Redaction::Objects) {
        each_node(graph, constants::drop_object_graph);
    }
    if redactions.has(Redaction::SaverFunctions) {
        saver_functions::empty(graph);
    }
}

/// Encodes constants, and sorts.
fn values_and_order(graph: &mut GraphDef, redactions: &Redactions) {
    let digests = redactions.has(Redaction::Constants);
    constants::encode(&mut graph.node, digests);
    functions(graph).for_each(|function| constants::encode(&mut function.node_def, digests));
    if redactions.has(Redaction::Order) {
        order::sort(graph);
    }
}

/// The functions of a graph.
fn functions(graph: &mut GraphDef) -> impl Iterator<Item = &mut FunctionDef> {
    graph.library.iter_mut().flat_map(|library| &mut library.function)
}

/// Changes every node, also those in functions.
fn each_node(graph: &mut GraphDef, mut change: impl FnMut(&mut NodeDef)) {
    graph.node.iter_mut().for_each(&mut change);
    functions(graph).flat_map(|function| &mut function.node_def).for_each(change);
}
