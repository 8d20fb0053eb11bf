//! Changes as they are reported: one for each group.

use super::explain::explain;
use super::{Change, ChangeGroup, Diff};

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
