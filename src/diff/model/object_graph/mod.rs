//! Compares object graphs by the key paths of objects, independent of their numbers.
//!
//! ```text
//! nodes["dense/kernel"].variable.trainable      an object's field        nodes[""]       the root
//! nodes["alpha"]                                added, removed or renamed, with all objects below it
//! nodes[""].children["again"]                   a further name of an object that has others
//! ```
//! A key path is written as in the keys of a checkpoint: `.` in a name is `..`, and `/` is `.S`.

mod checkpoints;
mod functions;
mod guide;
mod keys;
mod lists;
mod matching;
mod references;
mod repeats;
mod structure;
mod tensor_table;
mod traits;

use super::ModelRules;
use crate::diff::Side;
use crate::diff::graph::Renames;
use crate::diff::message::{MessageDiff, MessagePair};
use crate::error::Result;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::ObjectGraphKind;
use crate::schema::field::{saved_object, trackable_object_graph};

pub(in crate::diff) use checkpoints::object_graph_keys;
pub(super) use matching::ObjectMatching;
pub(super) use repeats::remove_repeated;
pub(in crate::diff) use repeats::remove_reported;
pub(in crate::diff) use tensor_table::{TensorTable, tensor_table};
pub(in crate::diff) use traits::name_stem;

impl ModelRules<'_> {
    /// Compares two object graphs.
    pub(super) fn object_graph(
        &self,
        kind: ObjectGraphKind,
        pair: &MessagePair<'_>,
        out: &mut MessageDiff,
    ) {
        let MessagePair { lhs, rhs, at, .. } = *pair;
        let is_known = || self.graphs.is_some_and(|graphs| graphs.have_objects(lhs, rhs));
        if let Some(objects) = self.objects.filter(|_| kind == ObjectGraphKind::Saved && is_known())
        {
            return self.objects(objects, pair, out);
        }
        let graphs =
            out.both((lhs, rhs), (ObjectGraph::new(kind, lhs), ObjectGraph::new(kind, rhs)), at);
        let Some((lhs, rhs)) = graphs else { return };
        let objects = ObjectMatching::new(lhs, rhs, self.functions, self.tensors, self.objects);
        let keys = objects.keys();
        // The keys of a whole model, if there are any, take precedence.
        let keys = if self.keys.is_empty() { &keys } else { self.keys };
        ModelRules { keys, ..*self }.objects(&objects, pair, out);
    }

    fn objects(&self, objects: &ObjectMatching<'_>, pair: &MessagePair<'_>, out: &mut MessageDiff) {
        let at = pair.at;
        for (side, graph) in [(Side::Lhs, &objects.lhs), (Side::Rhs, &objects.rhs)] {
            let findings = graph.findings().iter();
            let findings = findings.map(|finding| format!("{}: {finding}", side.name()));
            out.findings.extend(findings.map(|finding| (at.path(), finding)));
        }
        objects.compare_references(self.functions, at, &mut out.changes);
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

impl<'m> ObjectMatching<'m> {
    /// Matches the objects of two SavedModels; `None` if one has no object graph.
    ///
    /// # Errors
    /// If a graph has more objects than can be counted.
    pub(super) fn of_saved_model(
        lhs: &'m [u8],
        rhs: &'m [u8],
        functions: &Renames,
    ) -> Result<Option<Self>> {
        if lhs.is_empty() || rhs.is_empty() {
            return Ok(None);
        }
        let read = |bytes| ObjectGraph::new(ObjectGraphKind::Saved, bytes);
        let unknown = TensorTable::new();
        Ok(Some(Self::new(read(lhs)?, read(rhs)?, functions, [&unknown; 2], None)))
    }
}
