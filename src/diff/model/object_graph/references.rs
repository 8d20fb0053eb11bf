//! What refers to what: objects that came, went, or go by another name, and references that lead elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::{Key, Objects, Renamed};
use crate::diff::graph::Renames;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Path, Weight};
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{Label, ObjectId, Way};
use crate::message::records;
use crate::schema::field::{saved_object, trackable_object_graph::trackable_object};

impl Objects<'_> {
    /// Tells what differs; `at` leads to the message.
    pub(super) fn references(&self, functions: &Renames, at: &Trail<'_>, out: &mut Vec<Change>) {
        let nodes = at.field("nodes");
        for renamed in &self.renamed {
            out.push(Change { weight: renamed.weight, ..self.renamed(renamed, &nodes) });
        }
        for kind in [ChangeKind::Removed, ChangeKind::Added] {
            self.came_or_went(kind, &nodes, out);
        }
        let from = self.renamed.iter().map(|renamed| (renamed.of, renamed.from)).collect();
        let to = self.renamed.iter().map(|renamed| (renamed.of, renamed.to)).collect();
        for &pair in &self.pairs {
            self.of_pair(pair, functions, (&from, &to), &nodes, out);
        }
    }

    fn renamed(&self, renamed: &Renamed<'_>, nodes: &Trail<'_>) -> Change {
        let (l, r) = renamed.pair;
        let child = Label::Child(renamed.to);
        if self.rhs_way(r) == Way::From(renamed.of, child) {
            let (from, to) = (self.lhs_path(l), self.rhs_path(r));
            let path = nodes.key(&to).path();
            return change(path, ChangeKind::Renamed, Some(from), Some(to));
        }
        // It goes by other names too, which it kept.
        let path = self.rhs_path(renamed.of);
        let path = nodes.key(&path).field("children").key(renamed.to).path();
        change(path, ChangeKind::Renamed, Some(renamed.from.into()), Some(renamed.to.into()))
    }

    /// Tells of objects that one side lacks, together with all that is reached through them alone.
    fn came_or_went(&self, kind: ChangeKind, nodes: &Trail<'_>, out: &mut Vec<Change>) {
        let is_added = kind == ChangeKind::Added;
        let graph = if is_added { &self.rhs } else { &self.lhs };
        let mut tops = vec![None; graph.len()];
        let mut groups = BTreeMap::<usize, (ObjectId, Vec<ObjectId>)>::new();
        for (place, &id) in graph.order().iter().enumerate() {
            if self.is_known(id, is_added) {
                continue;
            }
            let above = match graph.way(id) {
                Way::From(from, _) => tops.get(from.position()).copied().flatten(),
                _ => None,
            };
            let top = above.unwrap_or(place);
            if let Some(slot) = tops.get_mut(id.position()) {
                *slot = Some(top);
            }
            groups.entry(top).or_insert_with(|| (id, Vec::new())).1.push(id);
        }
        for (top, objects) in groups.values() {
            let path = if is_added { self.rhs_path(*top) } else { self.lhs_path(*top) };
            let text = Some(described(graph, objects));
            let (lhs, rhs) = if is_added { (None, text) } else { (text, None) };
            out.push(change(nodes.key(&path).path(), kind, lhs, rhs));
        }
    }

    fn is_known(&self, id: ObjectId, is_rhs: bool) -> bool {
        if is_rhs { self.to_lhs(id).is_some() } else { self.to_rhs(id).is_some() }
    }

    /// Whether the object at the end of a reference is told to have come or gone by that.
    fn is_told(&self, (from, label, to): (ObjectId, Label<'_>, ObjectId), is_rhs: bool) -> bool {
        let graph = if is_rhs { &self.rhs } else { &self.lhs };
        !self.is_known(to, is_rhs) && graph.way(to) == Way::From(from, label)
    }

    /// Tells what the two refer to in another way.
    fn of_pair(
        &self,
        (l, r): (ObjectId, ObjectId),
        functions: &Renames,
        (from, to): (&Names<'_>, &Names<'_>),
        nodes: &Trail<'_>,
        out: &mut Vec<Change>,
    ) {
        let mut left: BTreeMap<Key<'_>, (Label<'_>, ObjectId)> = BTreeMap::new();
        for (_, edge) in self.lhs.edges(l) {
            let key = self.lhs_key(edge.label, functions);
            let is_renamed = matches!(key, Key::Child(name) if from.contains(&(r, name)));
            if !is_renamed && !matches!(key, Key::Bound(..)) {
                left.insert(key, (edge.label, edge.to));
            }
        }
        let mut push = |key: &Key<'_>, kind, a: Option<ObjectId>, b: Option<ObjectId>| {
            let (lhs, rhs) = (a.map(|id| self.lhs_path(id)), b.map(|id| self.rhs_path(id)));
            let path = self.reference(r, key, nodes);
            out.push(change(path, kind, lhs, rhs));
        };
        for (_, edge) in self.rhs.edges(r) {
            let key = self.rhs_key(edge.label);
            let is_renamed = matches!(key, Key::Child(name) if to.contains(&(r, name)));
            if is_renamed || matches!(key, Key::Bound(..)) {
                continue;
            }
            match left.remove(&key) {
                Some((_, to)) if self.to_rhs(to) == Some(edge.to) => {}
                Some((_, to)) => push(&key, ChangeKind::Modified, Some(to), Some(edge.to)),
                None if self.is_told((r, edge.label, edge.to), true) => {}
                None => push(&key, ChangeKind::Added, None, Some(edge.to)),
            }
        }
        for (key, (label, to)) in left {
            if !self.is_told((l, label, to), false) {
                push(&key, ChangeKind::Removed, Some(to), None);
            }
        }
    }

    /// The way to a reference of an object of rhs.
    fn reference(&self, r: ObjectId, key: &Key<'_>, nodes: &Trail<'_>) -> Path {
        let path = self.rhs_path(r);
        let node = nodes.key(&path);
        let named = |field: &str, name: &str| node.field(field).key(name).path();
        match key {
            Key::Child(name) => named("children", name),
            Key::Dependency(name) => named("dependencies", name),
            Key::Save(name) => {
                node.field("saveable_objects").key(name).field("save_function").path()
            }
            Key::Restore(name) => {
                node.field("saveable_objects").key(name).field("restore_function").path()
            }
            Key::Slot(variable, lost, name) => {
                let variable = variable.map(|id| self.rhs_path(id));
                let variable = variable.or_else(|| lost.map(|id| self.lhs_path(id)));
                named("slot_variables", &format!("{}/{name}", variable.unwrap_or_default()))
            }
            Key::Bound(function, at) => named("bound_inputs", &format!("{function}/{at}")),
        }
    }
}

/// Names of children, with the object of rhs that they are of.
type Names<'m> = BTreeSet<(ObjectId, &'m str)>;

/// Objects as they are told: how many there are, and of which kinds.
fn described(graph: &ObjectGraph<'_>, objects: &[ObjectId]) -> String {
    let mut kinds = BTreeMap::<&str, usize>::new();
    for &id in objects {
        let records = records(graph.object_bytes(id));
        let kind = records.filter_map(|record| kind(graph, record.number)).next();
        *kinds.entry(kind.unwrap_or("object")).or_default() += 1;
    }
    let plural = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let total = plural(objects.len(), "object");
    match kinds.iter().next() {
        Some((&"object", _)) if kinds.len() == 1 => total,
        Some((kind, _)) if kinds.len() == 1 && objects.len() == 1 => format!("{total}: {kind}"),
        _ => {
            let kinds: Vec<_> =
                kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            format!("{total}: {}", kinds.join(", "))
        }
    }
}

/// The kind of object that a field makes it.
fn kind(graph: &ObjectGraph<'_>, field: u32) -> Option<&'static str> {
    use crate::graph::object_graph::Form;
    match (graph.form(), field) {
        (Form::Trackable, trackable_object::ATTRIBUTES) => Some("with values"),
        (Form::Saved, saved_object::USER_OBJECT) => Some("user_object"),
        (Form::Saved, saved_object::ASSET) => Some("asset"),
        (Form::Saved, saved_object::FUNCTION) => Some("function"),
        (Form::Saved, saved_object::VARIABLE) => Some("variable"),
        (Form::Saved, saved_object::BARE_CONCRETE_FUNCTION) => Some("bare_concrete_function"),
        (Form::Saved, saved_object::CONSTANT) => Some("constant"),
        (Form::Saved, saved_object::RESOURCE) => Some("resource"),
        (Form::Saved, saved_object::CAPTURED_TENSOR) => Some("captured_tensor"),
        _ => None,
    }
}

/// A semantic change.
pub(super) fn change(
    path: Path,
    kind: ChangeKind,
    lhs: Option<String>,
    rhs: Option<String>,
) -> Change {
    Change { path, kind, weight: Weight::Semantic, lhs, rhs, detail: Detail::None }
}
