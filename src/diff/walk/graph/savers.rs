//! Compares the variables, keys and slices that two graphs save and restore.
//!
//! A saver sorts its variables by key and numbers its restore nodes, so one added or renamed variable shifts
//! all later ones. Savers are therefore compared by variable, not by position.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::groups::ChangedGroups;
use crate::diff::matching::graph::{GraphPair, Matching, Renames, SaverSide, Savers};
use crate::diff::path::PathBuilder;
use crate::diff::{BoundaryChange, Change, ChangeKind, Path};
use crate::graph::{Action, NodeId, SavedTensor, is_same_device};
use crate::tensor::DType;

/// Reports tensors that are saved or restored differently; a difference of both is reported for saving
/// only.
pub(super) fn compare(
    GraphPair { matching, savers, renames }: &GraphPair<'_, '_>,
    keys: &Renames,
    at: &PathBuilder<'_>,
    changed_groups: &mut ChangedGroups,
    out: &mut Vec<Change>,
) {
    let mut reported = BTreeSet::new();
    for action in [Action::Save, Action::Restore] {
        let comparison = SaverComparison { matching, renames, keys, action, at };
        let mut changes = comparison.compare(savers, changed_groups);
        changes.retain(|(what, _)| !reported.contains(what));
        for (what, change) in changes {
            reported.insert(what);
            out.push(change);
        }
    }
}

/// A tensor that a node saves or restores.
#[derive(Debug, Clone, Copy)]
struct Binding<'a> {
    /// The scope of the saver, in rhs if it has a partner there.
    saver: &'a str,
    /// The save or restore node.
    node: NodeId,
    /// The variable, in rhs.
    variable: Option<NodeId>,
    tensor: &'a SavedTensor,
    /// The position among all tensors of its side.
    position: usize,
}

/// The content of a change, independent of the action.
type ChangeText = (Option<String>, Option<String>, String);

struct SaverComparison<'x, 'g, 'm> {
    matching: &'x Matching<'g, 'm>,
    renames: &'x Renames,
    keys: &'x Renames,
    action: Action,
    at: &'x PathBuilder<'x>,
}

impl SaverComparison<'_, '_, '_> {
    fn compare(
        &self,
        savers: &Savers,
        changed_groups: &mut ChangedGroups,
    ) -> Vec<(ChangeText, Change)> {
        let (mut unmatched_lhs, mut unmatched_rhs) =
            (self.lhs_bindings(savers, changed_groups), self.rhs_bindings(savers, changed_groups));
        let mut pairs = Vec::new();
        // From the most to the least reliable criterion.
        let signs: [fn(Binding<'_>) -> Evidence<'_>; 3] = [
            |binding| Evidence::Key(&binding.tensor.key, &binding.tensor.slice),
            |binding| Evidence::Output(&binding.tensor.output),
            |_| Evidence::Variable,
        ];
        for sign in signs {
            pair(&mut unmatched_lhs, &mut unmatched_rhs, &mut pairs, sign);
        }
        pairs.sort_unstable_by_key(|(_, r)| r.position);
        let mut changes = Vec::new();
        for (l, r) in pairs {
            self.pair(l, r, &mut changes);
        }
        changes.extend(
            unmatched_lhs.into_iter().map(|binding| self.alone(binding, ChangeKind::Removed)),
        );
        changes.extend(
            unmatched_rhs.into_iter().map(|binding| self.alone(binding, ChangeKind::Added)),
        );
        changes
    }

    /// The bindings of lhs, except those of removed variables.
    fn lhs_bindings<'a>(
        &'a self,
        savers: &'a Savers,
        groups: &mut ChangedGroups,
    ) -> Vec<Binding<'a>> {
        let scope = |l| {
            // A saver has its name in rhs.
            let partner = self.matching.to_rhs(l).map(|r| self.matching.rhs.node(r));
            partner.unwrap_or(self.matching.lhs.node(l)).scope()
        };
        let mut bindings = self.bindings(&savers.lhs, scope);
        bindings.retain_mut(|binding| {
            let Some(l) = binding.variable else { return true };
            binding.variable = self.matching.to_rhs(l);
            if binding.variable.is_none() {
                // The variable is no longer saved because it was removed.
                let (path, key) = (self.path(*binding), binding.tensor.key.clone());
                let change = BoundaryChange { path, lhs: Some(key), rhs: None };
                groups.removed.add_boundary(l, change);
            }
            binding.variable.is_some()
        });
        bindings
    }

    /// The bindings of rhs, except those of added variables.
    fn rhs_bindings<'a>(
        &'a self,
        savers: &'a Savers,
        groups: &mut ChangedGroups,
    ) -> Vec<Binding<'a>> {
        let mut bindings = self.bindings(&savers.rhs, |r| self.matching.rhs.node(r).scope());
        bindings.retain(|binding| {
            let Some(r) = binding.variable else { return true };
            let is_new = self.matching.to_lhs(r).is_none();
            if is_new {
                let (path, key) = (self.path(*binding), binding.tensor.key.clone());
                let change = BoundaryChange { path, lhs: None, rhs: Some(key) };
                groups.added.add_boundary(r, change);
            }
            !is_new
        });
        bindings
    }

    /// All bindings of one side.
    fn bindings<'a>(
        &self,
        side: &'a SaverSide,
        scope: impl Fn(NodeId) -> &'a str,
    ) -> Vec<Binding<'a>> {
        let mut bindings = Vec::new();
        for found in side.nodes.iter().filter(|found| found.action == self.action) {
            let (node, saver) = (found.node, scope(found.node));
            for tensor in found.tensors.iter().flatten() {
                let (variable, position) = (tensor.variable, bindings.len());
                bindings.push(Binding { saver, node, variable, tensor, position });
            }
        }
        bindings
    }

    /// Compares the bindings of a variable.
    fn pair(&self, lhs: Binding<'_>, rhs: Binding<'_>, changes: &mut Vec<(ChangeText, Change)>) {
        let (l, r) = (lhs.tensor, rhs.tensor);
        let follows = self.renames.is_rename(&l.key, &r.key) || self.keys.is_rename(&l.key, &r.key);
        if l.key != r.key && !follows {
            let what = (Some(l.key.clone()), Some(r.key.clone()), rhs.saver.to_owned());
            changes.push((what, Change::renamed(self.path(rhs), &*l.key, &*r.key)));
        }
        let mut modified = |field: &str, l: &str, r: &str| {
            let what =
                (Some(l.to_owned()), Some(r.to_owned()), format!("{} {field}", rhs.tensor.key));
            changes.push((what, Change::modified(self.path(rhs), l.to_owned(), r.to_owned())));
        };
        if l.slice != r.slice {
            modified("slice", &l.slice, &r.slice);
        }
        if l.dtype != r.dtype {
            modified("dtype", &DType::name_of(l.dtype), &DType::name_of(r.dtype));
        }
        let (lhs_graph, rhs_graph) = (self.matching.lhs, self.matching.rhs);
        if let (Some(a), Some(b)) = (l.variable, r.variable)
            && l.output != r.output
        {
            let text = |name: &str, output: &str| format!("{name}:{output}");
            let (a, b) =
                (text(lhs_graph.node(a).name, &l.output), text(rhs_graph.node(b).name, &r.output));
            modified("output", &a, &b);
        }
        let (a, b) = (lhs_graph.node(lhs.node).device, rhs_graph.node(rhs.node).device);
        // The device of a matched node is reported with the node.
        if self.matching.to_rhs(lhs.node) != Some(rhs.node) && !is_same_device(a, b) {
            modified("device", &format!("on {a:?}"), &format!("on {b:?}"));
        }
    }

    /// A binding that one side lacks.
    fn alone(&self, binding: Binding<'_>, kind: ChangeKind) -> (ChangeText, Change) {
        let SavedTensor { key, slice, .. } = binding.tensor;
        let text = if slice.is_empty() { key.clone() } else { format!("{key} {slice}") };
        let change = Change::one_sided(self.path(binding), kind, text);
        let what = (change.lhs.clone(), change.rhs.clone(), binding.saver.to_owned());
        (what, change)
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

/// A criterion for pairing bindings of one variable in one saver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence<'a> {
    /// The key and the slice.
    Key(&'a str, &'a str),
    /// The output that is saved.
    Output(&'a str),
    /// Nothing else.
    Variable,
}

/// Pairs bindings of equal evidence in order, and removes them.
fn pair<'a>(
    lhs: &mut Vec<Binding<'a>>,
    rhs: &mut Vec<Binding<'a>>,
    pairs: &mut Vec<(Binding<'a>, Binding<'a>)>,
    sign: fn(Binding<'a>) -> Evidence<'a>,
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
    lhs.sort_unstable_by_key(|binding| binding.position);
}
