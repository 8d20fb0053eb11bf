//! Changes with their places.

use super::place::Place;
use crate::diff::meaning::Part;
use crate::diff::{Change, Path, Weight};

/// A semantic change and its place.
#[derive(Debug)]
pub(super) struct Located<'a> {
    /// The position among all changes.
    pub(super) at: usize,
    pub(super) change: &'a Change,
    pub(super) place: Place<'a>,
    pub(super) part: Part,
}

/// The longest path of a change that is explained. Those of models are shorter, and longer ones would take much memory.
const MAX_STEPS: usize = 64;

/// Whether a change may be grouped with others: it is semantic, and its path is not too long.
pub(super) fn is_explained(change: &Change) -> bool {
    change.weight == Weight::Semantic && change.path.len() <= MAX_STEPS
}

/// The changes that are explained, each with its place.
pub(super) fn located(changes: &[Change]) -> Vec<Located<'_>> {
    let semantic = changes.iter().enumerate().filter(|(_, change)| is_explained(change));
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
    pub(super) fn unordered_path(&self) -> (Path, Path) {
        let rhs = self.change.path.clone();
        let lhs = rhs.in_lhs().unwrap_or_else(|| rhs.clone());
        if lhs < rhs { (lhs, rhs) } else { (rhs, lhs) }
    }
}
