//! Compares meta graphs and graphs: matches nodes and functions first, then compares everything with the
//! renames known.

use super::ModelRules;
use super::collection_entries::move_to_node_groups;
use super::object_graph::{ObjectMatching, remove_repeated};
use super::signature_keys::pair_renamed;
use crate::diff::graph::{FunctionMatching, GraphPair, SaverFunctions};
use crate::diff::message::{MessageDiff, MessagePair};
use crate::diff::path::PathBuilder;
use crate::diff::{Finding, Side};
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

/// The graphs of two models, with their nodes and functions matched.
pub(super) struct MatchedGraphs<'g, 'm> {
    sides: (&'g Graph<'m>, &'g Graph<'m>),
    pair: GraphPair<'g, 'm>,
    pub(super) functions: FunctionMatching<'g, 'm>,
    /// The wire bytes of the two graphs.
    bytes: (&'m [u8], &'m [u8]),
    /// The wire bytes of the object graphs next to the two graphs.
    objects: (&'m [u8], &'m [u8]),
}

impl MatchedGraphs<'_, '_> {
    /// Whether these are the two graphs; an `Any` may contain others.
    fn are(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        are_same(self.bytes, (lhs, rhs))
    }

    /// Whether these are the libraries of the two graphs.
    pub(super) fn have_libraries(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        are_same((self.sides.0.library().bytes, self.sides.1.library().bytes), (lhs, rhs))
    }

    /// Whether these are the object graphs next to the two graphs.
    pub(super) fn have_objects(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        are_same(self.objects, (lhs, rhs))
    }
}

fn are_same(known: (&[u8], &[u8]), (lhs, rhs): (&[u8], &[u8])) -> bool {
    // Usually the slices are identical, so large graphs need not be compared.
    let is_same = |a: &[u8], b: &[u8]| std::ptr::eq(a, b) || a == b;
    is_same(known.0, lhs) && is_same(known.1, rhs)
}

impl ModelRules<'_> {
    /// Compares two `MetaGraphDef`s.
    pub(super) fn meta_graph(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        let ops = |meta_graph| {
            let info = nested(meta_graph, meta_graph_def::META_INFO_DEF);
            let stripped_op_list = nested(info, meta_info_def::STRIPPED_OP_LIST);
            let table = OpTable::decode(stripped_op_list).map(|own| own.over(OpTable::builtin()));
            table.map_err(|error| error.to_string())
        };
        let (own, other) = (ops(lhs), ops(rhs));
        for error in [&own, &other].into_iter().filter_map(|table| table.as_ref().err()) {
            out.findings.push((at.field("meta_info_def").path(), error.clone()));
        }
        let builtin = OpTable::builtin();
        let ops = (own.as_ref().unwrap_or(builtin), other.as_ref().unwrap_or(builtin));
        let rules = ModelRules { ops, ..*self };
        let start = out.changes.len();
        let both = |field| (nested(lhs, field), nested(rhs, field));
        let (graphs, objects) =
            (both(meta_graph_def::GRAPH_DEF), both(meta_graph_def::OBJECT_GRAPH_DEF));
        rules.with_graphs(graphs, objects, at, out, |rules, out| {
            let start = out.changes.len();
            rules.differ().fields(pair, out);
            pair_renamed((lhs, rhs), rules.renames, at, &mut out.changes, start);
        });
        remove_repeated(&mut out.changes, start);
        move_to_node_groups((lhs, rhs), &mut out.changes, start);
    }

    /// Compares two `GraphDef`s.
    pub(super) fn graph(&self, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        let Some(graphs) = self.graphs.filter(|graphs| graphs.are(lhs, rhs)) else {
            let objects: (&[u8], &[u8]) = (&[], &[]);
            return self.with_graphs((lhs, rhs), objects, at, out, |rules, out| {
                rules.graph(pair, out);
            });
        };
        let context = self.context();
        graphs.pair.compare(&context, at, "node", out);
        graphs.functions.compare(&context, &at.field("library"), out);
        let (lhs_graph, rhs_graph) = graphs.sides;
        self.differ()
            .fields(&MessagePair { lhs: lhs_graph.rest(), rhs: rhs_graph.rest(), ..*pair }, out);
        let is_small = |graph: &Graph<'_>| {
            graph.nodes().len().max(graph.library().functions.len()) <= MAX_CHECKED
                && graph.rest().len() <= LARGEST_REST
        };
        if is_small(lhs_graph) && is_small(rhs_graph) {
            self.check(graphs.sides, at, out);
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

    /// Matches the nodes, functions and objects of two graphs, and calls `f` with the rules that know them.
    fn with_graphs(
        &self,
        (lhs, rhs): (&[u8], &[u8]),
        objects: (&[u8], &[u8]),
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
        f: impl FnOnce(&ModelRules<'_>, &mut MessageDiff),
    ) {
        let threads = self.compare.threads;
        let graphs = threads::both(threads, || Graph::new(lhs), || Graph::new(rhs));
        let Some((lhs_graph, rhs_graph)) = out.both((lhs, rhs), graphs, at) else { return };
        let libraries = (lhs_graph.library(), rhs_graph.library());
        let pair = GraphPair::new(&lhs_graph, &rhs_graph, threads);
        let functions = FunctionMatching::new(self.schema, libraries.0, libraries.1, &pair.renames);
        let (sides, bytes) = ((&lhs_graph, &rhs_graph), (lhs, rhs));
        let graphs = MatchedGraphs { sides, pair, functions, bytes, objects };
        let functions = &graphs.functions.renames;
        let objects = ObjectMatching::of_saved_model(objects.0, objects.1, functions)
            .unwrap_or_else(|error| {
                out.findings.push((at.field("object_graph_def").path(), error.to_string()));
                None
            });
        let keys = objects.as_ref().map(ObjectMatching::keys).unwrap_or_default();
        let saver_functions = SaverFunctions::new(&graphs.functions, &keys);
        f(
            &ModelRules {
                graphs: Some(&graphs),
                renames: &graphs.pair.renames,
                functions,
                objects: objects.as_ref(),
                keys: &keys,
                saver_functions: &saver_functions,
                ..*self
            },
            out,
        );
    }
}
