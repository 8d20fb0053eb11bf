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
mod equal;
mod located;
mod part;
mod place;
mod replaced;
mod substitution;

use super::{Change, ChangeGroup, Grouping};

/// The groups of changes, in the order of their first changes. Cosmetic changes stay by themselves.
pub(super) fn explain(changes: &[Change], grouping: Grouping) -> Vec<ChangeGroup> {
    if grouping == Grouping::Off {
        return (0..changes.len()).map(ChangeGroup::of).collect();
    }
    let located = located::located(changes);
    let mut groups = causes::explained(equal::equal_edits(&located));
    let is_alone =
        |at: &usize| changes.get(*at).is_some_and(|change| !located::is_explained(change));
    groups.extend((0..changes.len()).filter(is_alone).map(ChangeGroup::of));
    groups.sort_by_key(|group| group.members.first().copied());
    groups
}
