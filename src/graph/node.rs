//! A node and its inputs.

use super::scope::scope_of;
use super::tensor_name::node_of;
use crate::message::{entry, records};

/// The number of a node in its [`Graph`](super::Graph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The position in the list of nodes.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// A node: a `NodeDef`, or an argument or a result of a function.
#[derive(Debug, Clone, Copy)]
pub struct Node<'m> {
    /// The name; of an argument or a result, its name in the signature.
    pub name: &'m str,
    /// The op.
    pub op: &'m str,
    /// The requested device, as written.
    pub device: &'m str,
    /// Whether this is a node, an argument or a result.
    pub kind: NodeKind,
    /// The `NodeDef` in canonical form; empty for an argument or a result.
    pub bytes: &'m [u8],
    /// The range of `bytes` with the attributes, sorted by name. After it are the fields that this struct does not have.
    pub(super) attrs: (usize, usize),
    /// The range of its inputs in the list of all inputs.
    pub(super) inputs: (u32, u32),
}

/// What a node is: an ordinary one, or an argument or a result of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A node of the graph.
    Node,
    /// An argument of the function, counted from 0.
    Argument(u32),
    /// A result of the function, whose only input is its source.
    Result(u32),
    /// A node that always runs when the function does, numbered in the order of the names.
    ControlResult(u32),
}

/// An input of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input<'m> {
    /// The text: `x`, `x:1`, `^x`, in functions `x:output:0`.
    pub text: &'m str,
    /// The source node; `None` if the graph has no node of that name.
    pub source: Option<NodeId>,
    /// The output of the source node in its full form: `0`, in functions `output:0`; empty for a control input.
    pub port: &'m str,
    /// Whether this is a control input, which orders the two nodes and carries no value.
    pub is_control: bool,
}

impl NodeKind {
    /// The number of the kind: arguments are before nodes, and results after them.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Argument(_) => 0,
            Self::Node => 1,
            Self::Result(_) => 2,
            Self::ControlResult(_) => 3,
        }
    }

    /// Whether inputs can refer to the node by its name, unlike to a result.
    pub(super) fn has_name(self) -> bool {
        matches!(self, Self::Node | Self::Argument(_))
    }
}

impl<'m> Input<'m> {
    /// The name of the source node.
    pub fn source_name(&self) -> &'m str {
        node_of(self.text)
    }
}

/// The number of data inputs.
pub(crate) fn data_count(inputs: &[Input<'_>]) -> usize {
    inputs.iter().filter(|input| !input.is_control).count()
}

impl<'m> Node<'m> {
    /// The attributes by name: the wire bytes of each `AttrValue`.
    pub fn attrs(&self) -> impl Iterator<Item = (&'m str, &'m [u8])> + use<'m> {
        let (from, to) = self.attrs;
        records(self.bytes.get(from..to).unwrap_or_default()).map(|attr| entry(attr.payload()))
    }

    /// The records after the attributes: type, debug information and unknown fields.
    pub(crate) fn rest(&self) -> &'m [u8] {
        self.bytes.get(self.attrs.1..).unwrap_or_default()
    }

    /// The wire bytes of an attribute's `AttrValue`.
    pub fn attr(&self, name: &str) -> Option<&'m [u8]> {
        self.attrs().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The scope: the name up to the last `/`, or empty.
    pub fn scope(&self) -> &'m str {
        scope_of(self.name)
    }
}
