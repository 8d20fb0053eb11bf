//! The object graphs of two TensorFlow 2 checkpoints: the names that they give tensors, and their
//! differences.
//!
//! A checkpoint stores the graph as a tensor of one string. Equal graphs may have different bytes, so the
//! graphs are compared as messages: their differences are reported as changes, and the tensor itself counts
//! as identical.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::full_names::FullNames;
use super::matching::objects::{TensorTable, name_stem, tensor_table};
use super::matching::{Correspondence, ObjectGraphPair, object_graphs};
use super::side_tensors::SideTensors;
use super::walk::message::ListRules;
use super::walk::model;
use super::{
    Diff, DiffOptions, Finding, Only, Side, Status, TensorDiff, embedded, roles, roles::TensorRole,
};
use crate::checkpoint::{Checkpoint, Entry};
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{self, ObjectGraphKind};
use crate::schema::Schema;
use crate::tensor::{DType, Name, Tensor};

/// The name in rhs of each tensor of lhs that has another name there.
type Counterparts = BTreeMap<Name, Name>;

/// What the object graphs of both sides say about the names of tensors.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    counterparts: Counterparts,
    lhs: FullNames,
    rhs: FullNames,
    /// Tensors that are saved a second time.
    copies: BTreeSet<(Side, Name)>,
    /// Tensors of lhs whose keys mean other variables in rhs, and that have no counterpart there.
    alone: BTreeSet<Name>,
}

impl KnownNames {
    /// The name in rhs of a tensor of lhs that has another name there.
    pub(super) fn counterpart(&self, name: &Name) -> Option<&Name> {
        self.counterparts.get(name)
    }

    /// Whether the key of a tensor of lhs, which has no counterpart, means another variable in rhs.
    pub(super) fn is_alone(&self, name: &Name) -> bool {
        !self.alone.is_empty() && self.alone.contains(name)
    }

    /// Whether the tensor is saved a second time, and its counterpart, if there is one, is, too.
    pub(super) fn is_copy(&self, side: Side, name: &Name) -> bool {
        !self.copies.is_empty() && self.copies.contains(&(side, name.clone()))
    }

    /// The full name of a pair of tensors, given by their keys, if it has a scope and the sides agree on it; if they differ in
    /// numbers that make names unique, that of rhs.
    pub(super) fn full_name(&self, lhs: Option<&Name>, rhs: Option<&Name>) -> Option<&Name> {
        let l = lhs.and_then(|key| self.lhs.of_key(key));
        let r = rhs.and_then(|key| self.rhs.of_key(key));
        let name = match (l, r) {
            (Some(l), Some(r)) => (l == r || is_renumbered(l, r)).then_some(r)?,
            (Some(_), None) if rhs.is_some() && self.rhs.is_known() => return None,
            (None, Some(_)) if lhs.is_some() && self.lhs.is_known() => return None,
            (l, r) => l.or(r)?,
        };
        name.as_bytes().contains(&b'/').then_some(name)
    }
}

impl KnownNames {
    /// The counterparts of tensors by their objects; then, of tensors that only one side has, by their full names.
    fn by_objects(
        &mut self,
        objects: Option<&Correspondence<'_>>,
        (lhs, rhs): (SideTensors<'_>, SideTensors<'_>),
    ) -> Counterparts {
        let keys = objects.map(Correspondence::value_keys).unwrap_or_default();
        let mut counterparts = Counterparts::new();
        for entry in lhs.iter() {
            let partner =
                |keys: &BTreeMap<String, String>| keys.get(entry.name.as_str()?).map(Name::from);
            if let Some(to) = partner(&keys.to_rhs).filter(|to| rhs.get(to).is_some()) {
                counterparts.insert(entry.name.clone(), to);
            } else if partner(&keys.to_lhs).is_some_and(|from| lhs.get(from).is_some()) {
                self.alone.insert(entry.name.clone());
            }
        }
        let matched: BTreeSet<Name> = counterparts.values().cloned().collect();
        for (full_name, from) in self.lhs.iter().filter(|(_, key)| rhs.get(key).is_none()) {
            let to = self.rhs.key(full_name).filter(|to| lhs.get(to).is_none());
            if let Some(to) = to.filter(|to| !matched.contains(to)) {
                counterparts.entry(from.clone()).or_insert_with(|| to.clone());
            }
        }
        counterparts
    }
}

fn owned<'a>(pairs: impl Iterator<Item = (&'a Name, &'a Name)>) -> Counterparts {
    pairs.map(|(from, to)| (from.clone(), to.clone())).collect()
}

/// The object graphs of two checkpoints; `None` for a side without a readable one.
#[derive(Debug)]
pub(super) struct ObjectGraphs {
    lhs: Option<Vec<u8>>,
    rhs: Option<Vec<u8>>,
    /// What is known of the tensors of each side, if both have an object graph.
    tables: [TensorTable; 2],
}

impl ObjectGraphs {
    pub(super) fn of(lhs: Option<&Checkpoint>, rhs: Option<&Checkpoint>) -> Self {
        let mut graphs = Self {
            lhs: lhs.and_then(object_graph),
            rhs: rhs.and_then(object_graph),
            tables: Default::default(),
        };
        if let (true, Some(lhs), Some(rhs)) = (graphs.are_two(), lhs, rhs) {
            graphs.tables = [lhs, rhs].map(|side| tensor_table(SideTensors::of(side)));
        }
        graphs
    }

    /// Reads the object graphs; `None` unless both sides have one. One that cannot be read is reported when they are compared.
    pub(super) fn read(&self) -> Option<ObjectGraphPair<'_>> {
        let both = (self.lhs.as_deref()?, self.rhs.as_deref()?);
        object_graphs(ObjectGraphKind::Trackable, both).unwrap_or_default()
    }

    /// What the indexes say of the tensors of each side.
    pub(super) fn tensors(&self) -> [&TensorTable; 2] {
        self.tables.each_ref()
    }

    /// The tensors with a different name on each side: variables of renamed objects, variables with the same `full_name`,
    /// and variables that a TensorFlow 1 checkpoint stores by it. `objects` has the matched objects.
    pub(super) fn known_names(
        &self,
        objects: Option<&Correspondence<'_>>,
        lhs: SideTensors<'_>,
        rhs: SideTensors<'_>,
    ) -> KnownNames {
        let full_names = |graph: &Option<Vec<u8>>, tensors| {
            graph.as_deref().map(|graph| FullNames::new(graph, tensors)).unwrap_or_default()
        };
        let mut known = KnownNames {
            lhs: full_names(&self.lhs, lhs),
            rhs: full_names(&self.rhs, rhs),
            ..KnownNames::default()
        };
        let mut counterparts = match (&self.lhs, &self.rhs) {
            (Some(_), Some(_)) => known.by_objects(objects, (lhs, rhs)),
            // The other side may store variables by their full names.
            (Some(_), None) => owned(known.lhs.iter().map(|(name, key)| (key, name))),
            (None, Some(_)) => owned(known.rhs.iter()),
            (None, None) => Counterparts::new(),
        };
        counterparts.retain(|from, to| from != to && rhs.get(to).is_some());
        // Drop ambiguous names.
        let mut taken = BTreeMap::<Name, usize>::new();
        for to in counterparts.values() {
            *taken.entry(to.clone()).or_default() += 1;
        }
        counterparts.retain(|_, to| taken.get(to) == Some(&1));
        if !self.are_two() {
            without_taken_names(&mut counterparts, lhs, rhs);
        }
        known.copies = copies(&known, &counterparts, (lhs, rhs));
        known.counterparts = counterparts;
        known
    }

    /// The bytes of the object graphs.
    pub(super) fn bytes(&self) -> Vec<&[u8]> {
        [&self.lhs, &self.rhs].into_iter().filter_map(|graph| graph.as_deref()).collect()
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
        let (lhs, rhs) = (roles(&self.lhs, lhs), roles(&self.rhs, rhs));
        for tensor in all {
            let from = tensor.renamed_from.as_ref().unwrap_or(&tensor.name);
            // The role in rhs takes precedence.
            let of_rhs = rhs.get(&tensor.name).filter(|_| tensor.rhs.is_some());
            let known = of_rhs.or_else(|| lhs.get(from));
            let is_object_graph = tensor.name.as_bytes() == object_graph::KEY.as_bytes();
            tensor.role = (!is_object_graph).then(|| known.copied().unwrap_or(TensorRole::Weight));
        }
    }

    /// Reports differences between the object graphs, except those that other changes report already. Object graphs are
    /// structure and no values: unless `diff` compares the structure of two artifacts of one kind, they are left out.
    pub(super) fn compare(
        &self,
        objects: Option<&Correspondence<'_>>,
        options: &DiffOptions,
        lists: &ListRules<'_>,
        diff: &mut Diff,
    ) {
        let differs = |tensor: &TensorDiff| {
            let is_object_graph = tensor.name.as_bytes() == object_graph::KEY.as_bytes();
            is_object_graph && tensor.is_changed()
        };
        let Some(at) = diff.tensors.iter().position(differs) else { return };
        if options.only == Only::Tensors || diff.lhs.kind != diff.rhs.kind {
            diff.tensors.remove(at);
            return;
        }
        let (Some(l), Some(r)) = (&self.lhs, &self.rhs) else { return };
        let Some(mut found) = model::compare_object_graphs((l, r), objects, options, lists) else {
            return;
        };
        if let Some(tensor) = diff.tensors.get_mut(at) {
            (tensor.status, tensor.comparison) = (Status::Identical, None);
            tensor.mismatches.clear();
            tensor.mismatch_map = None;
        }
        model::remove_reported(&mut found.changes, &diff.changes);
        diff.changes.append(&mut found.changes);
        diff.findings.extend(found.findings.into_iter().map(Finding::from));
    }
}

/// A tensor of one checkpoint, as its object graph describes it.
#[derive(Debug)]
pub(crate) struct DescribedTensor<'a> {
    /// The tensor in the checkpoint.
    pub(crate) entry: &'a Entry,
    /// The name that the variable was created with, if no other variable has it.
    pub(crate) full_name: Option<Name>,
    /// Its role; `None` for the object graph itself.
    pub(crate) role: Option<TensorRole>,
}

/// The tensors of a checkpoint, by key. Variables that are saved a second time under a private key are left out.
pub(crate) fn described_tensors(checkpoint: &Checkpoint) -> Vec<DescribedTensor<'_>> {
    let tensors = SideTensors::of(checkpoint);
    let graph = object_graph(checkpoint);
    let names = graph.as_deref().map(|graph| FullNames::new(graph, tensors)).unwrap_or_default();
    let roles = roles(&graph, tensors);
    let copies: BTreeSet<&Name> = names.iter().flat_map(|(_, key)| names.copies(key)).collect();
    let described = |entry: &'_ Entry| {
        let is_object_graph = entry.name.as_bytes() == object_graph::KEY.as_bytes();
        let role = roles.get(&entry.name).copied().unwrap_or(TensorRole::Weight);
        (names.of_key(&entry.name).cloned(), (!is_object_graph).then_some(role))
    };
    let own = tensors.iter().filter(|entry| !copies.contains(&entry.name));
    own.map(|entry| {
        let (full_name, role) = described(entry);
        DescribedTensor { entry, full_name, role }
    })
    .collect()
}

/// The known roles of the tensors of one side: those of its object graph, else those that follow from names.
fn roles(graph: &Option<Vec<u8>>, tensors: SideTensors<'_>) -> roles::Roles {
    let graph = graph.as_deref().map(|bytes| ObjectGraph::new(ObjectGraphKind::Trackable, bytes));
    match graph {
        Some(Ok(graph)) => roles::of_objects(&graph),
        _ => roles::of_names(tensors),
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

/// Whether two full names differ only in the numbers that make them unique.
fn is_renumbered(lhs: &Name, rhs: &Name) -> bool {
    let stem = |name: &Name| name.as_str().map(|name| name_stem(name).0);
    stem(lhs).is_some_and(|of_lhs| Some(of_lhs) == stem(rhs))
}

/// Tensors that are saved a second time on each side. A copy whose counterpart is none is compared.
fn copies(
    known: &KnownNames,
    counterparts: &Counterparts,
    tensors: (SideTensors<'_>, SideTensors<'_>),
) -> BTreeSet<(Side, Name)> {
    let all = |names: &FullNames| {
        names.iter().flat_map(|(_, key)| names.copies(key)).cloned().collect::<BTreeSet<_>>()
    };
    let (of_lhs, of_rhs) = (all(&known.lhs), all(&known.rhs));
    let to_lhs: BTreeMap<_, _> = counterparts.iter().map(|(l, r)| (r, l)).collect();
    let from_lhs = of_lhs.iter().filter(|key| {
        let to = counterparts.get(*key).unwrap_or(key);
        tensors.1.get(to).is_none() || of_rhs.contains(to)
    });
    let from_rhs = of_rhs.iter().filter(|key| {
        let from = to_lhs.get(*key).copied().unwrap_or(key);
        tensors.0.get(from).is_none() || of_lhs.contains(from)
    });
    let from_lhs = from_lhs.map(|key| (Side::Lhs, key.clone()));
    from_lhs.chain(from_rhs.map(|key| (Side::Rhs, key.clone()))).collect()
}

/// The object graph of a checkpoint; `None` if there is none or it cannot be read. Read errors are reported
/// for the tensor.
fn object_graph(checkpoint: &Checkpoint) -> Option<Vec<u8>> {
    if !checkpoint.has_data() || !checkpoint.has_tensor(object_graph::KEY) {
        return None;
    }
    let tensor: Tensor = checkpoint.get_message(object_graph::KEY).ok()??;
    let strings = tensor.byte_elements().filter(|_| tensor.dtype() == DType::String)?;
    let [bytes] = strings.as_slice() else { return None };
    embedded::object_graph(Schema::tensorflow(), bytes).map(Cow::into_owned)
}
