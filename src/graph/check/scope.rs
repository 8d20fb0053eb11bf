//! The nodes of a graph, or of the body of a function.

use std::rc::Rc;

use super::signature::{Signature, Signatures, Sizes};
use crate::graph::{Graph, Node, NodeKind};
use crate::suggestion::Search;

/// The nodes among which inputs are looked up.
#[derive(Debug)]
pub(super) struct NodeScope<'a> {
    /// The function, if this is the body of one.
    pub(super) function: Option<Signature<'a>>,
    pub(super) graph: &'a Graph<'a>,
    /// The nodes; of a function, including its arguments and results.
    pub(super) nodes: Vec<ResolvedNode<'a>>,
    pub(super) search: Rc<Search>,
}

/// A node whose op was resolved to a signature.
#[derive(Debug)]
pub(super) struct ResolvedNode<'a> {
    pub(super) node: &'a Node<'a>,
    pub(super) signature: Option<Rc<Signature<'a>>>,
    pub(super) sizes: Sizes<'a>,
    /// The number of outputs, if it is known.
    pub(super) outputs: Option<u64>,
}

impl<'a> NodeScope<'a> {
    pub(super) fn new(
        function: Option<Signature<'a>>,
        graph: &'a Graph<'a>,
        signatures: &mut Signatures<'a>,
    ) -> Self {
        let nodes = graph.nodes().iter().map(|node| ResolvedNode::new(node, signatures)).collect();
        Self { function, graph, nodes, search: signatures.search.clone() }
    }

    /// The position of the first node with this name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let found = self.graph.find(name)?;
        (self.graph.node(found).kind == NodeKind::Node).then(|| found.position())
    }

    pub(super) fn get(&self, name: &str) -> Option<&ResolvedNode<'a>> {
        self.nodes.get(self.position(name)?)
    }

    pub(super) fn name_at(&self, at: usize) -> Option<&'a str> {
        self.nodes.get(at).map(|resolved| resolved.node.name)
    }

    /// The path of the node `name`.
    pub(super) fn path(&self, name: &str) -> String {
        match &self.function {
            Some(function) => format!("{}.node_def[{name:?}]", function_path(&function.op.name)),
            None => format!("node[{name:?}]"),
        }
    }

    /// The end of a finding about a name that no node has: a suggestion.
    pub(super) fn hint(&self, wanted: &str) -> String {
        self.search.hint(wanted, self.nodes.iter().map(|resolved| resolved.node.name))
    }
}

impl<'a> ResolvedNode<'a> {
    fn new(node: &'a Node<'a>, signatures: &mut Signatures<'a>) -> Self {
        let signature = (node.kind == NodeKind::Node).then(|| signatures.get(node.op)).flatten();
        let sizes = signature.as_ref().map(|signature| signature.sizes(node)).unwrap_or_default();
        let outputs = signature.as_ref().and_then(|signature| signature.outputs.count(&sizes));
        Self { node, signature, sizes, outputs }
    }
}

/// The path of the function `name`.
pub(super) fn function_path(name: &str) -> String {
    format!("library.function[{name:?}]")
}

/// A number and a noun: `2 inputs`.
pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The number of names that a finding lists.
const SHOWN: usize = 3;

/// The first of `len` names, and how many more there are.
pub(super) fn listed(names: impl Iterator<Item = impl Into<String>>, len: usize) -> String {
    let shown: Vec<String> = names.take(SHOWN).map(Into::into).collect();
    let rest = len.saturating_sub(SHOWN);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
