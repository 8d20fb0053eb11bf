//! Scopes that can be opened, and their contents.

use std::ops::Range;

use super::scopes::Child;

/// A graph, function or scope that may be opened.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    pub(super) part: usize,
    /// Its nodes, as positions in the order by name.
    pub(super) range: Range<usize>,
    /// The length of the name of a scope; `None` for a graph or function.
    pub(super) scope: Option<usize>,
    /// The cluster that it is in.
    pub(super) cluster: Option<usize>,
    /// The length of the scope around it.
    pub(super) outer: Option<usize>,
}

/// The content of an open scope: its children, and groups of nodes that are one box each.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) scopes: Vec<Child>,
    /// Nodes, as positions in the order by name; several are of one op.
    pub(super) nodes: Vec<Vec<usize>>,
    /// The nodes of scopes and groups for which there is no room.
    pub(super) rest: Vec<usize>,
}

impl Content {
    pub(super) fn len(&self) -> usize {
        self.scopes.len() + self.nodes.len() + usize::from(!self.rest.is_empty())
    }
}
