//! What two graphs save and restore: which variable under which key, and which slice of it.
//!
//! A saver puts its variables in the order of their keys, and counts the nodes that restore them. So one variable more, or one
//! other name, moves all that come behind; what is saved is compared by variable, and not by place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::inputs::Borders;
use super::matching::Matching;
use super::renames::Renames;
use super::saver_functions::dtype_text;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Path, Rewired, Weight};
use crate::graph::{
    Action, Graph, Input, NodeId, SaveNode, SavedTensor, is_same_device, output_number, restored,
};
use crate::threads;

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
        let restoring = if nodes.is_empty() { Vec::new() } else { graph.restoring(&nodes) };
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

    /// The tensor that an input brings from a restore node, where it is known.
    fn brought(&self, input: &Input<'_>) -> Option<&SavedTensor> {
        restored(&self.nodes, input.source?, output_number(input)?)
    }

    /// Whether a node passes on what this input brings, so that it is told by the variable that gets it.
    fn passes_on(&self, graph: &Graph<'_>, id: NodeId, input: &Input<'_>) -> bool {
        self.restoring.binary_search(&id).is_ok() && graph.passed_on(id) == Some(input)
    }
}

/// A tensor that is saved or restored, by whom.
#[derive(Debug, Clone, Copy)]
struct Binding<'a> {
    /// The scope of the saver, in rhs where it has a partner there.
    saver: &'a str,
    /// The node that does it.
    node: NodeId,
    /// The variable, in rhs.
    variable: Option<NodeId>,
    tensor: &'a SavedTensor,
    /// Its place among all that its side saves or restores.
    place: usize,
}

impl Savers {
    pub(super) fn of(lhs: &Graph<'_>, rhs: &Graph<'_>, threads: usize) -> Self {
        let (lhs, rhs) = threads::both(threads, || Side::of(lhs), || Side::of(rhs));
        Self { lhs, rhs }
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

    /// Whether two inputs of these nodes that come from restore nodes bring the same; of what reaches a variable, that is told
    /// by variable. `None` where it is not known what they bring.
    pub(super) fn bring_same(
        &self,
        matching: &Matching<'_, '_>,
        keys: &Renames,
        (l, r): (NodeId, NodeId),
        (lhs, rhs): (&Input<'_>, &Input<'_>),
    ) -> Option<bool> {
        if self.lhs.passes_on(matching.lhs, l, lhs) && self.rhs.passes_on(matching.rhs, r, rhs) {
            return Some(true);
        }
        let (a, b) = (self.lhs.brought(lhs)?, self.rhs.brought(rhs)?);
        let is_key = a.key == b.key || keys.leads(&a.key, &b.key);
        let is_node = lhs.source.and_then(|source| matching.to_rhs(source)) == rhs.source;
        Some(is_node && is_key && (&a.slice, a.dtype) == (&b.slice, b.dtype))
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
        let mut told = BTreeSet::new();
        for action in [Action::Save, Action::Restore] {
            let comparison = Comparison { matching, renames, keys, action, at };
            let mut changes = comparison.compare(self, borders);
            changes.retain(|(what, _)| !told.contains(what));
            for (what, change) in changes {
                told.insert(what);
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
        let (mut left, mut right) = (self.left(savers, borders), self.right(savers, borders));
        let mut pairs = Vec::new();
        // From the surest sign to the least.
        let signs: [fn(Binding<'_>) -> Sign<'_>; 3] = [
            |binding| Sign::Key(&binding.tensor.key, &binding.tensor.slice),
            |binding| Sign::Output(&binding.tensor.output),
            |_| Sign::Variable,
        ];
        for sign in signs {
            pair(&mut left, &mut right, &mut pairs, sign);
        }
        pairs.sort_unstable_by_key(|(_, r)| r.place);
        let mut changes = Vec::new();
        for (l, r) in pairs {
            self.pair(l, r, &mut changes);
        }
        changes.extend(left.into_iter().map(|binding| self.alone(binding, ChangeKind::Removed)));
        changes.extend(right.into_iter().map(|binding| self.alone(binding, ChangeKind::Added)));
        changes
    }

    /// Everything that lhs saves or restores, but for variables that are gone.
    fn left<'a>(&'a self, savers: &'a Savers, borders: &mut Borders) -> Vec<Binding<'a>> {
        let scope = |l| {
            // The saver goes by the name that it has in rhs.
            let partner = self.matching.to_rhs(l).map(|r| self.matching.rhs.node(r));
            partner.unwrap_or(self.matching.lhs.node(l)).scope()
        };
        let mut bindings = self.bindings(&savers.lhs, scope);
        bindings.retain_mut(|binding| {
            let Some(l) = binding.variable else { return true };
            binding.variable = self.matching.to_rhs(l);
            if binding.variable.is_none() {
                // It is no longer saved because it is no longer there.
                let (path, key) = (self.path(*binding), binding.tensor.key.clone());
                borders.removed.border(l, Rewired { path, lhs: Some(key), rhs: None });
            }
            binding.variable.is_some()
        });
        bindings
    }

    /// Everything that rhs saves or restores, but for variables that are new.
    fn right<'a>(&'a self, savers: &'a Savers, borders: &mut Borders) -> Vec<Binding<'a>> {
        let mut bindings = self.bindings(&savers.rhs, |r| self.matching.rhs.node(r).scope());
        bindings.retain(|binding| {
            let Some(r) = binding.variable else { return true };
            let is_new = self.matching.to_lhs(r).is_none();
            if is_new {
                let (path, key) = (self.path(*binding), binding.tensor.key.clone());
                borders.added.border(r, Rewired { path, lhs: None, rhs: Some(key) });
            }
            !is_new
        });
        bindings
    }

    /// Everything that one side saves or restores.
    fn bindings<'a>(&self, side: &'a Side, scope: impl Fn(NodeId) -> &'a str) -> Vec<Binding<'a>> {
        let mut bindings = Vec::new();
        for found in side.nodes.iter().filter(|found| found.action == self.action) {
            let (node, saver) = (found.node, scope(found.node));
            for tensor in found.tensors.iter().flatten() {
                let (variable, place) = (tensor.variable, bindings.len());
                bindings.push(Binding { saver, node, variable, tensor, place });
            }
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
        let mut modified = |field: &str, l: &str, r: &str| {
            let what =
                (Some(l.to_owned()), Some(r.to_owned()), format!("{} {field}", rhs.tensor.key));
            changes.push((what, self.change(self.path(rhs), ChangeKind::Modified, l, r)));
        };
        if l.slice != r.slice {
            modified("slice", &l.slice, &r.slice);
        }
        if l.dtype != r.dtype {
            modified("dtype", &dtype_text(l.dtype), &dtype_text(r.dtype));
        }
        let (left, right) = (self.matching.lhs, self.matching.rhs);
        if let (Some(a), Some(b)) = (l.variable, r.variable)
            && l.output != r.output
        {
            let text = |name: &str, output: &str| format!("{name}:{output}");
            let (a, b) = (text(left.node(a).name, &l.output), text(right.node(b).name, &r.output));
            modified("output", &a, &b);
        }
        let (a, b) = (left.node(lhs.node).device, right.node(rhs.node).device);
        // That a node has another device is told of the node.
        if self.matching.to_rhs(lhs.node) != Some(rhs.node) && !is_same_device(a, b) {
            modified("device", &format!("on {a:?}"), &format!("on {b:?}"));
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

/// By what bindings of one variable in one saver know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign<'a> {
    /// The key and the slice.
    Key(&'a str, &'a str),
    /// The output that is saved.
    Output(&'a str),
    /// Nothing else.
    Variable,
}

/// Pairs what has the same sign on both sides, in order; the rest stays.
fn pair<'a>(
    lhs: &mut Vec<Binding<'a>>,
    rhs: &mut Vec<Binding<'a>>,
    pairs: &mut Vec<(Binding<'a>, Binding<'a>)>,
    sign: fn(Binding<'a>) -> Sign<'a>,
) {
    let key = |binding: Binding<'a>| (binding.saver, binding.variable, sign(binding));
    let mut waiting = BTreeMap::<_, VecDeque<Binding<'a>>>::new();
    for binding in lhs.drain(..) {
        waiting.entry(key(binding)).or_default().push_back(binding);
    }
    rhs.retain(|&binding| {
        let partner = waiting.get_mut(&key(binding)).and_then(VecDeque::pop_front);
        pairs.extend(partner.map(|partner| (partner, binding)));
        partner.is_none()
    });
    lhs.extend(waiting.into_values().flatten());
    lhs.sort_unstable_by_key(|binding| binding.place);
}
