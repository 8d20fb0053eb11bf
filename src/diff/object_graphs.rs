//! The object graphs of two TensorFlow 2 checkpoints: the names that they give tensors, and their
//! differences.
//!
//! A checkpoint stores the graph as a tensor of one string. Equal graphs may have different bytes, so the
//! graphs are compared as messages: their differences are reported as changes, and the tensor itself counts
//! as identical.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::graph::Renames;
use super::message::ListRules;
use super::side_tensors::SideTensors;
use super::{
    Diff, Finding, Only, Options, Status, TensorDiff, embedded, model, roles, roles::TensorRole,
};
use crate::checkpoint::Checkpoint;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{self, ObjectGraphKind};
use crate::schema::Schema;
use crate::tensor::{DType, Name, Tensor};

/// The name in rhs of each tensor of lhs that has another name there.
pub(super) type Counterparts = BTreeMap<Name, Name>;

/// The object graphs of two checkpoints; `None` for a side without a readable one.
#[derive(Debug)]
pub(super) struct ObjectGraphs {
    lhs: Option<Vec<u8>>,
    rhs: Option<Vec<u8>>,
}

impl ObjectGraphs {
    pub(super) fn of(lhs: Option<&Checkpoint>, rhs: Option<&Checkpoint>) -> Self {
        Self { lhs: lhs.and_then(object_graph), rhs: rhs.and_then(object_graph) }
    }

    /// The tensors with a different name on each side: variables of renamed objects, and variables that a
    /// TensorFlow 1 checkpoint stores by `full_name`.
    pub(super) fn counterparts(&self, lhs: SideTensors<'_>, rhs: SideTensors<'_>) -> Counterparts {
        let mut counterparts = Counterparts::new();
        let mut add = |from: &Name, to: Name| {
            if *from != to && rhs.get(&to).is_some() {
                counterparts.insert(from.clone(), to);
            }
        };
        match (&self.lhs, &self.rhs) {
            (Some(l), Some(r)) => {
                let keys = model::object_graph_keys(l, r).unwrap_or_default();
                for entry in lhs.iter() {
                    follow(&keys, &entry.name).into_iter().for_each(|to| add(&entry.name, to));
                }
            }
            (Some(graph), None) => {
                names(graph).into_iter().for_each(|(full_name, key)| add(&key, full_name));
            }
            (None, Some(graph)) => {
                names(graph).into_iter().for_each(|(full_name, key)| add(&full_name, key));
            }
            (None, None) => {}
        }
        // Drop ambiguous names.
        let mut taken = BTreeMap::<Name, usize>::new();
        for to in counterparts.values() {
            *taken.entry(to.clone()).or_default() += 1;
        }
        counterparts.retain(|_, to| taken.get(to) == Some(&1));
        without_taken_names(&mut counterparts, lhs, rhs);
        counterparts
    }

    /// Whether both sides have an object graph.
    pub(super) fn are_two(&self) -> bool {
        self.lhs.is_some() && self.rhs.is_some()
    }

    /// Sets the role of each tensor; object graphs themselves have none.
    pub(super) fn assign_roles(
        &self,
        lhs: SideTensors<'_>,
        rhs: SideTensors<'_>,
        all: &mut [TensorDiff],
    ) {
        let roles = |graph: &Option<Vec<u8>>, tensors| {
            let graph =
                graph.as_deref().map(|bytes| ObjectGraph::new(ObjectGraphKind::Trackable, bytes));
            match graph {
                Some(Ok(graph)) => roles::of_objects(&graph),
                _ => roles::of_names(tensors),
            }
        };
        let (lhs, rhs) = (roles(&self.lhs, lhs), roles(&self.rhs, rhs));
        for tensor in all {
            let from = tensor.renamed_from.as_ref().unwrap_or(&tensor.name);
            // The role in rhs takes precedence.
            let known = rhs.get(&tensor.name).or_else(|| lhs.get(from));
            let is_object_graph = tensor.name.as_bytes() == object_graph::KEY.as_bytes();
            tensor.role = (!is_object_graph).then(|| known.copied().unwrap_or(TensorRole::Weight));
        }
    }

    /// Reports differences between the object graphs, except those that other changes report already.
    pub(super) fn compare(&self, options: &Options, lists: &ListRules<'_>, diff: &mut Diff) {
        let (Some(l), Some(r)) = (&self.lhs, &self.rhs) else { return };
        let is_it = |name: &Name| name.as_bytes() == object_graph::KEY.as_bytes();
        let mut tensors = diff.tensors.iter_mut();
        let Some(tensor) =
            tensors.find(|tensor| is_it(&tensor.name) && tensor.status == Status::Different)
        else {
            return;
        };
        let Some(mut found) = model::compare_object_graphs(l, r, options, lists) else { return };
        // Tensors alone are reported, so the tensor must show the difference.
        if options.only == Only::Tensors && !found.changes.is_empty() {
            return;
        }
        (tensor.status, tensor.comparison) = (Status::Identical, None);
        model::remove_reported(&mut found.changes, &diff.changes);
        diff.changes.append(&mut found.changes);
        diff.findings.extend(found.findings.into_iter().map(Finding::from));
    }
}

/// Drops pairs whose names are used by another tensor of either side, unless that tensor is paired under a
/// different name.
fn without_taken_names(
    counterparts: &mut Counterparts,
    lhs: SideTensors<'_>,
    rhs: SideTensors<'_>,
) {
    let to_lhs: BTreeMap<_, _> = counterparts.iter().map(|(l, r)| (r.clone(), l.clone())).collect();
    let is_free = |from: &Name, to: &Name, counterparts: &Counterparts| {
        let is_target = || to_lhs.get(from).is_some_and(|l| counterparts.contains_key(l));
        (lhs.get(to).is_none() || counterparts.contains_key(to))
            && (rhs.get(from).is_none() || is_target())
    };
    let mut waiting: Vec<Name> = counterparts.keys().cloned().collect();
    while let Some(from) = waiting.pop() {
        let Some(to) = counterparts.get(&from).cloned() else { continue };
        if !is_free(&from, &to, counterparts) {
            counterparts.remove(&from);
            // Pairs that used its names have lost their reason.
            waiting.extend([Some(to), to_lhs.get(&from).cloned()].into_iter().flatten());
        }
    }
}

fn follow(keys: &Renames, name: &Name) -> Option<Name> {
    keys.new_name(name.as_str()?).map(|to| Name::from(&to))
}

/// The object graph of a checkpoint; `None` if there is none or it cannot be read. Read errors are reported
/// for the tensor.
fn object_graph(checkpoint: &Checkpoint) -> Option<Vec<u8>> {
    if !checkpoint.has_data() || !checkpoint.has_tensor(object_graph::KEY) {
        return None;
    }
    let tensor: Tensor = checkpoint.get_tensor(object_graph::KEY).ok()?;
    let strings = tensor.byte_elements().filter(|_| tensor.dtype() == DType::String)?;
    let [bytes] = strings.as_slice() else { return None };
    embedded::object_graph(Schema::tensorflow(), bytes).map(Cow::into_owned)
}

/// The `full_name` of each variable with its key; ambiguous names are left out.
fn names(graph: &[u8]) -> BTreeMap<Name, Name> {
    let Ok(graph) = ObjectGraph::new(ObjectGraphKind::Trackable, graph) else {
        return BTreeMap::new();
    };
    let mut names = BTreeMap::<Name, Option<Name>>::new();
    for attribute in graph.ids().flat_map(|id| graph.attributes(id)) {
        let (name, key) = (Name::from(attribute.full_name), Name::from(attribute.checkpoint_key));
        if attribute.full_name.is_empty() {
            continue;
        }
        let known = names.entry(name).or_insert_with(|| Some(key.clone()));
        if known.as_ref() != Some(&key) {
            *known = None;
        }
    }
    names.into_iter().filter_map(|(name, key)| Some((name, key?))).collect()
}
