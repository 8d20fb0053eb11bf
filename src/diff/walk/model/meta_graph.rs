//! Compares meta graphs and graphs: reads and matches both sides first, then compares everything with what corresponds.

use super::ModelRules;
use super::collection_entries::move_to_node_groups;
use super::object_graph::remove_repeated;
use super::signature_keys::pair_renamed;
use crate::diff::matching::graph::GraphPair;
use crate::diff::matching::{Correspondence, ModelSides, object_graphs};
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{Finding, Side};
use crate::graph::object_graph::ObjectGraphKind;
use crate::graph::{Graph, OpTable, check};
use crate::message::nested;
use crate::schema::field::meta_graph_def::{self, meta_info_def};
use crate::threads;

/// The maximum number of nodes, and of functions, of a graph that is checked during a comparison. Checks of larger graphs would take longer
/// than the comparison, and are left to `verify`.
const MAX_CHECKED: usize = 25_000;

/// The same limit for everything other than nodes, mostly functions, in bytes.
const LARGEST_REST: usize = 4 << 20;

/// The maximum number of findings of one graph.
const FINDINGS: usize = 100;

impl ModelRules<'_> {
    /// Compares two `MetaGraphDef`s.
    pub(super) fn meta_graph(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        let [own, other] = [lhs, rhs].map(|side| op_table(side, at, out));
        let builtin = OpTable::builtin();
        let ops = (own.as_ref().unwrap_or(builtin), other.as_ref().unwrap_or(builtin));
        let start = out.changes.len();
        if let Some(sides) = self.sides(pair, out) {
            let known = Correspondence::new(self.schema, &sides, self.compare.threads);
            let (graph, objects) = (at.field("graph_def"), at.field("object_graph_def"));
            let (graph, objects) = (Some(&graph), Some(&objects));
            let rules = ModelRules { ops, graph, objects, ..self.with(&known) };
            rules.differ().fields(pair, out);
            pair_renamed((lhs, rhs), known.renames(), at, &mut out.changes, start);
        }
        remove_repeated(&mut out.changes, start);
        move_to_node_groups((lhs, rhs), &mut out.changes, start);
    }

    /// Reads the graphs of two meta graphs and the object graphs next to them; `None` if the graphs cannot be read.
    fn sides<'m>(&self, pair: &MessagePair<'m>, out: &mut MessageDiff) -> Option<ModelSides<'m>> {
        let both = |field| (nested(pair.lhs, field), nested(pair.rhs, field));
        let graphs = self.graphs(both(meta_graph_def::GRAPH_DEF), pair.at, out)?;
        let objects = both(meta_graph_def::OBJECT_GRAPH_DEF);
        let objects = object_graphs(ObjectGraphKind::Saved, objects).unwrap_or_else(|error| {
            out.findings.push((pair.at.field("object_graph_def").path(), error.to_string()));
            None
        });
        Some(ModelSides { graphs, objects })
    }

    fn graphs<'m>(
        &self,
        (lhs, rhs): (&'m [u8], &'m [u8]),
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) -> Option<(Graph<'m>, Graph<'m>)> {
        let read = threads::both(self.compare.threads, || Graph::new(lhs), || Graph::new(rhs));
        out.both((lhs, rhs), read, at)
    }

    /// Compares two `GraphDef`s that are in no meta graph.
    pub(super) fn graph(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let Some(graphs) = self.graphs((pair.lhs, pair.rhs), pair.at, out) else { return };
        let sides = ModelSides { graphs, objects: None };
        let known = Correspondence::new(self.schema, &sides, self.compare.threads);
        if let Some(nodes) = &known.nodes {
            let rules = ModelRules { graph: Some(pair.at), ..self.with(&known) };
            rules.matched_graph(nodes, pair, out);
        }
    }

    /// Compares two `GraphDef`s whose nodes are matched.
    pub(super) fn matched_graph(
        &self,
        nodes: &GraphPair<'_, '_>,
        pair: &MessagePair<'_>,
        out: &mut MessageDiff,
    ) {
        let at = pair.at;
        let context = self.context();
        nodes.compare(&context, at, "node", out);
        self.known.functions().compare(&context, &at.field("library"), out);
        let (lhs, rhs) = nodes.graphs();
        self.differ().fields(&MessagePair { lhs: lhs.rest(), rhs: rhs.rest(), ..*pair }, out);
        let is_small = |graph: &Graph<'_>| {
            graph.nodes().len().max(graph.library().functions.len()) <= MAX_CHECKED
                && graph.rest().len() <= LARGEST_REST
        };
        if is_small(lhs) && is_small(rhs) {
            self.check((lhs, rhs), at, out);
        }
    }

    /// Checks each graph by itself.
    fn check(
        &self,
        (lhs, rhs): (&Graph<'_>, &Graph<'_>),
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let (l, r) = threads::both(
            self.compare.threads,
            || check(lhs, self.ops.0, FINDINGS),
            || check(rhs, self.ops.1, FINDINGS),
        );
        let path = at.path().to_string();
        for (side, checked) in [(Side::Lhs, l), (Side::Rhs, r)] {
            out.of_graphs.extend(checked.findings.into_iter().map(|finding| {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{}", finding.path);
                Finding { side: Some(side), path, problem: finding.problem }
            }));
        }
    }
}

/// The op definitions of a meta graph over those of TensorFlow; `None` if they cannot be read.
fn op_table<'m>(
    meta_graph: &'m [u8],
    at: &PathBuilder<'_>,
    out: &mut MessageDiff,
) -> Option<OpTable<'m>> {
    let info = nested(meta_graph, meta_graph_def::META_INFO_DEF);
    match OpTable::decode(nested(info, meta_info_def::STRIPPED_OP_LIST)) {
        Ok(own) => Some(own.over(OpTable::builtin())),
        Err(error) => {
            out.findings.push((at.field("meta_info_def").path(), error.to_string()));
            None
        }
    }
}
