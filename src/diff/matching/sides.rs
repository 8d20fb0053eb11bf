//! The two sides of a model, read.

use crate::error::Result;
use crate::graph::object_graph::ObjectGraphKind;
use crate::graph::{Graph, ObjectGraph};

/// The graphs of two models, and the object graphs next to them.
#[derive(Debug)]
pub(in crate::diff) struct ModelSides<'m> {
    pub(in crate::diff) graphs: (Graph<'m>, Graph<'m>),
    /// `None` unless both sides have one.
    pub(in crate::diff) objects: Option<ObjectGraphPair<'m>>,
}

/// The object graphs of both sides.
pub(in crate::diff) type ObjectGraphPair<'m> = (ObjectGraph<'m>, ObjectGraph<'m>);

/// Reads two object graphs; `None` if a side has none.
///
/// # Errors
/// If one is not a message, or has more objects than can be counted.
pub(in crate::diff) fn object_graphs<'m>(
    kind: ObjectGraphKind,
    (lhs, rhs): (&'m [u8], &'m [u8]),
) -> Result<Option<ObjectGraphPair<'m>>> {
    if lhs.is_empty() || rhs.is_empty() {
        return Ok(None);
    }
    Ok(Some((ObjectGraph::new(kind, lhs)?, ObjectGraph::new(kind, rhs)?)))
}
