//! The nodes of a graph, or of the body of a function.

use std::rc::Rc;

use super::node::Node;
use super::signature::{Signature, Signatures, Sizes};
use crate::bytes::near;

/// Bytes of the names that are searched for one that may have been meant.
const MAX_SEARCHED: usize = 256 << 10;

/// Nodes that name each other.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    /// The function whose body it is; `None` for the graph.
    pub(super) function: Option<Signature<'a>>,
    pub(super) nodes: Vec<Placed<'a>>,
    /// Positions in `nodes`, by name.
    order: Vec<usize>,
}

/// A node, and what is known of its op.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    pub(super) node: Node<'a>,
    pub(super) signature: Option<Rc<Signature<'a>>>,
    pub(super) sizes: Sizes<'a>,
    /// How many outputs it has, where that can be told.
    pub(super) outputs: Option<u64>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        function: Option<Signature<'a>>,
        nodes: impl Iterator<Item = &'a [u8]>,
        signatures: &mut Signatures<'a>,
    ) -> Self {
        let nodes: Vec<_> = nodes.map(|bytes| Placed::new(Node::new(bytes), signatures)).collect();
        let mut order: Vec<_> = (0..nodes.len()).collect();
        order.sort_by_key(|at| nodes.get(*at).map(|placed| placed.node.name));
        Self { function, nodes, order }
    }

    /// Where the node of this name is; the first one, where there are several.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let first = self.order.partition_point(|at| self.name_at(*at) < Some(name));
        self.order.get(first).copied().filter(|at| self.name_at(*at) == Some(name))
    }

    pub(super) fn get(&self, name: &str) -> Option<&Placed<'a>> {
        self.nodes.get(self.position(name)?)
    }

    pub(super) fn name_at(&self, at: usize) -> Option<&'a str> {
        self.nodes.get(at).map(|placed| placed.node.name)
    }

    /// The way to the node `name`.
    pub(super) fn path(&self, name: &str) -> String {
        match &self.function {
            Some(function) => format!("{}.node_def[{name:?}]", function_path(&function.op.name)),
            None => format!("node[{name:?}]"),
        }
    }

    /// The end of a finding about a name that no node has.
    pub(super) fn hint(&self, wanted: &str) -> String {
        let names = || self.nodes.iter().map(|placed| placed.node.name);
        let mut room = MAX_SEARCHED;
        let is_small = names().all(|name| match room.checked_sub(name.len()) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        if is_small { near::hint(wanted.as_bytes(), names()) } else { String::new() }
    }
}

impl<'a> Placed<'a> {
    fn new(node: Node<'a>, signatures: &mut Signatures<'a>) -> Self {
        let signature = signatures.get(node.op);
        let sizes = signature.as_ref().map(|signature| signature.sizes(&node)).unwrap_or_default();
        let outputs = signature.as_ref().and_then(|signature| signature.outputs.count(&sizes));
        Self { node, signature, sizes, outputs }
    }
}

/// The way to the function `name`.
pub(super) fn function_path(name: &str) -> String {
    format!("library.function[{name:?}]")
}

/// A number of things, as in `2 inputs`.
pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
