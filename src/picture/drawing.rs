//! A drawing: boxes, the clusters around them, and edges.

use crate::overview::TensorType;

/// A picture of graphs, folded to a size that can be read. Boxes and edges of equal graphs are equal, in whatever order the nodes are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// Clusters, parents before children.
    pub clusters: Vec<Cluster>,
    /// The boxes.
    pub blocks: Vec<Block>,
    /// The boxes and clusters that are in no other cluster.
    pub items: Vec<Item>,
    /// The edges between boxes, sorted by source and target.
    pub edges: Vec<Edge>,
    /// The calls of functions, sorted likewise.
    pub calls: Vec<Call>,
}

/// A box or a cluster, by its position in a [`Drawing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// A box.
    Block(usize),
    /// A cluster.
    Cluster(usize),
}

/// An open scope, graph or function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Its kind.
    pub kind: ClusterKind,
    /// Its name, for a scope without the names of the clusters around it.
    pub name: String,
    /// The boxes and clusters in it.
    pub items: Vec<Item>,
}

/// The kind of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterKind {
    /// A main graph.
    Graph,
    /// A function.
    Function,
    /// A scope of a graph or function.
    Scope,
}

/// A box: a node, or several that are folded into one.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its kind.
    pub kind: BlockKind,
    /// Its name without the names of the clusters around it; empty if it stands for nodes of several scopes.
    pub name: String,
    /// The number of nodes; arguments and results of functions are none.
    pub nodes: u64,
}

/// The kind of a box.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockKind {
    /// A node.
    Node {
        /// The op.
        op: String,
        /// The dtype and shape of a variable or placeholder.
        ty: Option<TensorType>,
    },
    /// An argument of a function.
    Argument(Option<TensorType>),
    /// A result of a function.
    Result,
    /// A folded scope.
    Scope(Vec<OpCount>),
    /// A folded main graph.
    Graph(Vec<OpCount>),
    /// A folded function.
    Function(Vec<OpCount>),
    /// Nodes of one op in one scope.
    SameOp(String),
    /// The number of arguments of a function.
    Arguments(u64),
    /// The number of results of a function.
    Results(u64),
    /// The smaller scopes and nodes of a scope.
    Rest(Vec<OpCount>),
    /// The number of functions that no signature calls or that do not fit.
    Functions(u64),
    /// The number of further main graphs.
    Graphs(u64),
}

/// An op, and how many nodes of a box have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpCount {
    /// The op.
    pub op: String,
    /// The number of its nodes.
    pub nodes: u64,
}

/// The edges from one box to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The box of the source nodes.
    pub from: usize,
    /// The box of the target nodes.
    pub to: usize,
    /// Whether these are control inputs, which carry no tensor.
    pub is_control: bool,
    /// The number of inputs.
    pub inputs: u64,
    /// The number of different tensors; 0 for control inputs.
    pub tensors: u64,
    /// The type that all these tensors have; `None` where it is unknown or they differ.
    pub ty: Option<TensorType>,
}

/// The calls of a function by the nodes of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The box of the nodes.
    pub from: usize,
    /// The function.
    pub to: Callee,
}

/// A function that is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Callee {
    /// The cluster of an open function.
    Cluster(usize),
    /// The box of a folded function, or of several.
    Block(usize),
}
