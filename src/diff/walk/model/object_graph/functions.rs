//! Compares the functions of object graphs: their signatures, and the objects that they captured.

use std::collections::BTreeMap;

use super::super::ModelRules;
use crate::diff::matching::objects::ObjectMatching;
use crate::diff::path::PathBuilder;
use crate::diff::walk::message::{MessageDiff, MessagePair};
use crate::diff::{Change, ChangeKind, Weight};
use crate::graph::object_graph::{Label, ObjectGraph, ObjectId};
use crate::schema::MessageType;
use crate::schema::field::saved_concrete_function;

impl ModelRules<'_> {
    /// Compares the functions, whose paths have the names of rhs.
    pub(super) fn functions_of_objects(
        &self,
        objects: &ObjectMatching<'_>,
        at: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let Some(ty) = self.schema.message(saved_concrete_function::MESSAGE_NAME) else { return };
        let differ = self.differ();
        let mut unmatched = BTreeMap::new();
        for (name, bytes) in objects.lhs.functions() {
            let new_name =
                self.known.functions().renames.new_name(name).unwrap_or_else(|| (*name).to_owned());
            unmatched.insert(new_name, (*name, *bytes));
        }
        let (lhs_captures, rhs_captures) = (captures(objects.lhs), captures(objects.rhs));
        let list = at.field("concrete_functions");
        let mut of_captures = Vec::new();
        for (name, rhs) in objects.rhs.functions() {
            let Some((old, lhs)) = unmatched.remove(*name) else {
                self.entry(ChangeKind::Added, (ty, name, rhs), &list, out);
                continue;
            };
            let at = list.key_pair(old, name);
            differ.fields(&MessagePair { ty, lhs, rhs, at: &at }, out);
            let ids = |captures: &BTreeMap<_, Vec<ObjectId>>, name: &str| {
                captures.get(name).cloned().unwrap_or_default()
            };
            let (l, r) = (ids(&lhs_captures, old), ids(&rhs_captures, name));
            if !l.iter().map(|&id| objects.to_rhs(id)).eq(r.iter().map(|&id| Some(id))) {
                let text = |paths: Vec<String>| format!("[{}]", paths.join(", "));
                let lhs = text(l.iter().map(|&id| objects.lhs_path(id)).collect());
                let rhs = text(r.iter().map(|&id| objects.rhs_path(id)).collect());
                of_captures.push(Change::modified(at.field("bound_inputs").path(), lhs, rhs));
            }
        }
        for (old, lhs) in unmatched.into_values() {
            self.entry(ChangeKind::Removed, (ty, old, lhs), &list, out);
        }
        out.changes.append(&mut of_captures);
    }

    /// Reports the entry of a function that one side lacks.
    fn entry(
        &self,
        kind: ChangeKind,
        (ty, name, function): (&MessageType, &str, &[u8]),
        list: &PathBuilder<'_>,
        out: &mut MessageDiff,
    ) {
        let before = out.changes.len();
        self.differ().one_sided(kind, (ty, function), &list.key(name), out);
        // The library reports a function that it lacks, too. A function that it has cannot be loaded without its entry.
        if self.known.functions().is_one_sided(kind, name) {
            let entries = out.changes.iter_mut().skip(before);
            entries.for_each(|change| change.weight = Weight::Cosmetic);
        }
    }
}

/// The captured objects of each function, in order.
fn captures<'m>(graph: &ObjectGraph<'m>) -> BTreeMap<&'m str, Vec<ObjectId>> {
    let mut captures = BTreeMap::<_, Vec<_>>::new();
    for (_, edge) in graph.root().map(|root| graph.edges(root)).unwrap_or_default() {
        if let Label::Bound(function, _) = edge.label {
            captures.entry(function).or_default().push(edge.to);
        }
    }
    captures
}
