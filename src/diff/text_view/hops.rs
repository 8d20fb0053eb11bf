//! Converts paths into the sequence of messages that they lead through.

use crate::diff::{Change, ChangeKind, Path, Step};

/// Selects a value of a field, on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SideSelector<'a> {
    /// No value.
    Nowhere,
    /// The only value, or all values.
    Whole,
    /// The value at this position.
    Index(usize),
    /// The value with this name.
    Key(&'a str),
}

/// A step from a message into one of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hop<'a> {
    pub(super) field: &'a str,
    pub(super) lhs: SideSelector<'a>,
    pub(super) rhs: SideSelector<'a>,
    /// The number of path steps up to the field, and up to the value.
    pub(super) steps: (usize, usize),
}

/// The hops of a path.
fn hops(path: &Path) -> Vec<Hop<'_>> {
    let mut hops: Vec<Hop<'_>> = Vec::new();
    for (position, step) in path.steps().iter().enumerate() {
        match (step, hops.last_mut()) {
            (Step::Index(_) | Step::Key(_), Some(hop)) if hop.rhs == SideSelector::Whole => {
                hop.lhs = path.lhs_step(position).map_or(SideSelector::Nowhere, which);
                hop.rhs = which(step);
                hop.steps.1 = position + 1;
            }
            (Step::Field(field), _) => {
                let (lhs, rhs) = (SideSelector::Whole, SideSelector::Whole);
                hops.push(Hop { field, lhs, rhs, steps: (position + 1, position + 1) });
            }
            // No field has this name.
            (step, _) => hops.push(Hop {
                field: "",
                lhs: SideSelector::Nowhere,
                rhs: which(step),
                steps: (position, position + 1),
            }),
        }
    }
    hops
}

fn which(step: &Step) -> SideSelector<'_> {
    match step {
        Step::Field(_) => SideSelector::Whole,
        Step::Index(index) => SideSelector::Index(*index),
        Step::Key(key) => SideSelector::Key(key),
    }
}

/// The hops of a change. A value that one side lacks is not looked up there, whatever else has its name or
/// position.
pub(super) fn of_change(change: &Change) -> Vec<Hop<'_>> {
    let mut hops = hops(&change.path);
    if let Some(last) = hops.last_mut().filter(|hop| hop.rhs != SideSelector::Whole) {
        match change.kind {
            ChangeKind::Added => last.lhs = SideSelector::Nowhere,
            ChangeKind::Removed => (last.lhs, last.rhs) = (last.rhs, SideSelector::Nowhere),
            _ => {}
        }
    }
    hops
}

/// The hops to one node of a group.
pub(super) fn of_node<'a>(change: &'a Change, name: &'a str) -> Vec<Hop<'a>> {
    let mut hops = of_change(change);
    if let Some(last) = hops.last_mut() {
        for side in [&mut last.lhs, &mut last.rhs] {
            if *side != SideSelector::Nowhere {
                *side = SideSelector::Key(name);
            }
        }
    }
    hops
}
