//! Changes with their places.

use super::place::Place;
use crate::diff::meaning::Part;
use crate::diff::{Change, Detail, Path, Weight};

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

/// A key of a change that is the same with the sides swapped, for choices among equals: the paths, the texts, and the names of nodes that
/// came or went.
pub(super) type Unordered<'a> = ([Path; 2], [Option<&'a str>; 2], &'a [String]);

impl<'a> Located<'a> {
    pub(super) fn unordered(&self) -> Unordered<'a> {
        let change = self.change;
        let mut paths =
            [change.path.clone(), change.path.in_lhs().unwrap_or_else(|| change.path.clone())];
        paths.sort();
        let mut texts = [change.lhs.as_deref(), change.rhs.as_deref()];
        texts.sort_unstable();
        let names = match &change.detail {
            Detail::Nodes(nodes) => &*nodes.names,
            _ => &[],
        };
        (paths, texts, names)
    }
}
