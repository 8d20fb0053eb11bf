//! What two graphs save and restore: which variable under which key, and which slice of it.
//!
//! A saver puts its variables in the order of their keys, and counts the nodes that restore them. So one variable more, or one
//! other name, moves all that come behind; what is saved is compared by variable, and not by place.

use std::collections::BTreeMap;

use super::inputs::Borders;
use super::matching::Matching;
use super::renames::Renames;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Path, Rewired, Weight};
use crate::graph::{Action, Graph, NodeId, SaveNode, SavedTensor};

/// The save and restore nodes of two graphs.
#[derive(Debug)]
pub(super) struct Savers {
    lhs: Side,
    rhs: Side,
}

#[derive(Debug)]
struct Side {
    nodes: Vec<SaveNode>,
    /// Nodes that pass on what was restored, sorted.
    restoring: Vec<NodeId>,
    /// Constants that name what is saved, sorted.
    constants: Vec<NodeId>,
}

impl Side {
    fn of(graph: &Graph<'_>) -> Self {
        let nodes = graph.save_nodes();
        let restoring = if nodes.is_empty() { Vec::new() } else { graph.restoring() };
        let mut constants: Vec<_> =
            nodes.iter().flat_map(|node| node.constants.iter().copied()).collect();
        constants.sort_unstable();
        Self { nodes, restoring, constants }
    }

    /// Everything that is restored, in order.
    fn restored(&self) -> impl Iterator<Item = &SavedTensor> {
        let restores = self.nodes.iter().filter(|node| node.action == Action::Restore);
        restores.flat_map(|node| node.tensors.iter().flatten())
    }
}

/// A tensor that is saved or restored, by whom.
#[derive(Debug, Clone, Copy)]
struct Binding<'a> {
    /// The scope of the saver, in rhs where it has a partner there.
    saver: &'a str,
    tensor: &'a SavedTensor,
}

impl Savers {
    pub(super) fn of(lhs: &Graph<'_>, rhs: &Graph<'_>) -> Self {
        Self { lhs: Side::of(lhs), rhs: Side::of(rhs) }
    }

    /// Whether what is restored comes in another order, so that names with a counter mean others.
    pub(super) fn is_reordered(&self, matching: &Matching<'_, '_>) -> bool {
        let in_rhs = |tensor: &SavedTensor| tensor.variable.and_then(|l| matching.to_rhs(l));
        let paired = |r: &NodeId| matching.to_lhs(*r).is_some();
        let lhs = self.lhs.restored().map(|l| (&l.key, &l.slice, in_rhs(l)));
        let rhs = self.rhs.restored().map(|r| (&r.key, &r.slice, r.variable.filter(paired)));
        !lhs.eq(rhs)
    }

    /// The nodes of each side that pass on what was restored.
    pub(super) fn restoring(&self) -> (&[NodeId], &[NodeId]) {
        (&self.lhs.restoring, &self.rhs.restoring)
    }

    /// Whether nodes that only one side has do nothing but restore: what they restore is told by variable.
    pub(super) fn only_restore(&self, ids: &[NodeId], kind: ChangeKind) -> bool {
        let side = if kind == ChangeKind::Added { &self.rhs } else { &self.lhs };
        side.nodes.iter().all(|node| node.tensors.is_some())
            && ids.iter().all(|id| side.restoring.binary_search(id).is_ok())
    }

    /// Whether a node of rhs passes on what was restored: its name is counted.
    pub(super) fn is_restoring(&self, r: NodeId) -> bool {
        self.rhs.restoring.binary_search(&r).is_ok()
    }

    /// Whether both nodes are constants that say what is saved.
    pub(super) fn are_keys(&self, l: NodeId, r: NodeId) -> bool {
        self.lhs.constants.binary_search(&l).is_ok() && self.rhs.constants.binary_search(&r).is_ok()
    }

    /// Whether both nodes save or restore, and what they name is known.
    pub(super) fn are_savers(&self, l: NodeId, r: NodeId) -> bool {
        let is = |nodes: &[SaveNode], id| {
            let found = nodes.binary_search_by_key(&id, |node| node.node).ok();
            found.and_then(|at| nodes.get(at)).is_some_and(|node| node.tensors.is_some())
        };
        is(&self.lhs.nodes, l) && is(&self.rhs.nodes, r)
    }

    /// Tells what is saved or restored in another way; what holds of both is told of saving.
    pub(super) fn compare(
        &self,
        matching: &Matching<'_, '_>,
        (renames, keys): (&Renames, &Renames),
        at: &Trail<'_>,
        borders: &mut Borders,
        out: &mut Vec<Change>,
    ) {
        let mut told = Vec::new();
        for action in [Action::Save, Action::Restore] {
            let comparison = Comparison { matching, renames, keys, action, at };
            let mut changes = comparison.compare(self, borders);
            changes.retain(|(what, _)| !told.contains(what));
            for (what, change) in changes {
                told.push(what);
                out.push(change);
            }
        }
    }
}

/// What a change says, whether of saving or of restoring.
type What = (Option<String>, Option<String>, String);

struct Comparison<'x, 'g, 'm> {
    matching: &'x Matching<'g, 'm>,
    renames: &'x Renames,
    keys: &'x Renames,
    action: Action,
    at: &'x Trail<'x>,
}

impl Comparison<'_, '_, '_> {
    fn compare(&self, savers: &Savers, borders: &mut Borders) -> Vec<(What, Change)> {
        let mut left = BTreeMap::<(&str, Option<NodeId>), Vec<Binding<'_>>>::new();
        let mut changes = Vec::new();
        let mut lost = Vec::new();
        for binding in self.bindings(&savers.lhs, |l| {
            // The saver goes by the name that it has in rhs.
            let partner = self.matching.to_rhs(l).map(|r| self.matching.rhs.node(r));
            partner.unwrap_or(self.matching.lhs.node(l)).scope()
        }) {
            match binding.tensor.variable.map(|l| (l, self.matching.to_rhs(l))) {
                // It is no longer saved because it is no longer there.
                Some((l, None)) => {
                    let key = binding.tensor.key.clone();
                    let path = self.path(binding);
                    borders.removed.border(l, Rewired { path, lhs: Some(key), rhs: None });
                }
                Some((_, Some(r))) => {
                    left.entry((binding.saver, Some(r))).or_default().push(binding)
                }
                None => left.entry((binding.saver, None)).or_default().push(binding),
            }
        }
        for binding in self.bindings(&savers.rhs, |r| self.matching.rhs.node(r).scope()) {
            let variable = binding.tensor.variable;
            if let Some(r) = variable
                && self.matching.to_lhs(r).is_none()
            {
                let key = binding.tensor.key.clone();
                let path = self.path(binding);
                borders.added.border(r, Rewired { path, lhs: None, rhs: Some(key) });
                continue;
            }
            match left.get_mut(&(binding.saver, variable)).and_then(|found| take(found, binding)) {
                Some(other) => self.pair(other, binding, &mut changes),
                None => lost.push(binding),
            }
        }
        for binding in left.into_values().flatten() {
            changes.push(self.alone(binding, ChangeKind::Removed));
        }
        changes.extend(lost.into_iter().map(|binding| self.alone(binding, ChangeKind::Added)));
        changes
    }

    /// Everything that one side saves or restores.
    fn bindings<'a>(&self, side: &'a Side, scope: impl Fn(NodeId) -> &'a str) -> Vec<Binding<'a>> {
        let mut bindings = Vec::new();
        for node in side.nodes.iter().filter(|node| node.action == self.action) {
            let saver = scope(node.node);
            let tensors = node.tensors.iter().flatten();
            bindings.extend(tensors.map(|tensor| Binding { saver, tensor }));
        }
        bindings
    }

    /// A variable that both sides save.
    fn pair(&self, lhs: Binding<'_>, rhs: Binding<'_>, changes: &mut Vec<(What, Change)>) {
        let (l, r) = (lhs.tensor, rhs.tensor);
        let follows = self.renames.leads(&l.key, &r.key) || self.keys.leads(&l.key, &r.key);
        if l.key != r.key && !follows {
            let what = (Some(l.key.clone()), Some(r.key.clone()), rhs.saver.to_owned());
            changes.push((what, self.change(self.path(rhs), ChangeKind::Renamed, &l.key, &r.key)));
        }
        if l.slice != r.slice {
            let what = (Some(l.slice.clone()), Some(r.slice.clone()), format!("{} slice", r.key));
            let path = self.path(rhs);
            changes.push((what, self.change(path, ChangeKind::Modified, &l.slice, &r.slice)));
        }
    }

    /// What one side does not save.
    fn alone(&self, binding: Binding<'_>, kind: ChangeKind) -> (What, Change) {
        let SavedTensor { key, slice, .. } = binding.tensor;
        let text = if slice.is_empty() { key.clone() } else { format!("{key} {slice}") };
        let (lhs, rhs) =
            if kind == ChangeKind::Added { (None, Some(text)) } else { (Some(text), None) };
        let what = (lhs.clone(), rhs.clone(), binding.saver.to_owned());
        let path = self.path(binding);
        let (weight, detail) = (Weight::Semantic, Detail::None);
        (what, Change { path, kind, weight, lhs, rhs, detail })
    }

    fn change(&self, path: Path, kind: ChangeKind, lhs: &str, rhs: &str) -> Change {
        let (lhs, rhs) = (Some(lhs.to_owned()), Some(rhs.to_owned()));
        Change { path, kind, weight: Weight::Semantic, lhs, rhs, detail: Detail::None }
    }

    fn path(&self, binding: Binding<'_>) -> Path {
        let field = match self.action {
            Action::Save => "saves",
            Action::Restore => "restores",
        };
        let saver = self.at.field("saver");
        saver.key(binding.saver).field(field).key(&binding.tensor.key).path()
    }
}

/// Takes the binding of the same key or slice out, or the first.
fn take<'a>(found: &mut Vec<Binding<'a>>, wanted: Binding<'_>) -> Option<Binding<'a>> {
    let same = |binding: &Binding<'_>| {
        (&binding.tensor.key, &binding.tensor.slice) == (&wanted.tensor.key, &wanted.tensor.slice)
    };
    let at = found.iter().position(same).unwrap_or(0);
    (at < found.len()).then(|| found.remove(at))
}
