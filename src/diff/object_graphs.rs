//! The object graphs in two TensorFlow 2 checkpoints: what their tensors are called, and what differs in them.
//!
//! The graph is stored as a tensor of one string. Its bytes differ where nothing does that they mean, so it is compared as what
//! it is: what differs is told as changes, and the tensor itself counts as identical.

use std::collections::BTreeMap;

use super::graph::Renames;
use super::message::ListRules;
use super::sides::Tensors;
use super::{Diff, Finding, Only, Options, Status, TensorDiff, model, roles};
use crate::checkpoint::Checkpoint;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{self, Form};
use crate::tensor::{DType, Name, Tensor};

/// Which tensor of lhs is which of rhs, where they have two names.
pub(super) type Counterparts = BTreeMap<Name, Name>;

/// The object graphs of two checkpoints, as far as they have them and they can be read.
#[derive(Debug)]
pub(super) struct ObjectGraphs {
    lhs: Option<Vec<u8>>,
    rhs: Option<Vec<u8>>,
}

impl ObjectGraphs {
    pub(super) fn of(lhs: Option<&Checkpoint>, rhs: Option<&Checkpoint>) -> Self {
        Self { lhs: lhs.and_then(object_graph), rhs: rhs.and_then(object_graph) }
    }

    /// The tensors that both sides have under two names: those of a renamed object, and those that a checkpoint of TensorFlow 1
    /// knows by the names of their variables.
    pub(super) fn counterparts(&self, lhs: Tensors<'_>, rhs: Tensors<'_>) -> Counterparts {
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
        // Two that go by one name are none of them.
        let mut taken = BTreeMap::<Name, usize>::new();
        for to in counterparts.values() {
            *taken.entry(to.clone()).or_default() += 1;
        }
        counterparts.retain(|_, to| taken.get(to) == Some(&1));
        without_taken_names(&mut counterparts, lhs, rhs);
        counterparts
    }

    /// Whether both sides have one.
    pub(super) fn are_two(&self) -> bool {
        self.lhs.is_some() && self.rhs.is_some()
    }

    /// Gives each tensor its role; the graphs themselves have none.
    pub(super) fn assign_roles(&self, lhs: Tensors<'_>, rhs: Tensors<'_>, all: &mut [TensorDiff]) {
        let roles = |graph: &Option<Vec<u8>>, tensors| {
            let graph = graph.as_deref().map(|bytes| ObjectGraph::new(Form::Trackable, bytes));
            match graph {
                Some(Ok(graph)) => roles::of_objects(&graph),
                _ => roles::of_names(tensors),
            }
        };
        roles::assign(all, &roles(&self.lhs, lhs), &roles(&self.rhs, rhs));
        let own =
            all.iter_mut().filter(|tensor| tensor.name.as_bytes() == object_graph::KEY.as_bytes());
        own.for_each(|tensor| tensor.role = None);
    }

    /// Tells what differs in the graphs of the two, and did not differ in those that are told of already.
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
        // Where changes are not told, what differs is all that there is to say.
        if options.only == Only::Tensors && !found.changes.is_empty() {
            return;
        }
        (tensor.status, tensor.comparison) = (Status::Identical, None);
        model::leave_out_told(&mut found.changes, &diff.changes);
        diff.changes.append(&mut found.changes);
        diff.findings.extend(found.findings.into_iter().map(Finding::from));
    }
}

/// Drops those whose other name is another tensor's on either side, unless that one has another name too.
fn without_taken_names(counterparts: &mut Counterparts, lhs: Tensors<'_>, rhs: Tensors<'_>) {
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
            // Who took its names has none now.
            waiting.extend([Some(to), to_lhs.get(&from).cloned()].into_iter().flatten());
        }
    }
}

fn follow(keys: &Renames, name: &Name) -> Option<Name> {
    keys.follow(name.as_str()?).map(|to| Name::from(&to))
}

/// The graph of a checkpoint; `None` where there is none. What cannot be read of it is told of the tensor.
fn object_graph(checkpoint: &Checkpoint) -> Option<Vec<u8>> {
    if !checkpoint.has_data() || !checkpoint.has_tensor(object_graph::KEY) {
        return None;
    }
    let tensor: Tensor = checkpoint.get_tensor(object_graph::KEY).ok()?;
    let strings = tensor.byte_elements().filter(|_| tensor.dtype() == DType::String)?;
    let [bytes] = strings.as_slice() else { return None };
    model::opened_object_graph(bytes).map(|bytes| bytes.into_owned())
}

/// The names that variables had in TensorFlow 1, each with its key; those that several have say nothing.
fn names(graph: &[u8]) -> BTreeMap<Name, Name> {
    let Ok(graph) = ObjectGraph::new(Form::Trackable, graph) else { return BTreeMap::new() };
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
