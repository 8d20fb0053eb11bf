//! Puts equal edits together.

use std::collections::BTreeMap;

use super::edit::Edit;
use super::located::Located;
use super::replaced::Replaced;
use crate::diff::meaning::Part;

/// Equal edits, the first of which stands for the others.
#[derive(Debug)]
pub(super) struct EqualEdits<'a, 'c> {
    pub(super) edit: Edit<'a>,
    pub(super) members: Vec<&'c Located<'a>>,
    /// Changes of the same nodes that follow from them.
    pub(super) follows: Vec<usize>,
}

/// Puts equal edits together. What else changes in a node whose op is another one follows from the op, and what changes in a layer
/// of another class from the class.
pub(super) fn equal_edits<'a, 'c>(located: &'c [Located<'a>]) -> Vec<EqualEdits<'a, 'c>> {
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
