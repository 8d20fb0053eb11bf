//! Meta graphs and graphs: first the nodes and functions find each other, then all is compared with what is known of names.

use super::Model;
use super::entries::tell_with_nodes;
use super::object_graph::{Objects, tell_once};
use crate::diff::graph::{Functions, Pair, SaverFunctions};
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::diff::{Finding, SideOf};
use crate::graph::{Graph, OpTable, check};
use crate::message::nested;
use crate::schema::MessageType;
use crate::schema::field::meta_graph_def::{self, meta_info_def};
use crate::threads;

/// Nodes up to which graphs are checked while they are compared; beyond, that would take longer than the comparison, and is
/// left to `verify`.
const MOST_CHECKED: usize = 25_000;

/// The same for all that a graph has beside its nodes, which is its functions: bytes.
const LARGEST_REST: usize = 4 << 20;

/// What is told of one graph at most.
const FINDINGS: usize = 100;

/// The graphs of two models whose nodes and functions have found each other.
pub(super) struct Graphs<'g, 'm> {
    sides: (&'g Graph<'m>, &'g Graph<'m>),
    pair: Pair<'g, 'm>,
    functions: Functions<'g, 'm>,
    /// The wire bytes of the two graphs.
    bytes: (&'m [u8], &'m [u8]),
    /// The wire bytes of the two object graphs beside them.
    objects: (&'m [u8], &'m [u8]),
}

impl Graphs<'_, '_> {
    /// Whether these are the two graphs. An `Any` may hold others.
    fn are(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        are_same(self.bytes, (lhs, rhs))
    }

    /// Whether these are the libraries of the two graphs.
    pub(super) fn have_libraries(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        are_same((self.sides.0.library().bytes, self.sides.1.library().bytes), (lhs, rhs))
    }

    /// Whether these are the object graphs beside the two graphs.
    pub(super) fn have_objects(&self, lhs: &[u8], rhs: &[u8]) -> bool {
        are_same(self.objects, (lhs, rhs))
    }
}

fn are_same(known: (&[u8], &[u8]), (lhs, rhs): (&[u8], &[u8])) -> bool {
    // Most often they are not only alike: large graphs need not be read for that.
    let is_same = |a: &[u8], b: &[u8]| std::ptr::eq(a, b) || a == b;
    is_same(known.0, lhs) && is_same(known.1, rhs)
}

impl Model<'_> {
    /// Compares two `MetaGraphDef`s.
    pub(super) fn meta_graph(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
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
        let model = Model { ops, ..*self };
        let before = out.changes.len();
        let objects = (
            nested(lhs, meta_graph_def::OBJECT_GRAPH_DEF),
            nested(rhs, meta_graph_def::OBJECT_GRAPH_DEF),
        );
        model.with_graphs(
            (nested(lhs, meta_graph_def::GRAPH_DEF), nested(rhs, meta_graph_def::GRAPH_DEF)),
            objects,
            at,
            out,
            |model, out| {
                model.messages().fields(ty, lhs, rhs, at, out);
            },
        );
        tell_once(&mut out.changes, before);
        tell_with_nodes((lhs, rhs), &mut out.changes, before);
        true
    }

    /// Compares two `GraphDef`s.
    pub(super) fn graph(
        &self,
        ty: &MessageType,
        lhs: &[u8],
        rhs: &[u8],
        at: &Trail<'_>,
        out: &mut Found,
    ) -> bool {
        let Some(graphs) = self.graphs.filter(|graphs| graphs.are(lhs, rhs)) else {
            self.with_graphs((lhs, rhs), (&[], &[]), at, out, |model, out| {
                model.graph(ty, lhs, rhs, at, out);
            });
            return true;
        };
        graphs.pair.compare(&self.context(), at, "node", &mut out.changes);
        let library = at.field("library");
        graphs.functions.compare(&self.context(), &self.messages(), &library, out);
        let (left, right) = graphs.sides;
        self.messages().fields(ty, left.rest(), right.rest(), at, out);
        let is_small = |graph: &Graph<'_>| {
            graph.nodes().len() <= MOST_CHECKED && graph.rest().len() <= LARGEST_REST
        };
        if is_small(left) && is_small(right) {
            self.check(graphs.sides, at, out);
        }
        true
    }

    /// Tells what is wrong with each of two graphs by itself.
    fn check(&self, (lhs, rhs): (&Graph<'_>, &Graph<'_>), at: &Trail<'_>, out: &mut Found) {
        let (l, r) = threads::both(
            self.compare.threads,
            || check(lhs, self.ops.0, FINDINGS),
            || check(rhs, self.ops.1, FINDINGS),
        );
        let path = at.path().to_string();
        for (side, checked) in [(SideOf::Lhs, l), (SideOf::Rhs, r)] {
            out.of_graphs.extend(checked.findings.into_iter().map(|finding| {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{}", finding.path);
                Finding { side: Some(side), path, problem: finding.problem }
            }));
        }
    }

    /// Lets the nodes and functions of two graphs find each other, and goes on with that.
    fn with_graphs(
        &self,
        (lhs, rhs): (&[u8], &[u8]),
        objects: (&[u8], &[u8]),
        at: &Trail<'_>,
        out: &mut Found,
        go_on: impl FnOnce(&Model<'_>, &mut Found),
    ) {
        let threads = self.compare.threads;
        let (left, right) = threads::both(threads, || Graph::new(lhs), || Graph::new(rhs));
        let Some((left, right)) = out.both(left, right, at) else { return };
        let libraries = (left.library(), right.library());
        let pair = Pair::new(&left, &right, threads);
        let functions = Functions::new(self.schema, libraries.0, libraries.1, &pair.renames);
        let (sides, bytes) = ((&left, &right), (lhs, rhs));
        let graphs = Graphs { sides, pair, functions, bytes, objects };
        let functions = &graphs.functions.renames;
        let objects =
            Objects::of_saved_model(objects.0, objects.1, functions).unwrap_or_else(|error| {
                out.findings.push((at.field("object_graph_def").path(), error.to_string()));
                None
            });
        let keys = objects.as_ref().map(Objects::keys).unwrap_or_default();
        let saver_functions = SaverFunctions::new(&graphs.functions, &keys);
        let model = Model {
            schema: self.schema,
            compare: self.compare,
            lists: self.lists,
            ops: self.ops,
            graphs: Some(&graphs),
            renames: &graphs.pair.renames,
            functions,
            objects: objects.as_ref(),
            keys: &keys,
            saver_functions: &saver_functions,
        };
        go_on(&model, out);
    }
}
