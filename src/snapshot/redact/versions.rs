//! Versions, op definitions and debug information; and parts that are written in two ways.

use crate::schema::tensorflow::{GraphDef, MetaGraphDef};
use crate::snapshot::{Redaction, Redactions};

/// Redacts the part of a meta graph that describes it.
pub(super) fn of_meta_graph(meta_graph: &mut MetaGraphDef, redactions: &Redactions) {
    let Some(info) = &mut meta_graph.meta_info_def else { return };
    if redactions.has(Redaction::Versions) {
        info.meta_graph_version.clear();
        info.tensorflow_version.clear();
        info.tensorflow_git_version.clear();
    }
    if redactions.has(Redaction::OpDefinitions) {
        info.stripped_op_list = None;
    }
    if redactions.has(Redaction::Defaults) {
        info.stripped_default_attrs = false;
    }
    if redactions.has(Redaction::Order) {
        info.tags.sort_unstable();
    }
    if *info == Default::default() {
        meta_graph.meta_info_def = None;
    }
}

/// Redacts the parts of a graph besides its nodes and functions. A library without functions is none, and a function always has a
/// signature, so that a graph has one text.
pub(super) fn of_graph(graph: &mut GraphDef, redactions: &Redactions) {
    if redactions.has(Redaction::Versions) {
        graph.version = 0;
        if let Some(versions) = &mut graph.versions {
            // The least consumer, and bad ones, decide which TensorFlow reads the graph.
            versions.producer = 0;
        }
        graph.versions = graph.versions.take().filter(|versions| *versions != Default::default());
    }
    if redactions.has(Redaction::DebugInfo) {
        graph.debug_info = None;
        super::each_node(graph, |node| node.experimental_debug_info = None);
    }
    if graph.library.as_ref().is_some_and(|library| *library == Default::default()) {
        graph.library = None;
    }
    for function in super::functions(graph) {
        function.signature.get_or_insert_default();
    }
}
