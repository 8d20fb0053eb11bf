//! What a change does to a field, wherever the field is. Changes with equal edits are reported together.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::located::Located;
use super::substitution::{self, Substitution};
use crate::diff::counters::unnumbered;
use crate::diff::meaning::{Part, is_drawn_seed, is_set_for_many};
use crate::diff::{Change, ChangeKind, Detail};

/// An edit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edit<'a> {
    /// Other sizes in shapes.
    Sizes(Substitution<'a>),
    /// Other types of tensors.
    Types(Substitution<'a>),
    /// Other seeds, which TensorFlow draws.
    Seeds,
    /// Names that differ in the numbers that TensorFlow appends.
    Renumbered,
    /// Another part of a name: `"" → "ema/"` for `kernel → ema/kernel`.
    Renamed(&'a str, &'a str),
    /// Equal nodes that were added or removed: their ops, and the end of their name without numbers.
    Nodes(ChangeKind, &'a [(String, u64)], String),
    /// The same values in the same field; the last number is equal for equal values whose texts are cut.
    Field(Vec<&'a str>, ChangeKind, Option<&'a str>, Option<&'a str>, u64),
}

impl<'a> Edit<'a> {
    /// The key by which changes are equal: the edit, and the part of the model unless equal edits of all parts are one.
    pub(super) fn of(located: &Located<'a>) -> (Self, Option<Part>) {
        let edit = Self::of_change(located);
        let place = &located.place;
        let is_of_any_part = matches!(edit, Self::Sizes(_) | Self::Types(_) | Self::Seeds)
            || place.is_of_keras()
            || is_set_for_many(place.last());
        (edit, (!is_of_any_part).then_some(located.part))
    }

    fn of_change(located: &Located<'a>) -> Self {
        let Located { change, place, part, .. } = located;
        let both = change.lhs.as_deref().zip(change.rhs.as_deref());
        if let (Detail::Nodes(nodes), ChangeKind::Added | ChangeKind::Removed) =
            (&change.detail, change.kind)
        {
            let name = unnumbered(leaf(place.node.unwrap_or_default()));
            return Self::Nodes(change.kind, &nodes.ops, name);
        }
        if is_seed(located) {
            return Self::Seeds;
        }
        if let Some((lhs, rhs)) = both {
            let named = Self::of_names(change, *part, lhs, rhs);
            if let Some(edit) = named.or_else(|| Self::of_sizes_or_types(located, lhs, rhs)) {
                return edit;
            }
        }
        let fields = match place.is_of_keras() {
            // The configuration of a layer is repeated in that of the model.
            true => vec![place.first(), place.last()],
            false => place.fields.clone(),
        };
        let (lhs, rhs) = (change.lhs.as_deref(), change.rhs.as_deref());
        Self::Field(fields, change.kind, lhs, rhs, identity_of_cut(located))
    }

    fn of_names(change: &'a Change, part: Part, lhs: &'a str, rhs: &'a str) -> Option<Self> {
        let are_names =
            [lhs, rhs].iter().all(|text| text.starts_with('"') || text.starts_with("func {"));
        let is_renamed = change.kind == ChangeKind::Renamed || part == Part::Assets && are_names;
        let is_name = is_renamed || part == Part::Records && are_names;
        if !is_name || lhs == rhs {
            None
        } else if unnumbered(lhs.trim_matches('"')) == unnumbered(rhs.trim_matches('"')) {
            Some(Self::Renumbered)
        } else {
            let (from, to) = apart(lhs, rhs);
            is_renamed.then_some(Self::Renamed(from, to))
        }
    }

    fn of_sizes_or_types(located: &Located<'a>, lhs: &'a str, rhs: &'a str) -> Option<Self> {
        let Located { place, part, .. } = located;
        if is_cut(lhs) || is_cut(rhs) {
            return None;
        }
        let is_constant = place.last() == "tensor";
        // Constants of gradients and the like are shapes; those of the model need not be.
        let is_derived = is_constant && !part.is_made();
        let sizes = || substitution::of_sizes(lhs, rhs);
        if place.is_shape || is_derived {
            return Some(sizes()).filter(|sizes| !sizes.is_empty()).map(Self::Sizes);
        }
        let types = substitution::of_types(lhs, rhs);
        (!types.is_empty()).then_some(Self::Types(types))
    }
}

/// Whether a change is of a seed: an attribute, or the constant of an initializer without state.
fn is_seed(located: &Located<'_>) -> bool {
    let Located { change, place, part, .. } = located;
    let is_constant = place.last() == "tensor" && *part == Part::Initializers;
    change.kind == ChangeKind::Modified
        && (is_drawn_seed(place.last())
            || is_constant && place.node.is_some_and(|node| leaf(node) == "seed"))
}

/// Whether a text is that of a value too long to be shown.
fn is_cut(text: &str) -> bool {
    text.contains('…')
}

/// A number that tells values apart whose texts are cut, so that equal texts do not make equal edits: the statistics of two constants, or
/// else a number that no other change has. 0 for values that are shown whole.
fn identity_of_cut(located: &Located<'_>) -> u64 {
    let Located { at, change, .. } = located;
    if ![&change.lhs, &change.rhs].into_iter().flatten().any(|text| is_cut(text)) {
        return 0;
    }
    let mut state = DefaultHasher::new();
    match &change.detail {
        Detail::Tensor(comparison) => {
            let largest = [comparison.max_abs, comparison.max_rel, comparison.rel_l2];
            largest.map(|value| value.map(f64::to_bits)).hash(&mut state);
            (comparison.elements, comparison.differing, comparison.mismatched).hash(&mut state);
        }
        _ => at.hash(&mut state),
    }
    state.finish()
}

/// The last part of a name; of a group, its last scope.
fn leaf(name: &str) -> &str {
    let name = name.strip_suffix('/').unwrap_or(name);
    name.rsplit_once('/').map_or(name, |(_, leaf)| leaf)
}

/// The parts of two texts that differ.
fn apart<'a>(lhs: &'a str, rhs: &'a str) -> (&'a str, &'a str) {
    let same = lhs.char_indices().zip(rhs.chars()).find(|((_, a), b)| a != b);
    let start = same.map_or(lhs.len().min(rhs.len()), |((at, _), _)| at);
    let (l, r) = (lhs.get(start..).unwrap_or_default(), rhs.get(start..).unwrap_or_default());
    let ends = l.char_indices().rev().zip(r.chars().rev()).take_while(|((_, a), b)| a == b);
    let end = ends.map(|((at, _), _)| l.len() - at).last().unwrap_or_default();
    (l.get(..l.len() - end).unwrap_or(l), r.get(..r.len() - end).unwrap_or(r))
}
