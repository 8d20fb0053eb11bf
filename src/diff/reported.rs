//! Changes as they are reported: one for each group.

use super::explain::explain;
use super::{Change, ChangeGroup, Diff, Weight};

/// A change as it is reported.
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
    /// The changes as they are reported: one for each group.
    pub fn reported(&self) -> impl Iterator<Item = ReportedChange<'_>> {
        self.groups.iter().filter_map(|group| {
            let change = self.changes.get(*group.members.first()?)?;
            Some(ReportedChange { change, diff: self, group })
        })
    }

    /// The reported changes of a weight.
    pub(crate) fn reported_of(&self, weight: Weight) -> impl Iterator<Item = ReportedChange<'_>> {
        self.reported().filter(move |reported| reported.change.weight == weight)
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
        let others = self.groups.iter();
        let others = others.flat_map(|group| group.members.iter().skip(1).chain(&group.follows));
        let mut others: Vec<usize> = others.copied().collect();
        others.sort_unstable();
        others.into_iter().filter_map(|at| self.changes.get(at))
    }

    /// Sets the groups of the changes.
    pub(crate) fn explain(&mut self) {
        self.groups = explain(&self.changes, self.options.grouping);
    }
}
