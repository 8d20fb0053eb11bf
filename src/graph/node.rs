//! A node, and where its inputs come from.

use super::tensor_name::node_of;
use crate::message::{entry, records};

/// The number of a node in its [`Graph`](super::Graph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its position in the list of nodes.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// A node: a `NodeDef`, or an argument or result of a function.
#[derive(Debug, Clone, Copy)]
pub struct Node<'m> {
    /// Its name; of an argument or a result, the name that the function's signature has for it.
    pub name: &'m str,
    /// Its op.
    pub op: &'m str,
    /// The device it asks for, as it is spelled.
    pub device: &'m str,
    /// What it is.
    pub role: Role,
    /// The `NodeDef` in canonical form; nothing for an argument or a result.
    pub bytes: &'m [u8],
    /// The records of its attributes among them, by name: from and to a position in them. Behind these are the fields that have
    /// no place here.
    pub(super) attrs: (usize, usize),
    /// Its inputs: from and to a position in the list of all.
    pub(super) inputs: (u32, u32),
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A node of the graph.
    Node,
    /// An argument of the function whose body the graph is, the first at 0.
    Argument(u32),
    /// A result of the function; its one input says where it comes from.
    Result(u32),
    /// A node that runs whenever the function does, by its place in the order of their names.
    ControlResult(u32),
}

/// What a node takes from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input<'m> {
    /// As it is spelled: `x`, `x:1`, `^x`, in functions `x:output:0`.
    pub text: &'m str,
    /// The node it comes from; `None` where the graph has none of that name.
    pub source: Option<NodeId>,
    /// Which of that node's outputs, spelled in one way: `0`, in functions `output:0`; nothing for a control input.
    pub port: &'m str,
    /// Whether it is a control input: it orders the two nodes, and carries nothing.
    pub is_control: bool,
}

impl Role {
    /// Whether an input can mean it by its name; what a function returns it cannot.
    pub(super) fn has_name(self) -> bool {
        matches!(self, Self::Node | Self::Argument(_))
    }
}

impl<'m> Input<'m> {
    /// The name of the node it comes from.
    pub fn source_name(&self) -> &'m str {
        node_of(self.text)
    }
}

impl<'m> Node<'m> {
    /// Its attributes by name: the wire bytes of each `AttrValue`.
    pub fn attrs(&self) -> impl Iterator<Item = (&'m str, &'m [u8])> + use<'m> {
        let (from, to) = self.attrs;
        records(self.bytes.get(from..to).unwrap_or_default()).map(|attr| entry(attr.payload()))
    }

    /// The records behind its attributes: type and debug information, and unknown fields.
    pub(crate) fn rest(&self) -> &'m [u8] {
        self.bytes.get(self.attrs.1..).unwrap_or_default()
    }

    /// The wire bytes of an attribute's `AttrValue`.
    pub fn attr(&self, name: &str) -> Option<&'m [u8]> {
        self.attrs().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The scope that its name is in: all before the last `/`, or nothing.
    pub fn scope(&self) -> &'m str {
        self.name.rsplit_once('/').map_or("", |(scope, _)| scope)
    }
}
