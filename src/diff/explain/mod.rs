//! Explains changes: equal edits become one, and what follows from a change is put under it.
//!
//! ```text
//! changes ─place, part─► edits ─equal─► groups ─causes─► groups, each with what follows from it
//! ```
//! No change is altered or lost: each is in exactly one group. The weight of a comparison and its verdict come from the changes,
//! never from their groups. Swapping the sides swaps the kinds, and leaves the groups as they are.

mod adjacent;
mod causes;
mod edit;
mod part;
mod place;
mod replaced;
mod substitution;

use std::collections::BTreeMap;

use self::edit::Edit;
use self::part::Part;
use self::place::Place;
use self::replaced::Replaced;
use super::{Change, ChangeKind, Detail, Diff, Path, Weight};

/// Whether reports put changes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Equal edits are one change, with what follows from it.
    #[default]
    ByCause,
    /// Each change stands for itself.
    Off,
}

/// Changes that a report tells as one: equal edits, and what follows from them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeGroup {
    /// The positions of the equal edits in [`Diff::changes`](super::Diff::changes). The first stands for all of them; the others
    /// ascend.
    pub members: Vec<usize>,
    /// The positions of the changes that follow from these, ascending.
    pub follows: Vec<usize>,
}

impl ChangeGroup {
    /// A group of one change.
    fn of(at: usize) -> Self {
        Self { members: vec![at], follows: Vec::new() }
    }
}

/// A change as reports tell it.
#[derive(Debug, Clone, Copy)]
pub struct ReportedChange<'d> {
    /// The change, which stands for all of the group.
    pub change: &'d Change,
    diff: &'d Diff,
    group: &'d ChangeGroup,
}

impl<'d> ReportedChange<'d> {
    /// All equal edits, with this one.
    pub fn members(self) -> impl Iterator<Item = &'d Change> {
        self.group.members.iter().filter_map(|&at| self.diff.changes.get(at))
    }

    /// The changes that follow from these.
    pub fn follows(self) -> impl Iterator<Item = &'d Change> {
        self.group.follows.iter().filter_map(|&at| self.diff.changes.get(at))
    }

    /// Whether the change stands for more than itself.
    pub fn is_group(self) -> bool {
        self.group.members.len() + self.group.follows.len() > 1
    }

    /// The number of equal edits.
    pub fn count(self) -> u64 {
        self.group.members.len() as u64
    }
}

impl Diff {
    /// The changes as reports tell them: one for each group.
    pub fn reported(&self) -> impl Iterator<Item = ReportedChange<'_>> {
        self.groups.iter().filter_map(|group| {
            let change = self.changes.get(*group.members.first()?)?;
            Some(ReportedChange { change, diff: self, group })
        })
    }

    /// The change at a position, if it is reported.
    pub fn reported_at(&self, at: usize) -> Option<ReportedChange<'_>> {
        let first = |group: &ChangeGroup| group.members.first().copied();
        let group = self.groups.binary_search_by_key(&Some(at), first).ok()?;
        let group = self.groups.get(group)?;
        Some(ReportedChange { change: self.changes.get(at)?, diff: self, group })
    }

    /// The changes that are reported with another one.
    pub(crate) fn grouped(&self) -> impl Iterator<Item = &Change> {
        let others = |group: &ChangeGroup| {
            let members = group.members.iter().skip(1).chain(&group.follows).copied();
            members.collect::<Vec<_>>()
        };
        let mut others: Vec<usize> = self.groups.iter().flat_map(others).collect();
        others.sort_unstable();
        others.into_iter().filter_map(|at| self.changes.get(at))
    }

    /// Sets the groups of the changes.
    pub(crate) fn explain(&mut self) {
        self.groups = explain(&self.changes, self.options.grouping);
    }
}

/// The groups of changes, in the order of their first changes. Cosmetic changes stay by themselves.
fn explain(changes: &[Change], grouping: Grouping) -> Vec<ChangeGroup> {
    if grouping == Grouping::Off {
        return (0..changes.len()).map(ChangeGroup::of).collect();
    }
    let located = located(changes);
    let mut groups = causes::explained(equal_edits(&located));
    let is_cosmetic = |at: &usize| changes.get(*at).is_some_and(|c| c.weight == Weight::Cosmetic);
    groups.extend((0..changes.len()).filter(is_cosmetic).map(ChangeGroup::of));
    groups.sort_by_key(|group| group.members.first().copied());
    groups
}

/// A semantic change and its place.
#[derive(Debug)]
struct Located<'a> {
    /// The position among all changes.
    at: usize,
    change: &'a Change,
    place: Place<'a>,
    part: Part,
}

/// The semantic changes, each with its place.
fn located(changes: &[Change]) -> Vec<Located<'_>> {
    let semantic = changes.iter().enumerate().filter(|(_, c)| c.weight == Weight::Semantic);
    let places: Vec<_> = semantic.map(|(at, c)| (at, c, Place::of(&c.path))).collect();
    let is_tensorflow_2 = places.iter().any(|(_, _, place)| place.is_of_tensorflow_2());
    let part = |change, place: &Place<'_>| match Part::of(change, place) {
        Part::Model if is_tensorflow_2 && place.is_exported() => Part::Exported,
        part => part,
    };
    let located = |(at, change, place)| Located { at, change, part: part(change, &place), place };
    places.into_iter().map(located).collect()
}

impl Located<'_> {
    /// A key that is the same with the sides swapped, for choices among equals.
    fn unordered_path(&self) -> (String, String) {
        let rhs = self.change.path.to_string();
        let lhs = self.change.path.in_lhs().as_ref().map(Path::to_string);
        let lhs = lhs.unwrap_or_else(|| rhs.clone());
        if lhs < rhs { (lhs, rhs) } else { (rhs, lhs) }
    }
}

/// Equal edits, the first of which stands for the others.
#[derive(Debug)]
struct EqualEdits<'a, 'c> {
    edit: Edit<'a>,
    members: Vec<&'c Located<'a>>,
    /// Changes of the same nodes that follow from them.
    follows: Vec<usize>,
}

/// Puts equal edits together. What else changes in a node whose op is another one follows from the op, and what changes in a layer
/// of another class from the class.
fn equal_edits<'a, 'c>(located: &'c [Located<'a>]) -> Vec<EqualEdits<'a, 'c>> {
    let replaced = Replaced::of(located);
    let mut of_nodes = BTreeMap::<usize, Vec<usize>>::new();
    let mut groups = BTreeMap::<(Edit<'a>, Option<Part>), Vec<&'c Located<'a>>>::new();
    for change in located {
        match replaced.around(change) {
            Some(at) => of_nodes.entry(at).or_default().push(change.at),
            None => groups.entry(Edit::of(change)).or_default().push(change),
        }
    }
    let grouped = groups.into_iter().map(|((edit, _), mut members)| {
        sort_members(&mut members);
        let follows = members.iter().filter_map(|c| of_nodes.remove(&c.at)).flatten().collect();
        EqualEdits { edit, members, follows }
    });
    grouped.collect()
}

/// Puts the change that stands for all first: one that follows from nothing, if there is any. Edits of one group are never both
/// added and removed, so that its kind is the same with the sides swapped.
fn sort_members(members: &mut [&Located<'_>]) {
    let importance = |(_, change): &(usize, &&Located<'_>)| (change.part, change.change.kind);
    let first = members.iter().enumerate().min_by_key(importance).map(|(at, _)| at);
    if let Some(start) = first.and_then(|first| members.get_mut(..=first)) {
        start.rotate_right(1);
    }
}
