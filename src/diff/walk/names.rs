//! The names that the details of a change give: how many, how long, and of variables with their shapes.

use super::graph::shape_text;

/// The maximum number of nodes or variables that a change names.
pub(super) const MOST: usize = 8;

/// The longest name in bytes that is given, as many changes may name one node.
pub(super) const LONGEST: usize = 1_000;

/// A variable with its shape, if that is known: `kernel [20, 64]`.
pub(super) fn with_shape(name: &str, shape: Option<&[u8]>) -> String {
    shape.map_or(name.to_owned(), |shape| format!("{name} {}", shape_text(shape)))
}
