//! The functions of an object graph: how each is called, and what it captured.

use std::collections::BTreeMap;

use super::super::Model;
use super::matching::Objects;
use super::references::change;
use crate::diff::message::Found;
use crate::diff::path::Trail;
use crate::diff::{ChangeKind, Weight};
use crate::graph::object_graph::{Label, ObjectGraph, ObjectId};

impl Model<'_> {
    /// Compares the functions, each by its name in rhs.
    pub(super) fn captured(&self, objects: &Objects<'_>, at: &Trail<'_>, out: &mut Found) {
        let Some(ty) = self.schema.message("tensorflow.SavedConcreteFunction") else { return };
        let messages = self.messages();
        let mut left = BTreeMap::new();
        for (name, bytes) in objects.lhs.functions() {
            let followed = self.functions.follow(name).unwrap_or_else(|| (*name).to_owned());
            left.insert(followed, (*name, *bytes));
        }
        let (l_bound, r_bound) = (bound(&objects.lhs), bound(&objects.rhs));
        let list = at.field("concrete_functions");
        let before = out.changes.len();
        let mut lone = Vec::new();
        for (name, rhs) in objects.rhs.functions() {
            let Some((old, lhs)) = left.remove(*name) else {
                messages.added(ty, rhs, &list.key(name), out);
                continue;
            };
            let at = list.keys(old, name);
            messages.fields(ty, lhs, rhs, &at, out);
            let (l, r) = (l_bound.get(old), r_bound.get(name));
            let (l, r) = (l.cloned().unwrap_or_default(), r.cloned().unwrap_or_default());
            if !l.iter().map(|&id| objects.to_rhs(id)).eq(r.iter().map(|&id| Some(id))) {
                let text = |paths: Vec<String>| Some(format!("[{}]", paths.join(", ")));
                let lhs = text(l.iter().map(|&id| objects.lhs_path(id)).collect());
                let rhs = text(r.iter().map(|&id| objects.rhs_path(id)).collect());
                let path = at.field("bound_inputs").path();
                lone.push(change(path, ChangeKind::Modified, lhs, rhs));
            }
        }
        for (old, lhs) in left.into_values() {
            messages.removed(ty, lhs, &list.key(old), out);
        }
        let depth = list.path().steps().len() + 1;
        for change in out.changes.iter_mut().skip(before) {
            // The library of the graph tells of it.
            if self.graphs.is_some() && change.path.steps().len() == depth {
                change.weight = Weight::Cosmetic;
            }
        }
        out.changes.append(&mut lone);
    }
}

/// What each function captured, in order.
fn bound<'m>(graph: &ObjectGraph<'m>) -> BTreeMap<&'m str, Vec<ObjectId>> {
    let mut bound = BTreeMap::<_, Vec<_>>::new();
    for (_, edge) in graph.root().map(|root| graph.edges(root)).unwrap_or_default() {
        if let Label::Bound(function, _) = edge.label {
            bound.entry(function).or_default().push(edge.to);
        }
    }
    bound
}
