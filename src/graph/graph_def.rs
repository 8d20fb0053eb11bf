//! A `GraphDef` in memory: nodes, and the edges between them.

use std::fmt;
use std::ops::Range;

use super::TensorName;
use super::budget::budget;
use super::index::LookupMap;
use super::library::Library;
use super::node::{Input, Node, NodeId, NodeKind};
use crate::error::{Error, Result};
use crate::message::{Records, Value, int32, varint};
use crate::schema::field::{graph_def, node_def, version_def};

/// A graph, or the body of a function. Borrows the bytes of its message.
///
/// ```
/// use ckdiff::artifact::{Document, ReadOptions};
/// use ckdiff::graph::Graph;
/// use ckdiff::schema::Schema;
///
/// let file = "tests/data/graphs/frozen.pb";
/// let document = Document::open(file, Schema::tensorflow(), &ReadOptions::default())?;
/// let graph = Graph::new(document.message().bytes())?;
/// let node = graph.nodes().iter().find(|node| node.op == "MatMul").unwrap();
/// let from: Vec<_> = graph.inputs(node).iter().map(|input| input.text).collect();
/// assert_eq!(from.len(), 2);
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Graph<'m> {
    pub(super) nodes: Vec<Node<'m>>,
    /// The inputs of all nodes, in the order of the nodes.
    pub(super) inputs: Vec<Input<'m>>,
    /// The nodes by name; of several with one name, the first.
    pub(super) by_name: LookupMap,
    /// The nodes whose name an earlier node has.
    pub(super) duplicates: Vec<NodeId>,
    pub(super) library: Library<'m>,
    pub(super) producer: i32,
    /// The number of results, if this is the body of a function.
    pub(super) results: u32,
    /// The records after the nodes.
    pub(super) rest: &'m [u8],
    /// The maximum memory of the index, in bytes.
    pub(super) budget: usize,
}

impl<'m> Graph<'m> {
    /// The graph of a `GraphDef` in canonical form.
    ///
    /// Findings such as inputs that name no node, or two nodes of one name, are not errors here; [`check`](super::check()) finds them.
    ///
    /// # Errors
    /// If the bytes are not a message, have more nodes or inputs than 32 bits can count, or have nearly nothing but nodes and inputs
    /// without names.
    pub fn new(bytes: &'m [u8]) -> Result<Self> {
        let mut graph = Self { rest: bytes, budget: budget(bytes), ..Self::default() };
        for record in Records::new(bytes, 0) {
            let record = record?;
            let Value::Len(content) = record.value else { continue };
            match record.number {
                graph_def::NODE => {
                    graph.push(content)?;
                    graph.rest = graph.rest.get(record.bytes.len()..).unwrap_or_default();
                }
                graph_def::LIBRARY => graph.library = Library::new(content)?,
                graph_def::VERSIONS => {
                    let producer = varint(content, version_def::PRODUCER);
                    graph.producer = int32(producer.unwrap_or_default());
                }
                _ => {}
            }
        }
        graph.connect();
        Ok(graph)
    }

    /// The nodes in the order of the message.
    pub fn nodes(&self) -> &[Node<'m>] {
        &self.nodes
    }

    /// The nodes with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node<'m>)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// The node with this number, which must be of this graph.
    pub fn node(&self, id: NodeId) -> &Node<'m> {
        #[expect(clippy::indexing_slicing, reason = "a NodeId comes from the graph")]
        &self.nodes[id.position()]
    }

    /// The first node with this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let is = |position: u32| self.nodes.get(position as usize).is_some_and(|n| n.name == name);
        self.by_name.find(name, is).map(NodeId)
    }

    /// As [`find`](Self::find), but looks among the nodes at the positions `first` first, from the last to the first.
    pub(crate) fn find_among(&self, first: Range<usize>, name: &str) -> Option<NodeId> {
        let start = first.start;
        let is = |node: &Node<'_>| node.name == name && node.kind.has_name();
        // With duplicate names, the node that is found here need not be the first of its name.
        let nodes = self.nodes.get(first).filter(|_| self.duplicates.is_empty());
        let at = nodes.and_then(|nodes| nodes.iter().rposition(is));
        match at.and_then(|at| u32::try_from(start + at).ok()) {
            Some(at) => Some(NodeId(at)),
            None => self.find(name),
        }
    }

    /// The inputs of a node of this graph, in the order of the message: data inputs before control inputs.
    pub fn inputs(&self, node: &Node<'m>) -> &[Input<'m>] {
        let (from, to) = node.inputs;
        self.inputs.get(from as usize..to as usize).unwrap_or_default()
    }

    /// The inputs of the node with this number.
    pub(crate) fn inputs_of(&self, id: NodeId) -> &[Input<'m>] {
        self.inputs(self.node(id))
    }

    /// The nodes whose name an earlier node has.
    pub fn duplicates(&self) -> &[NodeId] {
        &self.duplicates
    }

    /// The estimated cost of one pass over the graph, whose message has this many bytes.
    pub(crate) fn work(&self, bytes: usize) -> usize {
        self.nodes.len() + self.inputs.len() + bytes / BYTES
    }

    /// The number of results, if this is the body of a function.
    pub(crate) fn result_count(&self) -> usize {
        self.results as usize
    }

    /// The function library; empty for the body of a function.
    pub fn library(&self) -> &Library<'m> {
        &self.library
    }

    /// The `GraphDef` without its nodes; empty for the body of a function.
    pub(crate) fn rest(&self) -> &'m [u8] {
        self.rest
    }

    /// The producer version: the version of the graph format that the writer used; 0 if it is not given.
    pub fn producer(&self) -> i32 {
        self.producer
    }

    /// Adds a `NodeDef`.
    pub(super) fn push(&mut self, bytes: &'m [u8]) -> Result<()> {
        let mut node = Node {
            name: "",
            op: "",
            device: "",
            kind: NodeKind::Node,
            bytes,
            attrs: (0, 0),
            inputs: (0, 0),
        };
        let from = self.inputs.len();
        let (mut attrs, mut rest) = (None, None);
        let mut pos = 0;
        for record in Records::new(bytes, 0) {
            let record = record?;
            let start = pos;
            pos += record.bytes.len();
            match (record.number, record.value) {
                (node_def::NAME, Value::Len(_)) => node.name = record.text(),
                (node_def::OP, Value::Len(_)) => node.op = record.text(),
                (node_def::INPUT, Value::Len(_)) => self.input(record.text())?,
                (node_def::DEVICE, Value::Len(_)) => node.device = record.text(),
                (node_def::ATTR, Value::Len(_)) => attrs = attrs.or(Some(start)),
                _ => rest = rest.or(Some(start)),
            }
        }
        let end = rest.unwrap_or(pos);
        node.attrs = (attrs.unwrap_or(end), end);
        self.add(node, from)
    }

    /// Adds an input of the next node.
    pub(super) fn input(&mut self, text: &'m str) -> Result<()> {
        let is_control = text.starts_with('^');
        self.inputs.push(Input { text, source: None, port: "", is_control });
        self.check_budget()
    }

    /// Checks that the message is large enough for so many nodes and inputs.
    fn check_budget(&self) -> Result<()> {
        let (nodes, inputs) = (self.nodes.len(), self.inputs.len());
        if nodes * NODE_MEMORY + inputs * size_of::<Input<'_>>() <= self.budget {
            return Ok(());
        }
        let found = format!("{nodes} nodes with {inputs} inputs in too few bytes");
        Err(Error::unexpected("graph", found, "nodes with names"))
    }

    /// Adds a node whose inputs are those from `from` on.
    pub(super) fn add(&mut self, mut node: Node<'m>, from: usize) -> Result<()> {
        node.inputs = (count(from)?, count(self.inputs.len())?);
        count(self.nodes.len())?;
        self.nodes.push(node);
        self.check_budget()
    }

    /// Finds the source node of each input.
    pub(super) fn connect(&mut self) {
        self.by_name = LookupMap::with_room_for(self.nodes.len());
        for (position, node) in (0..).zip(&self.nodes) {
            if !node.kind.has_name() {
                continue;
            }
            let is = |at: u32| self.nodes.get(at as usize).is_some_and(|n| n.name == node.name);
            if self.by_name.insert(node.name, position, is).is_some() {
                self.duplicates.push(NodeId(position));
            }
        }
        let mut inputs = std::mem::take(&mut self.inputs);
        for (position, node) in self.nodes.iter().enumerate() {
            let (from, to) = node.inputs;
            for input in inputs.get_mut(from as usize..to as usize).unwrap_or_default() {
                let TensorName { node, port, .. } = TensorName::parse(input.text);
                let before = position.saturating_sub(NEIGHBOURS)..position;
                input.source = self.find_among(before, node);
                input.port = match port {
                    _ if input.is_control => "",
                    None | Some("") => "0",
                    Some(port) => port,
                };
            }
        }
        self.inputs = inputs;
    }
}

/// The memory of a node and of what a comparison keeps for it, in bytes.
const NODE_MEMORY: usize = 128;

/// The number of bytes that cost as much as a node.
const BYTES: usize = 64;

/// The number of nodes before a node that are likely sources of its inputs.
const NEIGHBOURS: usize = 4;

/// Checks that a number fits in 32 bits.
fn count(len: usize) -> Result<u32> {
    u32::try_from(len)
        .ok()
        .filter(|&len| len < u32::MAX)
        .ok_or_else(|| Error::unexpected("number of nodes or inputs", len, "at most 2^32 - 1"))
}

impl fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} nodes, {} inputs)", self.nodes.len(), self.inputs.len())
    }
}
