//! The renames of the graph that calls a function, which apply to the nodes of the function too.

use super::matching::Matching;
use super::renames::Renames;
use crate::graph::{Graph, Node, NodeId, NodeKind};

/// The renames of the graph that calls a function. What they rename in the function too is no further change.
#[derive(Debug, Clone, Copy)]
pub(super) struct OuterRenames<'r> {
    renames: &'r Renames,
    is_flipped: bool,
}

impl<'r> OuterRenames<'r> {
    pub(super) fn new(renames: &'r Renames) -> Self {
        Self { renames, is_flipped: false }
    }

    /// The renames with the sides exchanged.
    pub(super) fn flipped(self) -> Self {
        Self { is_flipped: !self.is_flipped, ..self }
    }

    pub(super) fn is_empty(self) -> bool {
        self.renames.is_empty()
    }

    /// Whether a node of lhs has its name in rhs by these renames.
    pub(super) fn has(self, lhs: &str, rhs: &str) -> bool {
        let (lhs, rhs) = if self.is_flipped { (rhs, lhs) } else { (lhs, rhs) };
        self.renames.is_rename(lhs, rhs)
    }

    /// Pairs the nodes that these renames rename, then the others by name; `None` if they rename no node.
    pub(super) fn matching<'g, 'm>(
        self,
        lhs: &'g Graph<'m>,
        rhs: &'g Graph<'m>,
    ) -> Option<Matching<'g, 'm>> {
        if self.is_empty() {
            return None;
        }
        let renamed = |from: &Graph<'_>, to: &Graph<'_>| -> Vec<(NodeId, NodeId)> {
            let partner = |name| to.find(&self.renames.new_name(name)?);
            from.iter().filter_map(|(id, node)| Some((id, partner(node.name)?))).collect()
        };
        let pairs = match self.is_flipped {
            true => renamed(rhs, lhs).into_iter().map(|(r, l)| (l, r)).collect(),
            false => renamed(lhs, rhs),
        };
        let mut matching = Matching::of_borders(lhs, rhs);
        let mut is_any = false;
        for (l, r) in pairs {
            let (node, other) = (lhs.node(l), rhs.node(r));
            if matching.are_free(l, r) && (node.op, node.kind) == (other.op, other.kind) {
                matching.pair(l, r);
                is_any = true;
                // The names of arguments have other numbers in each export.
                let is_argument = |node: &Node<'_>| matches!(node.kind, NodeKind::Argument(_));
                matching.pair_sources(l, r, |a, b| is_argument(a) && is_argument(b));
            }
        }
        matching.pair_names(|_, _| true);
        is_any.then_some(matching)
    }
}
