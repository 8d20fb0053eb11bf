//! Matches the tensors and arguments of functions that save or restore, as TensorFlow 2 generates them for a SavedModel:
//! `__inference__traced_save_42`.
//!
//! Their arguments are the variables in the order of keys, and the names of arguments, results and nodes are
//! numbered in that order. Such functions are therefore matched by the tensors that they save and restore,
//! and calls by the argument for each key.

use std::collections::BTreeMap;

use super::functions::FunctionMatching;
use super::renames::Renames;
use crate::graph::save_op::{RESTORE_V2, SAVE_V2};
use crate::graph::{Action, Function, Graph, Node, NodeKind, SaveOp, SavedTensor};
use crate::message::{fields, string};
use crate::schema::field::{function_def, node_def};

/// The ops of a saver function, including those that save and restore. A function with any other op is
/// compared as a graph.
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
    RESTORE_V2.name,
    SAVE_V2.name,
    "Select",
    "ShardedFilename",
    "StaticRegexFullMatch",
    "StringJoin",
];

/// The matched functions of two libraries that only save or restore.
#[derive(Debug, Default)]
pub(in crate::diff) struct SaverFunctions<'m> {
    /// By the names on both sides; `None` if the names are ambiguous.
    pairs: BTreeMap<&'m str, BTreeMap<&'m str, Option<SaverPair<'m>>>>,
}

/// The tensors that a function saves or restores.
#[derive(Debug)]
pub(in crate::diff) struct SaverFunction<'m> {
    /// The `FunctionDef`.
    pub(in crate::diff) bytes: &'m [u8],
    tensors: Vec<SavedArgument>,
}

/// A tensor, and the argument of the function with its value.
#[derive(Debug)]
pub(in crate::diff) struct SavedArgument {
    action: Action,
    pub(in crate::diff) tensor: SavedTensor,
    argument: Option<usize>,
}

/// A pair of saver functions.
#[derive(Debug)]
pub(in crate::diff) struct SaverPair<'m> {
    pub(in crate::diff) lhs: SaverFunction<'m>,
    pub(in crate::diff) rhs: SaverFunction<'m>,
    /// The argument of rhs for each keyed argument of lhs; `None` if rhs has none for the key.
    partners: BTreeMap<usize, Option<usize>>,
    /// The argument of lhs for each keyed argument of rhs, likewise.
    keyed: BTreeMap<usize, Option<usize>>,
}

/// The key by which tensors are paired: action, checkpoint key and slice.
pub(in crate::diff) type SavedKey<'x> = (Action, String, &'x str);

/// The tensor of each side, if there is one.
pub(in crate::diff) type BothSides<'x> = (Option<&'x SavedArgument>, Option<&'x SavedArgument>);

/// The argument of each side, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::diff) struct ArgumentPair {
    pub(in crate::diff) lhs: Option<usize>,
    pub(in crate::diff) rhs: Option<usize>,
    /// Whether a missing argument is reported as a key that the function lacks.
    pub(in crate::diff) is_reported: bool,
}

impl<'m> SaverFunctions<'m> {
    /// The saver functions among matched functions; `keys` has the renames of checkpoint keys.
    pub(in crate::diff) fn new(functions: &FunctionMatching<'_, 'm>, keys: &Renames) -> Self {
        let mut pairs = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (l, r) in &functions.pairs {
            if let (Some(lhs), Some(rhs)) = (SaverFunction::of(l), SaverFunction::of(r)) {
                let pair = SaverPair::new(lhs, rhs, keys);
                let of_lhs = pairs.entry(l.name).or_default();
                if of_lhs.insert(r.name, Some(pair)).is_some() {
                    of_lhs.insert(r.name, None);
                }
            }
        }
        Self { pairs }
    }

    /// The pair of functions with these names.
    pub(in crate::diff) fn pair(&self, lhs: &str, rhs: &str) -> Option<&SaverPair<'m>> {
        self.pairs.get(lhs)?.get(rhs)?.as_ref()
    }

    /// The pair of functions that two nodes call.
    pub(in crate::diff) fn call(&self, lhs: &Node<'_>, rhs: &Node<'_>) -> Option<&SaverPair<'m>> {
        if self.pairs.is_empty() {
            return None;
        }
        self.pair(lhs.called(), rhs.called())
    }
}

impl<'m> SaverFunction<'m> {
    fn of(function: &Function<'m>) -> Option<Self> {
        if !is_made_of_saver_ops(function.bytes) {
            return None;
        }
        let graph = Graph::of_function(function.bytes).ok()?;
        let mut tensors = Vec::new();
        for node in graph.save_nodes() {
            for tensor in node.tensors? {
                let kind = tensor.variable.map(|variable| graph.node(variable).kind);
                let argument = match kind {
                    Some(NodeKind::Argument(at)) => Some(at as usize),
                    _ => None,
                };
                tensors.push(SavedArgument { action: node.action, tensor, argument });
            }
        }
        Some(Self { bytes: function.bytes, tensors })
    }
}

/// Whether a function saves or restores, and does nothing else.
fn is_made_of_saver_ops(function: &[u8]) -> bool {
    let ops = || fields(function, function_def::NODE_DEF).map(|node| string(node, node_def::OP));
    ops().all(|op| OPS.contains(&op)) && ops().any(|op| SaveOp::of(op).is_some())
}

impl<'m> SaverPair<'m> {
    fn new(lhs: SaverFunction<'m>, rhs: SaverFunction<'m>, keys: &Renames) -> Self {
        let mut pair = Self { lhs, rhs, partners: BTreeMap::new(), keyed: BTreeMap::new() };
        let joined = pair.joined(keys);
        let arguments =
            |(l, r): &BothSides<'_>| (l.and_then(|l| l.argument), r.and_then(|r| r.argument));
        let all: Vec<_> = joined.values().map(arguments).collect();
        for (l, r) in &all {
            // An argument with several keys gets one partner.
            if let (Some(l), Some(r)) = (l, r)
                && !pair.partners.contains_key(l)
                && !pair.keyed.contains_key(r)
            {
                pair.keyed.insert(*r, Some(*l));
                pair.partners.insert(*l, Some(*r));
            }
        }
        for (l, r) in all {
            if let (Some(l), None) = (l, r) {
                pair.partners.entry(l).or_default();
            }
            if let (None, Some(r)) = (l, r) {
                pair.keyed.entry(r).or_default();
            }
        }
        pair
    }

    /// The tensors of both sides by action, key in rhs, and slice.
    pub(in crate::diff) fn joined(&self, keys: &Renames) -> BTreeMap<SavedKey<'_>, BothSides<'_>> {
        let mut joined = BTreeMap::<_, BothSides<'_>>::new();
        for saved in &self.lhs.tensors {
            let key = &saved.tensor.key;
            let key = keys.new_name(key).unwrap_or_else(|| key.clone());
            joined.entry((saved.action, key, &*saved.tensor.slice)).or_default().0 = Some(saved);
        }
        for saved in &self.rhs.tensors {
            let key = saved.tensor.key.clone();
            joined.entry((saved.action, key, &*saved.tensor.slice)).or_default().1 = Some(saved);
        }
        joined
    }

    /// Whether an argument of lhs has another position in rhs.
    pub(in crate::diff) fn is_reordered(&self) -> bool {
        self.partners.iter().any(|(l, r)| r.is_some_and(|r| r != *l))
    }

    /// Pairs the arguments of two calls with `lhs` and `rhs` arguments: by key, and those without a key in
    /// order. A call may lack an argument that its function has.
    pub(in crate::diff) fn arguments(&self, lhs: usize, rhs: usize) -> Vec<ArgumentPair> {
        let keyed = |of: &BTreeMap<usize, Option<usize>>, at| of.get(&at).copied();
        let of_lhs = (0..lhs).filter_map(|l| Some((Some(l), keyed(&self.partners, l)?)));
        let of_rhs = (0..rhs).filter_map(|r| Some((keyed(&self.keyed, r)?, Some(r))));
        // A partner on the left is there already, unless the call lacks it.
        let of_rhs = of_rhs.filter(|(l, _)| l.is_none_or(|l| l >= lhs));
        let mut pairs: Vec<_> = of_lhs
            .chain(of_rhs)
            .map(|(l, r)| ArgumentPair { lhs: l, rhs: r, is_reported: l.is_none() || r.is_none() })
            .collect();
        let unmatched = |of: &BTreeMap<usize, _>, all: usize| -> Vec<usize> {
            (0..all).filter(|at| !of.contains_key(at)).collect()
        };
        let (unmatched_lhs, unmatched_rhs) =
            (unmatched(&self.partners, lhs), unmatched(&self.keyed, rhs));
        pairs.extend((0..unmatched_lhs.len().max(unmatched_rhs.len())).map(|at| ArgumentPair {
            lhs: unmatched_lhs.get(at).copied(),
            rhs: unmatched_rhs.get(at).copied(),
            is_reported: false,
        }));
        pairs.sort_unstable();
        pairs
    }
}
