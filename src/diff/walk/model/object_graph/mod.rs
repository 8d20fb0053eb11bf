//! Compares object graphs by the key paths of objects, independent of their numbers.
//!
//! ```text
//! nodes["dense/kernel"].variable.trainable      an object's field        nodes[""]       the root
//! nodes["alpha"]                                added, removed or renamed, with all objects below it
//! nodes[""].children["again"]                   a further name of an object that has others
//! ```
//! A key path is written as in the keys of a checkpoint: `.` in a name is `..`, and `/` is `.S`.

mod functions;
mod references;
mod repeats;

use super::ModelRules;
use crate::diff::Side;
use crate::diff::matching::Correspondence;
use crate::diff::matching::objects::{ObjectMatching, TensorTable};
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::graph::ObjectGraph;
use crate::graph::object_graph::ObjectGraphKind;
use crate::schema::field::{saved_object, trackable_object_graph};

pub(super) use repeats::remove_repeated;
pub(in crate::diff) use repeats::remove_reported;

impl ModelRules<'_> {
    /// Compares two object graphs.
    pub(super) fn object_graph(
        &self,
        kind: ObjectGraphKind,
        pair: &MessagePair<'_>,
        out: &mut MessageDiff,
    ) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        if let Some(objects) = self.own_objects(at) {
            return self.matched_objects(objects, pair, out);
        }
        let read = (ObjectGraph::new(kind, lhs), ObjectGraph::new(kind, rhs));
        let Some(graphs) = out.both((lhs, rhs), read, at) else { return };
        let unknown = TensorTable::new();
        let known = Correspondence::of_objects(&graphs, [&unknown; 2], self.known);
        if let Some(objects) = &known.objects {
            let rules = ModelRules { objects: Some(at), ..self.with(&known) };
            rules.matched_objects(objects, pair, out);
        }
    }

    /// The matched objects, if `at` is the path of their object graphs.
    fn own_objects(&self, at: &PathBuilder<'_>) -> Option<&ObjectMatching<'_>> {
        let is_own = self.objects.is_some_and(|own| own.path() == at.path());
        self.known.objects.as_ref().filter(|_| is_own)
    }

    fn matched_objects(
        &self,
        objects: &ObjectMatching<'_>,
        pair: &MessagePair<'_>,
        out: &mut MessageDiff,
    ) {
        let at = pair.at;
        for (side, graph) in [(Side::Lhs, objects.lhs), (Side::Rhs, objects.rhs)] {
            let findings = graph.findings().iter();
            let findings = findings.map(|finding| format!("{}: {finding}", side.name()));
            out.findings.extend(findings.map(|finding| (at.path(), finding)));
        }
        objects.compare_references(&self.known.functions().renames, at, &mut out.changes);
        let item = match objects.rhs.kind() {
            ObjectGraphKind::Trackable => trackable_object_graph::trackable_object::MESSAGE_NAME,
            ObjectGraphKind::Saved => saved_object::MESSAGE_NAME,
        };
        let differ = self.differ();
        if let Some(ty) = self.schema.message(item) {
            let nodes = at.field("nodes");
            for &(l, r) in &objects.pairs {
                let (lhs, rhs) = (objects.lhs.object_bytes(l), objects.rhs.object_bytes(r));
                if lhs != rhs {
                    let path = objects.rhs_path(r);
                    differ.fields(&MessagePair { ty, lhs, rhs, at: &nodes.key(&path) }, out);
                }
            }
        }
        self.functions_of_objects(objects, at, out);
        differ.fields(pair, out);
    }
}
