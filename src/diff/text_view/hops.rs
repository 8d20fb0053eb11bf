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

/// The maximum number of hops of a path: a message below is shown as a whole. TensorFlow's own messages are not nested as deeply, and
/// a file may have thousands of changes with long paths.
const MAX_HOPS: usize = 16;

/// The first hops of a path, and whether these are all.
fn hops(path: &Path) -> (Vec<Hop<'_>>, bool) {
    let mut hops: Vec<Hop<'_>> = Vec::new();
    for (position, (step, in_lhs)) in path.steps().into_iter().zip(path.lhs_steps()).enumerate() {
        let len = hops.len();
        match (step, hops.last_mut()) {
            (Step::Index(_) | Step::Key(_), Some(hop)) if hop.rhs == SideSelector::Whole => {
                hop.lhs = which(in_lhs);
                hop.rhs = which(step);
                hop.steps.1 = position + 1;
            }
            _ if len == MAX_HOPS => return (hops, false),
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
    (hops, true)
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
    let (mut hops, are_all) = hops(&change.path);
    let last = hops.last_mut().filter(|hop| are_all && hop.rhs != SideSelector::Whole);
    if let Some(last) = last {
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
