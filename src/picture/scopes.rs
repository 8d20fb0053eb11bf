//! Scopes as ranges of sorted names.

use std::ops::Range;

use super::names::below;
use super::parts::Part;
use crate::graph::{Node, NodeKind};

/// A child of a scope: a scope, or a node.
#[derive(Debug, Clone)]
pub(super) struct Child {
    /// Its nodes, as positions in the order by name.
    pub(super) range: Range<usize>,
    /// The length of the name of a scope, which all its nodes begin with; `None` for a node.
    pub(super) scope: Option<usize>,
}

impl Part<'_> {
    /// The node at a position in the order by name.
    pub(super) fn at(&self, position: usize) -> Option<&Node<'_>> {
        self.order.get(position).map(|&id| self.graph.node(id))
    }

    /// The children of a scope, in the order of their names. A scope that has all nodes of another in it is left out: its child is
    /// a child of the outer scope.
    pub(super) fn children(&self, range: Range<usize>, scope: Option<usize>) -> Vec<Child> {
        let first_of = |position: usize| {
            let node = self.at(position).filter(|node| node.kind == NodeKind::Node)?;
            below(node.name, scope)?.split('/').next()
        };
        let mut children = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let first = first_of(start);
            let mut end = start + 1;
            while end < range.end && first.is_some() && first_of(end) == first {
                end += 1;
            }
            let inner = (end > start + 1).then(|| self.common(start, end - 1));
            children.push(Child { range: start..end, scope: inner });
            start = end;
        }
        children
    }

    /// The length of the scope that two nodes have in common, or of the name that both have.
    fn common(&self, first: usize, last: usize) -> usize {
        let name = |at| self.at(at).map_or("", |node| node.name);
        let parts = name(first).split('/').zip(name(last).split('/'));
        let lens = parts.take_while(|(a, b)| a == b).map(|(part, _)| part.len() + 1);
        lens.sum::<usize>().saturating_sub(1)
    }
}
