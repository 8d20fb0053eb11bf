//! Finds what follows from what: a change that TensorFlow makes in the wake of another is put under it.
//!
//! A group follows at most one other, whose part comes before its own, so there are no cycles. Among several causes, the one in the
//! same function or scope is taken, then the first part, then the most members. From elsewhere, only other structures are causes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::adjacent;
use super::edit::Edit;
use super::equal::EqualEdits;
use super::located::{Located, Unordered};
use super::place::Place;
use super::substitution::{self, Substitution};
use crate::diff::meaning::Part;
use crate::diff::{ChangeGroup, ChangeKind, Detail};

/// The groups that follow from no other, each with the changes that follow from it.
pub(super) fn explained(groups: Vec<EqualEdits<'_, '_>>) -> Vec<ChangeGroup> {
    let mut causes = vec![None; groups.len()];
    find_by_edit(&groups, &mut causes);
    adjacent::find(&groups, &mut causes);
    find_by_part(&groups, &mut causes);
    let positions = |group: &EqualEdits<'_, '_>| group.members.iter().map(|c| c.at).collect();
    let mut reported = BTreeMap::<usize, ChangeGroup>::new();
    for (at, group) in groups.iter().enumerate() {
        let members: Vec<usize> = positions(group);
        let root = root(at, &causes);
        let group_of_root = reported.entry(root).or_default();
        group_of_root.follows.extend(&group.follows);
        match root == at {
            true => group_of_root.members = members,
            false => group_of_root.follows.extend(members),
        }
    }
    let sorted = |mut group: ChangeGroup| {
        group.follows.sort_unstable();
        group
    };
    reported.into_values().map(sorted).collect()
}

/// The group at the end of a chain of causes.
fn root(mut at: usize, causes: &[Option<usize>]) -> usize {
    while let Some(cause) = causes.get(at).copied().flatten() {
        at = cause;
    }
    at
}

/// Finds groups whose edits follow from other edits: a shape in which two sizes changed from each of them, constants with such sizes,
/// shapes that became known, casts between types that changed, groups of nodes by device, and seeds that TensorFlow counts.
fn find_by_edit(groups: &[EqualEdits<'_, '_>], causes: &mut [Option<usize>]) {
    let mut single = BTreeMap::<(bool, (&str, &str)), usize>::new();
    for (at, group) in groups.iter().enumerate() {
        if let Some((is_size, replaced)) = general(&group.edit)
            && let [only] = replaced.as_slice()
        {
            single.insert((is_size, *only), at);
        }
    }
    let cause = |is_size: bool, replaced: &[(&str, &str)]| {
        let found = replaced.iter().map(|pair| single.get(&(is_size, *pair)).copied());
        let found = found.collect::<Option<BTreeSet<_>>>()?;
        first(groups, found)
    };
    let unknown = single.iter().filter(|((_, (from, to)), _)| *from == "?" || *to == "?");
    let known_shape = first(groups, unknown.map(|(_, at)| *at));
    let of_types = single.iter().filter(|((is_size, _), _)| !is_size);
    let types = first(groups, of_types.map(|(_, at)| *at));
    let is_of_device = |at: &usize| groups.get(*at).is_some_and(|group| is_of_device(&group.edit));
    let devices = first(groups, (0..groups.len()).filter(is_of_device));
    let of_nodes = (0..groups.len()).filter(|&at| is_of_nodes(groups, at));
    let nodes = first(groups, of_nodes);
    let layers = Layers::of(groups);
    for (at, group) in groups.iter().enumerate() {
        let found = match &group.edit {
            Edit::Sizes(replaced) if replaced.len() > 1 => cause(true, replaced),
            Edit::Types(replaced) if replaced.len() > 1 => cause(false, replaced),
            Edit::Field(fields, _, Some(lhs), Some(rhs), _) => match fields.last().copied() {
                Some("tensor") => cause(true, &substitution::of_sizes(lhs, rhs)),
                Some("op") if is_shape_or_constant(lhs, rhs) => known_shape,
                _ => None,
            },
            Edit::Nodes(_, ops, _) if are_all(ops, "Cast") => types,
            // A group of nodes on several devices is one node for each.
            Edit::Nodes(_, ops, _) if are_all(ops, "NoOp") => devices,
            Edit::Seeds => nodes,
            Edit::Nodes(kind, ..) if is_in_function(group) => layers.of_nodes(*kind, group),
            _ => None,
        };
        if let Some(slot) = causes.get_mut(at) {
            *slot = found.filter(|&found| found != at);
        }
    }
}

/// Whether nodes of the model came or went, which moves the seeds that TensorFlow counts.
fn is_of_nodes(groups: &[EqualEdits<'_, '_>], at: usize) -> bool {
    let group = groups.get(at);
    group.is_some_and(|group| matches!(group.edit, Edit::Nodes(..)) && part(group).is_made())
}

/// Whether nodes have no other op.
fn are_all(ops: &[(String, u64)], wanted: &str) -> bool {
    matches!(ops, [(op, _)] if op == wanted)
}

fn is_of_device(edit: &Edit<'_>) -> bool {
    matches!(edit, Edit::Field(fields, ..) if fields.last() == Some(&"device"))
}

/// The layers that were added or removed, from which nodes in functions follow.
struct Layers<'g> {
    /// By kind and name.
    named: BTreeMap<(ChangeKind, &'g str), usize>,
    /// The first of each kind.
    first: BTreeMap<ChangeKind, usize>,
}

impl<'g> Layers<'g> {
    fn of(groups: &'g [EqualEdits<'_, '_>]) -> Self {
        let mut found = Self { named: BTreeMap::new(), first: BTreeMap::new() };
        let mut of_kind = BTreeMap::<ChangeKind, Vec<usize>>::new();
        for (at, group) in groups.iter().enumerate() {
            for member in &group.members {
                let Detail::Objects(objects) = &member.change.detail else { continue };
                if member.part != Part::Layers {
                    continue;
                }
                let kind = member.change.kind;
                if let Some(layer) = &objects.layer {
                    found.named.insert((kind, &layer.name), at);
                }
                of_kind.entry(kind).or_default().push(at);
            }
        }
        let first = |(kind, all): (ChangeKind, Vec<usize>)| {
            // Metrics are objects of Keras, and no layers.
            let is_own = |at: &usize| !groups.get(*at).is_some_and(is_of_keras_api);
            let own = first(groups, all.iter().copied().filter(is_own));
            Some((kind, own.or_else(|| first(groups, all))?))
        };
        found.first = of_kind.into_iter().filter_map(first).collect();
        found
    }

    /// The layer that nodes of a function follow from: one in their names, else the first.
    fn of_nodes(&self, kind: ChangeKind, group: &EqualEdits<'_, '_>) -> Option<usize> {
        let node = group.members.first()?.place.node?;
        let named = node.split('/').find_map(|part| self.named.get(&(kind, part)));
        named.or_else(|| self.first.get(&kind)).copied()
    }
}

fn is_of_keras_api(group: &EqualEdits<'_, '_>) -> bool {
    let first = group.members.first().and_then(|member| member.place.object);
    first.is_some_and(|path| path.starts_with("keras_api/"))
}

fn is_in_function(group: &EqualEdits<'_, '_>) -> bool {
    group.members.first().is_some_and(|change| change.place.function.is_some())
}

fn general<'e, 'a>(edit: &'e Edit<'a>) -> Option<(bool, &'e Substitution<'a>)> {
    match edit {
        Edit::Sizes(replaced) => Some((true, replaced)),
        Edit::Types(replaced) => Some((false, replaced)),
        _ => None,
    }
}

/// Whether TensorFlow replaced the shape of a tensor by a constant, as it does once the shape is known.
fn is_shape_or_constant(lhs: &str, rhs: &str) -> bool {
    matches!((lhs, rhs), ("Shape", "Const") | ("Const", "Shape"))
}

/// Finds groups in parts that TensorFlow derives from others.
fn find_by_part(groups: &[EqualEdits<'_, '_>], causes: &mut [Option<usize>]) {
    let is_free = |at: &usize| causes.get(*at) == Some(&None);
    let mut order: Vec<usize> = (0..groups.len()).filter(is_free).collect();
    order.sort_by_cached_key(|&at| groups.get(at).map(priority));
    // The first group that has each surroundings, by its position in the order.
    let mut nearby = BTreeMap::<Surroundings<'_>, usize>::new();
    for (rank, &at) in order.iter().enumerate() {
        let places = groups.get(at).into_iter().flat_map(places);
        for around in places.flat_map(|place| function(place).chain(scopes(place))) {
            nearby.entry(around).or_insert(rank);
        }
    }
    let structural = |at: &&usize| groups.get(**at).is_some_and(is_structural);
    let structural: Vec<&usize> = order.iter().filter(structural).collect();
    for &at in &order {
        let Some(group) = groups.get(at).filter(|group| !is_made(group)) else { continue };
        let part = part(group);
        let comes_before = |at: &usize| groups.get(*at).is_some_and(|c| self::part(c) < part);
        let is_cause = |at: &usize| groups.get(*at).is_some_and(|cause| explains(cause, part));
        let nearest = |around: &mut dyn Iterator<Item = Surroundings<'_>>| {
            let ranks = around.filter_map(|around| nearby.get(&around).copied());
            let causes = ranks
                .filter(|&rank| order.get(rank).is_some_and(|at| comes_before(at) && is_cause(at)));
            causes.min().and_then(|rank| order.get(rank))
        };
        let near = nearest(&mut places(group).flat_map(function))
            .or_else(|| nearest(&mut places(group).flat_map(scopes)));
        // The parts ascend.
        let first = || structural.iter().copied().find(|at| is_cause(at));
        let afar = || first().filter(|at| comes_before(at) && part.follows_from_afar());
        if let Some(slot) = causes.get_mut(at) {
            *slot = near.or_else(afar).copied();
        }
    }
}

/// Whether a group changes the structure of a model, or its devices, from which changes anywhere can follow. Another value of an
/// attribute or of a constant has an effect on the nodes nearby at most.
fn is_structural(group: &EqualEdits<'_, '_>) -> bool {
    let is_of_structure = |change: &&Located<'_>| {
        change.part < Part::Model
            || change.place.last() == "op"
            || change.place.has("input")
            || matches!(change.change.detail, Detail::Objects(_))
    };
    let is_edit_of_structure = match &group.edit {
        // Constants that TensorFlow makes may be sizes, or any other numbers.
        Edit::Sizes(_) => group.members.iter().any(|change| change.place.is_shape),
        Edit::Field(..) => is_of_device(&group.edit),
        _ => true,
    };
    let is_structure = is_edit_of_structure || group.members.first().is_some_and(is_of_structure);
    // The name of a file is in the nodes that read it.
    is_structure && part(group) != Part::Assets
}

/// Whether a change of `part` can follow from a group.
fn explains(cause: &EqualEdits<'_, '_>, part: Part) -> bool {
    match part {
        // The options of a saver leave the keys as they are.
        Part::SavedKeys => self::part(cause) > Part::Saver,
        _ => true,
    }
}

/// Whether a group is the work of people, which follows from nothing.
fn is_made(group: &EqualEdits<'_, '_>) -> bool {
    let is_key = part(group) == Part::SavedKeys
        && matches!(group.edit, Edit::Renamed(..))
        && !is_in_function(group);
    part(group).is_made() || is_key
}

fn part(group: &EqualEdits<'_, '_>) -> Part {
    group.members.first().map_or(Part::Records, |change| change.part)
}

/// The first of several groups.
fn first(groups: &[EqualEdits<'_, '_>], of: impl IntoIterator<Item = usize>) -> Option<usize> {
    of.into_iter().min_by_key(|&at| groups.get(at).map(priority))
}

/// A key that sorts causes, the same with the sides swapped.
fn priority<'a>(group: &EqualEdits<'a, '_>) -> (Part, Reverse<usize>, Option<Unordered<'a>>) {
    let first = group.members.first();
    (part(group), Reverse(group.members.len()), first.map(|change| change.unordered()))
}

/// A function, by its names on both sides, or a scope of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surroundings<'a> {
    Function([&'a str; 2]),
    Scope(&'a str),
}

/// Scopes that TensorFlow puts before the names of the nodes for which it makes others.
const PREFIXES: [&str; 2] = ["gradients", "save"];

/// The end of the scope of the gradients of a node, and the start of that of the nodes with which an optimizer updates a variable.
const GRADIENT: &str = "_grad";
const UPDATE: &str = "update_";

/// The places of the changes in a group.
fn places<'a, 'c>(group: &'c EqualEdits<'a, 'c>) -> impl Iterator<Item = &'c Place<'a>> {
    group.members.iter().map(|change| &change.place)
}

/// The function that a node is in.
fn function<'a>(place: &Place<'a>) -> impl Iterator<Item = Surroundings<'a>> + use<'a> {
    place.functions.map(Surroundings::Function).into_iter()
}

/// The scope that a node is in, which may have another name on each side.
fn scopes<'a>(place: &Place<'a>) -> impl Iterator<Item = Surroundings<'a>> + use<'a> {
    let names = [place.node, place.node_in_lhs].into_iter().flatten();
    names.filter_map(scope).map(Surroundings::Scope)
}

/// The outermost scope of what a node computes, or for which TensorFlow made it.
fn scope(node: &str) -> Option<&str> {
    let updated = || node.split('/').find_map(|part| part.strip_prefix(UPDATE));
    let part = || node.split('/').find(|part| !PREFIXES.contains(part));
    let part = updated().or_else(part)?;
    Some(part.strip_suffix(GRADIENT).unwrap_or(part))
}
