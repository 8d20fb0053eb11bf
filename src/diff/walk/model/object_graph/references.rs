//! Reports added, removed and renamed objects, and references that lead to other objects.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::matching::graph::Renames;
use crate::diff::matching::objects::{
    ObjectMatching, ReferenceKey, RenamedChild, is_set, list_and_number,
};
use crate::diff::path::PathBuilder;
use crate::diff::walk::names::{LONGEST, MOST, with_shape};
use crate::diff::{Change, ChangeKind, Detail, ObjectGroup, Path, Weight};
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Label, ObjectGraphKind, ObjectId, Route};
use crate::message::{field, nested, records};
use crate::schema::field::{
    saved_object, saved_variable, trackable_object_graph::trackable_object,
};

impl ObjectMatching<'_> {
    /// Reports differences between references; `at` is the path of the object graph.
    pub(super) fn compare_references(
        &self,
        functions: &Renames,
        at: &PathBuilder<'_>,
        out: &mut Vec<Change>,
    ) {
        let nodes = at.field("nodes");
        out.extend(self.renamed.iter().map(|renamed| self.rename(renamed, &nodes)));
        for kind in [ChangeKind::Removed, ChangeKind::Added] {
            self.added_or_removed(kind, &nodes, out);
        }
        let from = self.renamed.iter().map(|renamed| (renamed.of, renamed.from)).collect();
        let to = self.renamed.iter().map(|renamed| (renamed.of, renamed.to)).collect();
        for &pair in &self.pairs {
            self.changed_references(pair, functions, (&from, &to), &nodes, out);
        }
    }

    fn rename(&self, renamed: &RenamedChild<'_>, nodes: &PathBuilder<'_>) -> Change {
        let (l, r) = renamed.pair;
        let child = Label::Child(renamed.to);
        let change = if self.rhs_route(r) == Route::From(renamed.of, child) {
            let (from, to) = (self.lhs_path(l), self.rhs_path(r));
            Change::renamed(nodes.key(&to).path(), from, to)
        } else {
            // The object has other names too, which did not change.
            let path = self.rhs_path(renamed.of);
            let path = nodes.key(&path).field("children").key(renamed.to).path();
            Change::renamed(path, renamed.from, renamed.to)
        };
        // The order of other lists that have the items follows.
        let is_first = self.rhs_route(r) == Route::From(renamed.of, child);
        let is_already_reported = !is_first && list_and_number(renamed.to).is_some();
        change.with_weight(if is_already_reported { Weight::Cosmetic } else { renamed.weight })
    }

    /// Reports objects that one side lacks, together with all objects that are reached only through them.
    fn added_or_removed(&self, kind: ChangeKind, nodes: &PathBuilder<'_>, out: &mut Vec<Change>) {
        let is_added = kind == ChangeKind::Added;
        let graph = if is_added { self.rhs } else { self.lhs };
        let mut tops = vec![None; graph.len()];
        let mut groups = BTreeMap::<usize, (ObjectId, Vec<ObjectId>)>::new();
        for (position, &id) in graph.order().iter().enumerate() {
            if self.is_known(id, is_added) {
                continue;
            }
            let above = match graph.route(id) {
                Route::From(from, _) => tops.get(from.position()).copied().flatten(),
                _ => None,
            };
            let top = above.unwrap_or(position);
            if let Some(slot) = tops.get_mut(id.position()) {
                *slot = Some(top);
            }
            groups.entry(top).or_insert_with(|| (id, Vec::new())).1.push(id);
        }
        let is_copy = |id: ObjectId| match graph.route(id) {
            Route::From(list, _) => is_set(graph.route(list)),
            _ => false,
        };
        let lost = graph.ids().filter(|id| !self.is_known(*id, is_added) && !is_copy(*id));
        let lost: BTreeSet<&str> = lost.map(|id| graph.variable_name(id)).collect();
        for (top, objects) in groups.values() {
            let path = if is_added { self.rhs_path(*top) } else { self.lhs_path(*top) };
            let path = nodes.key(&path).path();
            let kinds = kinds(graph, objects);
            let group = ObjectGroup {
                node_id: top.position() as u64,
                user_objects: kinds.get(&USER_OBJECT).copied().unwrap_or_default() as u64,
                layer: None,
                variables: variables(graph, objects),
            };
            let change = Change::one_sided(path, kind, described(objects.len(), kinds))
                .with_detail(Detail::Objects(Box::new(group)));
            let name = graph.variable_name(*top);
            // A set has the variables of the model again.
            let is_already_reported = is_copy(*top) && !name.is_empty() && lost.contains(name);
            let weight = if is_already_reported { Weight::Cosmetic } else { Weight::Semantic };
            out.push(change.with_weight(weight));
        }
    }

    fn is_known(&self, id: ObjectId, is_rhs: bool) -> bool {
        if is_rhs { self.to_lhs(id).is_some() } else { self.to_rhs(id).is_some() }
    }

    /// Whether the object at the end of a reference is itself reported as added or removed.
    fn is_reported(
        &self,
        (from, label, to): (ObjectId, Label<'_>, ObjectId),
        is_rhs: bool,
    ) -> bool {
        let graph = if is_rhs { self.rhs } else { self.lhs };
        !self.is_known(to, is_rhs) && graph.route(to) == Route::From(from, label)
    }

    /// Reports references of a pair of objects that differ.
    fn changed_references(
        &self,
        (l, r): (ObjectId, ObjectId),
        functions: &Renames,
        (from, to): (&ChildNames<'_>, &ChildNames<'_>),
        nodes: &PathBuilder<'_>,
        out: &mut Vec<Change>,
    ) {
        let mut unmatched: BTreeMap<ReferenceKey<'_>, (Label<'_>, ObjectId)> = BTreeMap::new();
        for (_, edge) in self.lhs.edges(l) {
            let key = self.lhs_key(edge.label, functions);
            let is_renamed = matches!(key, ReferenceKey::Child(name) if from.contains(&(r, name)));
            if !is_renamed && !matches!(key, ReferenceKey::Bound(..)) {
                unmatched.insert(key, (edge.label, edge.to));
            }
        }
        let mut push = |key: &ReferenceKey<'_>, a: Option<ObjectId>, b: Option<ObjectId>| {
            let (lhs, rhs) = (a.map(|id| self.lhs_path(id)), b.map(|id| self.rhs_path(id)));
            let change = Change::new(self.reference(r, key, nodes), lhs, rhs);
            let is_already_reported = self.is_item_of_another(key, a, b);
            let weight = if is_already_reported { Weight::Cosmetic } else { Weight::Semantic };
            out.push(change.with_weight(weight));
        };
        for (_, edge) in self.rhs.edges(r) {
            let key = self.rhs_key(edge.label);
            let is_renamed = matches!(key, ReferenceKey::Child(name) if to.contains(&(r, name)));
            if is_renamed || matches!(key, ReferenceKey::Bound(..)) {
                continue;
            }
            match unmatched.remove(&key) {
                Some((_, to)) if self.to_rhs(to) == Some(edge.to) => {}
                Some((label, to))
                    if self.is_reported((l, label, to), false)
                        && self.is_reported((r, edge.label, edge.to), true) => {}
                Some((_, to)) => push(&key, Some(to), Some(edge.to)),
                None if self.is_reported((r, edge.label, edge.to), true) => {}
                None => push(&key, None, Some(edge.to)),
            }
        }
        for (key, (label, to)) in unmatched {
            if !self.is_reported((l, label, to), false) {
                push(&key, Some(to), None);
            }
        }
    }

    /// Whether an item of a list is an object that one side lacks: that it came or went is reported where it was first reached.
    fn is_item_of_another(
        &self,
        key: &ReferenceKey<'_>,
        lhs: Option<ObjectId>,
        rhs: Option<ObjectId>,
    ) -> bool {
        let is_item = matches!(key, ReferenceKey::Child(name) if list_and_number(name).is_some());
        is_item
            && lhs.is_none_or(|id| !self.is_known(id, false))
            && rhs.is_none_or(|id| !self.is_known(id, true))
    }

    /// The path of a reference of an object of rhs.
    fn reference(&self, r: ObjectId, key: &ReferenceKey<'_>, nodes: &PathBuilder<'_>) -> Path {
        let path = self.rhs_path(r);
        let node = nodes.key(&path);
        let named = |field: &str, name: &str| node.field(field).key(name).path();
        match key {
            ReferenceKey::Child(name) => named("children", name),
            ReferenceKey::Dependency(name) => named("dependencies", name),
            ReferenceKey::Save(name) => {
                node.field("saveable_objects").key(name).field("save_function").path()
            }
            ReferenceKey::Restore(name) => {
                node.field("saveable_objects").key(name).field("restore_function").path()
            }
            ReferenceKey::Slot(variable, lost, name) => {
                let variable = variable.map(|id| self.rhs_path(id));
                let variable = variable.or_else(|| lost.map(|id| self.lhs_path(id)));
                named("slot_variables", &format!("{}/{name}", variable.unwrap_or_default()))
            }
            ReferenceKey::Bound(function, at) => named("bound_inputs", &format!("{function}/{at}")),
        }
    }
}

/// Names of children, each with its parent in rhs.
type ChildNames<'m> = BTreeSet<(ObjectId, &'m str)>;

/// The first variables among several objects, with their shapes: `dense_1/kernel [20, 64]`.
fn variables(graph: &ObjectGraph<'_>, objects: &[ObjectId]) -> Vec<String> {
    if objects.len() < 2 {
        return Vec::new();
    }
    let named = objects.iter().map(|&id| (id, graph.variable_name(id)));
    let named = named.filter(|(_, name)| !name.is_empty() && name.len() <= LONGEST);
    let text = |(id, name): (ObjectId, &str)| {
        let shape =
            field(nested(graph.object_bytes(id), saved_object::VARIABLE), saved_variable::SHAPE);
        with_shape(name, shape)
    };
    named.take(MOST).map(text).collect()
}

/// What objects are called, one and several.
type Kind = [&'static str; 2];

/// How many objects there are of each kind.
fn kinds(graph: &ObjectGraph<'_>, objects: &[ObjectId]) -> BTreeMap<Kind, usize> {
    let mut kinds = BTreeMap::new();
    for &id in objects {
        let records = records(graph.object_bytes(id));
        let kind = records.filter_map(|record| kind(graph, record.number)).next();
        *kinds.entry(kind.unwrap_or(OBJECT)).or_default() += 1;
    }
    kinds
}

/// A summary of objects: their number and kinds.
fn described(count: usize, kinds: BTreeMap<Kind, usize>) -> String {
    let counted = |count: usize, [one, many]: Kind| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let total = counted(count, OBJECT);
    let kinds: Vec<_> = kinds.into_iter().collect();
    match kinds.as_slice() {
        [(OBJECT, _)] => total,
        [([one, _], 1)] => format!("{total}: {one}"),
        _ => {
            let kinds: Vec<_> = kinds.iter().map(|(kind, count)| counted(*count, *kind)).collect();
            format!("{total}: {}", kinds.join(", "))
        }
    }
}

/// Objects of no other kind.
const OBJECT: Kind = ["object", "objects"];

/// Objects of classes, such as layers.
const USER_OBJECT: Kind = ["user object", "user objects"];

/// The kind of an object that has this field.
fn kind(graph: &ObjectGraph<'_>, field: u32) -> Option<Kind> {
    let kinds = match graph.kind() {
        ObjectGraphKind::Trackable => TRACKABLE,
        ObjectGraphKind::Saved => SAVED,
    };
    kinds.iter().find_map(|&(number, kind)| (number == field).then_some(kind))
}

/// The kinds of objects in a checkpoint, by the fields that they have.
const TRACKABLE: &[(u32, Kind)] = &[(trackable_object::ATTRIBUTES, ["with values", "with values"])];

/// The kinds of objects in a SavedModel.
const SAVED: &[(u32, Kind)] = &[
    (saved_object::USER_OBJECT, USER_OBJECT),
    (saved_object::ASSET, ["asset", "assets"]),
    (saved_object::FUNCTION, ["function", "functions"]),
    (saved_object::VARIABLE, ["variable", "variables"]),
    (saved_object::BARE_CONCRETE_FUNCTION, ["concrete function", "concrete functions"]),
    (saved_object::CONSTANT, ["constant", "constants"]),
    (saved_object::RESOURCE, ["resource", "resources"]),
    (saved_object::CAPTURED_TENSOR, ["captured tensor", "captured tensors"]),
];
