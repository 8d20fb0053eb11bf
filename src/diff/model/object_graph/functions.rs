//! Compares the functions of object graphs: their signatures, and the objects that they captured.

use std::collections::BTreeMap;

use super::super::ModelRules;
use super::matching::ObjectMatching;
use crate::diff::message::{MessageDiff, MessagePair};
use crate::diff::path::PathBuilder;
use crate::diff::{Change, ChangeKind, Weight};
use crate::graph::object_graph::{Label, ObjectGraph, ObjectId};
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
            let new_name = self.functions.new_name(name).unwrap_or_else(|| (*name).to_owned());
            unmatched.insert(new_name, (*name, *bytes));
        }
        let (lhs_captures, rhs_captures) = (captures(&objects.lhs), captures(&objects.rhs));
        let list = at.field("concrete_functions");
        let start = out.changes.len();
        let mut of_captures = Vec::new();
        for (name, rhs) in objects.rhs.functions() {
            let Some((old, lhs)) = unmatched.remove(*name) else {
                differ.one_sided(ChangeKind::Added, (ty, rhs), &list.key(name), out);
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
            differ.one_sided(ChangeKind::Removed, (ty, lhs), &list.key(old), out);
        }
        let depth = list.path().steps().len() + 1;
        for change in out.changes.iter_mut().skip(start) {
            // The library of the graph reports the function.
            if self.graphs.is_some() && change.path.steps().len() == depth {
                change.weight = Weight::Cosmetic;
            }
        }
        out.changes.append(&mut of_captures);
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
