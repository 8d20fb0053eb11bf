//! Functions that save or restore, as TensorFlow 2 makes them for a SavedModel: `__inference__traced_save_42`.
//!
//! Their arguments are the variables in the order of their keys, and the names of arguments, results and nodes are counted in
//! that order. So such functions are compared by what they save and restore, and calls of them by what is passed for each key.

use std::collections::{BTreeMap, BTreeSet};

use super::functions::Functions;
use super::renames::Renames;
use crate::diff::path::Trail;
use crate::diff::{Change, ChangeKind, Detail, Weight};
use crate::graph::{Action, Function, Graph, Node, Role, SavedTensor, attrs};
use crate::message::{fields, string};
use crate::schema::field::{function_def, node_def};
use crate::tensor::DType;

/// What a saver is made of, beside the nodes that save and restore. A function with any other op is compared as it is.
const OPS: &[&str] = &[
    "AssignVariableOp",
    "Cast",
    "Const",
    "DisableCopyOnRead",
    "Identity",
    "LookupTableExportV2",
    "LookupTableImportV2",
    "MergeV2Checkpoints",
    "NoOp",
    "Pack",
    "ReadVariableOp",
    "Reshape",
    "RestoreV2",
    "SaveV2",
    "Select",
    "ShardedFilename",
    "StaticRegexFullMatch",
    "StringJoin",
];

/// The functions of two libraries that do nothing but save or restore, where they are one function.
#[derive(Debug, Default)]
pub(in crate::diff) struct SaverFunctions<'m> {
    /// By the names on both sides; `None` where several pairs have them.
    pairs: BTreeMap<&'m str, BTreeMap<&'m str, Option<SaverPair>>>,
}

/// What a function saves or restores.
#[derive(Debug)]
struct Saver {
    tensors: Vec<Saved>,
}

/// A tensor, and which argument of the function it is.
#[derive(Debug)]
struct Saved {
    action: Action,
    tensor: SavedTensor,
    argument: Option<usize>,
}

/// A saver of each side, which are one function.
#[derive(Debug)]
pub(super) struct SaverPair {
    lhs: Saver,
    rhs: Saver,
    /// What arguments are saved under a key: that of rhs for one of lhs, which may be none.
    partners: BTreeMap<usize, Option<usize>>,
    /// The arguments of rhs that are saved under a key.
    keyed: BTreeSet<usize>,
}

/// What is saved or restored: the key, and the slice.
type What<'x> = (Action, String, &'x str);

/// Each side's; `None` where it has none.
type Both<'x> = (Option<&'x Saved>, Option<&'x Saved>);

/// An argument of each side; `None` where there is none for the key.
type Arguments = (Option<usize>, Option<usize>);

impl<'m> SaverFunctions<'m> {
    /// Those among functions that have found each other; `keys` says what became of keys of checkpoints.
    pub(in crate::diff) fn new(functions: &Functions<'_, 'm>, keys: &Renames) -> Self {
        let mut pairs = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (l, r) in &functions.pairs {
            if let (Some(lhs), Some(rhs)) = (Saver::of(l), Saver::of(r)) {
                let pair = SaverPair::new(lhs, rhs, keys);
                let of_lhs = pairs.entry(l.name).or_default();
                if of_lhs.insert(r.name, Some(pair)).is_some() {
                    of_lhs.insert(r.name, None);
                }
            }
        }
        Self { pairs }
    }

    /// The two functions, where both are savers.
    pub(super) fn pair(&self, lhs: &str, rhs: &str) -> Option<&SaverPair> {
        self.pairs.get(lhs)?.get(rhs)?.as_ref()
    }

    /// The functions that two nodes call, where both are savers.
    pub(super) fn call(&self, lhs: &Node<'_>, rhs: &Node<'_>) -> Option<&SaverPair> {
        if self.pairs.is_empty() {
            return None;
        }
        self.pair(called(lhs)?, called(rhs)?)
    }
}

/// The function that a node calls.
fn called<'m>(node: &Node<'m>) -> Option<&'m str> {
    if !matches!(node.op, "StatefulPartitionedCall" | "PartitionedCall") {
        return None;
    }
    node.attr("f").map(attrs::function)
}

impl Saver {
    fn of(function: &Function<'_>) -> Option<Self> {
        if !is_made_of_saver_ops(function.bytes) {
            return None;
        }
        let graph = Graph::of_function(function.bytes).ok()?;
        let mut tensors = Vec::new();
        for node in graph.save_nodes() {
            for tensor in node.tensors? {
                let role = tensor.variable.map(|variable| graph.node(variable).role);
                let argument = match role {
                    Some(Role::Argument(at)) => Some(at as usize),
                    _ => None,
                };
                tensors.push(Saved { action: node.action, tensor, argument });
            }
        }
        Some(Self { tensors })
    }
}

/// Whether a function saves or restores, and does nothing else.
fn is_made_of_saver_ops(function: &[u8]) -> bool {
    let ops = || fields(function, function_def::NODE_DEF).map(|node| string(node, node_def::OP));
    ops().all(|op| OPS.contains(&op)) && ops().any(|op| matches!(op, "SaveV2" | "RestoreV2"))
}

impl SaverPair {
    fn new(lhs: Saver, rhs: Saver, keys: &Renames) -> Self {
        let mut pair = Self { lhs, rhs, partners: BTreeMap::new(), keyed: BTreeSet::new() };
        let joined = pair.joined(keys);
        let arguments = |(l, r): &Both<'_>| -> Arguments {
            (l.and_then(|l| l.argument), r.and_then(|r| r.argument))
        };
        let all: Vec<_> = joined.values().map(arguments).collect();
        for (l, r) in &all {
            // An argument may be saved under several keys; it has one partner.
            if let (Some(l), Some(r)) = (l, r)
                && !pair.partners.contains_key(l)
                && pair.keyed.insert(*r)
            {
                pair.partners.insert(*l, Some(*r));
            }
        }
        for (l, r) in all {
            if let (Some(l), None) = (l, r) {
                pair.partners.entry(l).or_default();
            }
            if let (None, Some(r)) = (l, r) {
                pair.keyed.insert(r);
            }
        }
        pair
    }

    /// The tensors of both sides by action, key as rhs has it, and slice.
    fn joined(&self, keys: &Renames) -> BTreeMap<What<'_>, Both<'_>> {
        let mut joined = BTreeMap::<_, Both<'_>>::new();
        for saved in &self.lhs.tensors {
            let key = &saved.tensor.key;
            let key = keys.follow(key).unwrap_or_else(|| key.clone());
            joined.entry((saved.action, key, &*saved.tensor.slice)).or_default().0 = Some(saved);
        }
        for saved in &self.rhs.tensors {
            let key = saved.tensor.key.clone();
            joined.entry((saved.action, key, &*saved.tensor.slice)).or_default().1 = Some(saved);
        }
        joined
    }

    /// Tells what is saved or restored in another way.
    pub(super) fn compare(&self, keys: &Renames, at: &Trail<'_>, out: &mut Vec<Change>) {
        let saver = at.field("saver");
        for ((action, key, _), (l, r)) in self.joined(keys) {
            let field = match action {
                Action::Save => "saves",
                Action::Restore => "restores",
            };
            let at = saver.key("").field(field).key(&key).path();
            let text = |saved: Option<&Saved>| saved.map(|saved| saved.text());
            let (lhs, rhs) = (text(l), text(r));
            let kind = match (l, r) {
                (None, _) => ChangeKind::Added,
                (_, None) => ChangeKind::Removed,
                (Some(l), Some(r)) if l.tensor.dtype != r.tensor.dtype => ChangeKind::Modified,
                _ => continue,
            };
            let (weight, detail) = (Weight::Semantic, Detail::None);
            out.push(Change { path: at, kind, weight, lhs, rhs, detail });
        }
    }

    /// Which argument of lhs is which of rhs, of so many: by key, and those that are saved under no key by their order.
    pub(super) fn arguments(&self, lhs: usize, rhs: usize) -> Vec<Arguments> {
        let mut pairs = Vec::new();
        let mut left = Vec::new();
        let mut has_partner = vec![false; rhs];
        for l in 0..lhs {
            match self.partners.get(&l) {
                Some(partner) => {
                    let partner = partner.filter(|&r| r < rhs);
                    if let Some(slot) = partner.and_then(|r| has_partner.get_mut(r)) {
                        *slot = true;
                    }
                    pairs.push((Some(l), partner));
                }
                None => left.push(l),
            }
        }
        let rest = (0..rhs).zip(has_partner).filter(|(_, has_partner)| !has_partner);
        let (alone, right): (Vec<_>, Vec<_>) =
            rest.map(|(r, _)| r).partition(|r| self.keyed.contains(r));
        pairs.extend(alone.into_iter().map(|r| (None, Some(r))));
        for at in 0..left.len().max(right.len()) {
            pairs.push((left.get(at).copied(), right.get(at).copied()));
        }
        pairs.sort_unstable();
        pairs
    }
}

impl Saved {
    fn text(&self) -> String {
        let SavedTensor { key, slice, dtype, .. } = &self.tensor;
        let dtype = dtype_text(*dtype);
        if slice.is_empty() { format!("{key}, {dtype}") } else { format!("{key} {slice}, {dtype}") }
    }
}

/// A dtype by its number.
pub(super) fn dtype_text(code: i32) -> String {
    DType::from_code(code).map_or_else(|| format!("type {code}"), |dtype| dtype.to_string())
}
