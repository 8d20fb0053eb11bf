//! Paths as the messages that they lead through.

use crate::diff::{Change, ChangeKind, Path, Step};

/// Which value of a field, on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Which<'a> {
    /// The side has none.
    Nowhere,
    /// The only one, or all of them.
    Whole,
    /// That at this position.
    Index(usize),
    /// That of this name.
    Key(&'a str),
}

/// From a message into one of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hop<'a> {
    pub(super) field: &'a str,
    pub(super) lhs: Which<'a>,
    pub(super) rhs: Which<'a>,
    /// How many steps of the path lead into the field, and to the value.
    pub(super) steps: (usize, usize),
}

/// The hops of a path.
fn hops(path: &Path) -> Vec<Hop<'_>> {
    let mut hops: Vec<Hop<'_>> = Vec::new();
    for (position, step) in path.steps().iter().enumerate() {
        match (step, hops.last_mut()) {
            (Step::Index(_) | Step::Key(_), Some(hop)) if hop.rhs == Which::Whole => {
                hop.lhs = path.lhs_step(position).map_or(Which::Nowhere, which);
                hop.rhs = which(step);
                hop.steps.1 = position + 1;
            }
            (Step::Field(field), _) => {
                let (lhs, rhs) = (Which::Whole, Which::Whole);
                hops.push(Hop { field, lhs, rhs, steps: (position + 1, position + 1) });
            }
            // No field is called so.
            (step, _) => hops.push(Hop {
                field: "",
                lhs: Which::Nowhere,
                rhs: which(step),
                steps: (position, position + 1),
            }),
        }
    }
    hops
}

fn which(step: &Step) -> Which<'_> {
    match step {
        Step::Field(_) => Which::Whole,
        Step::Index(index) => Which::Index(*index),
        Step::Key(key) => Which::Key(key),
    }
}

/// The hops of a change; an item that one side lacks is nowhere there, whatever else has its name or position.
pub(super) fn of_change(change: &Change) -> Vec<Hop<'_>> {
    let mut hops = hops(&change.path);
    if let Some(last) = hops.last_mut().filter(|hop| hop.rhs != Which::Whole) {
        match change.kind {
            ChangeKind::Added => last.lhs = Which::Nowhere,
            ChangeKind::Removed => (last.lhs, last.rhs) = (last.rhs, Which::Nowhere),
            _ => {}
        }
    }
    hops
}

/// The hops to a node of those that came or went with the change.
pub(super) fn of_node<'a>(change: &'a Change, name: &'a str) -> Vec<Hop<'a>> {
    let mut hops = of_change(change);
    if let Some(last) = hops.last_mut() {
        for side in [&mut last.lhs, &mut last.rhs] {
            if *side != Which::Nowhere {
                *side = Which::Key(name);
            }
        }
    }
    hops
}
