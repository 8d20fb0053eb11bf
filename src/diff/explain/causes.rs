//! Finds what follows from what: a change that TensorFlow makes in the wake of another is put under it.
//!
//! A group follows at most one other, whose part comes before its own, so there are no cycles. Among several causes, the one in the
//! same function or scope is taken, then the first part, then the most members.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::adjacent;
use super::edit::Edit;
use super::equal::EqualEdits;
use super::substitution::{self, Substitution};
use crate::diff::meaning::Part;
use crate::diff::{ChangeGroup, ChangeKind, Path};

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

/// Finds groups whose edits have other edits in them: a shape in which two sizes changed, constants with such sizes, and shapes
/// that became known.
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
    let layers = layers(groups);
    for (at, group) in groups.iter().enumerate() {
        let found = match &group.edit {
            Edit::Sizes(replaced) if replaced.len() > 1 => cause(true, replaced),
            Edit::Types(replaced) if replaced.len() > 1 => cause(false, replaced),
            Edit::Field(fields, _, Some(lhs), Some(rhs)) => match fields.last().copied() {
                Some("tensor") => cause(true, &substitution::of_sizes(lhs, rhs)),
                Some("op") if is_shape_or_constant(lhs, rhs) => known_shape,
                _ => None,
            },
            Edit::Nodes(kind, ..) if is_in_function(group) => layers.get(kind).copied(),
            _ => None,
        };
        if let Some(slot) = causes.get_mut(at) {
            *slot = found.filter(|&found| found != at);
        }
    }
}

/// The first layers that were added, and that were removed.
fn layers(groups: &[EqualEdits<'_, '_>]) -> BTreeMap<ChangeKind, usize> {
    let is_layer = |at: &usize| {
        let first = groups.get(*at).and_then(|group| group.members.first());
        first.is_some_and(|c| c.part == Part::Layers && !c.place.is_of_keras())
    };
    let kind = |at: usize| Some(groups.get(at)?.members.first()?.change.kind);
    let all: Vec<usize> = (0..groups.len()).filter(is_layer).collect();
    let of = |wanted| {
        let of_kind = all.iter().copied().filter(|&at| kind(at) == Some(wanted));
        Some((wanted, first(groups, of_kind)?))
    };
    [ChangeKind::Added, ChangeKind::Removed].into_iter().filter_map(of).collect()
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
    let mut nearby = BTreeMap::<Surroundings<'_>, usize>::new();
    for &at in &order {
        let members = groups.get(at).into_iter().flat_map(|group| &group.members);
        for place in
            members.flat_map(|change| surroundings(change.place.function, change.place.node))
        {
            nearby.entry(place).or_insert(at);
        }
    }
    for &at in &order {
        let Some(group) = groups.get(at).filter(|group| !is_made(group)) else { continue };
        let part = part(group);
        let comes_before =
            |cause: &&usize| groups.get(**cause).is_some_and(|c| self::part(c) < part);
        let is_cause = |cause: &&usize| groups.get(**cause).is_some_and(|c| explains(c, part));
        let Some(change) = group.members.first() else { continue };
        let near = surroundings(change.place.function, change.place.node);
        let mut near = near.into_iter().filter_map(|place| nearby.get(&place)).filter(comes_before);
        // The parts ascend.
        let mut others = order.iter().take_while(comes_before);
        let found = near.find(is_cause).or_else(|| others.find(is_cause)).copied();
        if let Some(slot) = causes.get_mut(at) {
            *slot = found;
        }
    }
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
fn priority(group: &EqualEdits<'_, '_>) -> (Part, Reverse<usize>, Option<(Path, Path)>) {
    let first = group.members.first();
    (part(group), Reverse(group.members.len()), first.map(|change| change.unordered_path()))
}

/// A function, or a scope of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Surroundings<'a> {
    Function(&'a str),
    Scope(&'a str),
}

/// Scopes that TensorFlow puts before the names of the nodes for which it makes others.
const PREFIXES: [&str; 3] = ["gradients", "save", "train"];

/// What is around a node, the nearest first.
fn surroundings<'a>(function: Option<&'a str>, node: Option<&'a str>) -> Vec<Surroundings<'a>> {
    let scope = node.and_then(|node| node.split('/').find(|part| !PREFIXES.contains(part)));
    let function = function.map(Surroundings::Function);
    function.into_iter().chain(scope.map(Surroundings::Scope)).collect()
}
