//! A GraphDef as a graph: nodes, and the edges between them.
//!
//! [`OpTable`] is what TensorFlow knows of its ops, [`check()`] holds the nodes of a graph against it.

pub(crate) mod attrs;
mod body;
mod check;
pub mod constant;
mod device;
mod finding;
mod index;
mod library;
mod node;
pub mod object_graph;
mod op_table;
mod output;
mod save_nodes;
mod tensor_name;

use std::fmt;
use std::ops::Range;

pub(crate) use attrs::truth;
pub use check::check;
pub use constant::Constant;
pub use device::DeviceSpec;
pub(crate) use device::is_same_device;
pub use finding::{Checked, Finding};
pub(crate) use index::Index;
pub use library::{Function, Library};
pub use node::{Input, Node, NodeId, Role};
pub use object_graph::ObjectGraph;
pub use op_table::{OpTable, default_of, is_commutative, is_stateful};
pub use output::Output;
pub(crate) use output::place_of;
pub(crate) use save_nodes::is_save;
pub use save_nodes::{Action, SaveNode, SavedTensor};
pub(crate) use save_nodes::{Target, output_number, restored, targets_of};
pub(crate) use tensor_name::{TensorName, node_of};

use crate::error::{Error, Result};
use crate::message::{Records, Value, int32, varint};
use crate::schema::field::{graph_def, node_def, version_def};

/// A graph, or the body of a function; it borrows the bytes of its message, and copies none of them.
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
    nodes: Vec<Node<'m>>,
    /// The inputs of all nodes, in their order.
    inputs: Vec<Input<'m>>,
    /// Of nodes that share a name, the first.
    by_name: Index,
    /// Nodes whose name an earlier one has.
    duplicates: Vec<NodeId>,
    library: Library<'m>,
    producer: i32,
    /// Of the body of a function, how many results it has.
    results: u32,
    /// The records behind the nodes.
    rest: &'m [u8],
}

impl<'m> Graph<'m> {
    /// The graph of a `GraphDef` in canonical form.
    ///
    /// Inputs that name no node, names that occur twice and the like are no error here: a graph can be looked at all the same.
    ///
    /// # Errors
    /// When the bytes are no message, or hold more nodes or inputs than 32 bits count.
    pub fn new(bytes: &'m [u8]) -> Result<Self> {
        let mut graph = Self { rest: bytes, ..Self::default() };
        for record in Records::new(bytes, 0) {
            let record = record?;
            match record.number {
                graph_def::NODE => {
                    graph.push(record.payload())?;
                    graph.rest = graph.rest.get(record.bytes.len()..).unwrap_or_default();
                }
                graph_def::LIBRARY => graph.library = Library::new(record.payload())?,
                graph_def::VERSIONS => {
                    let producer = varint(record.payload(), version_def::PRODUCER);
                    graph.producer = int32(producer.unwrap_or_default());
                }
                _ => {}
            }
        }
        graph.connect();
        Ok(graph)
    }

    /// Its nodes in the order of the message.
    pub fn nodes(&self) -> &[Node<'m>] {
        &self.nodes
    }

    /// Every node with its number.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node<'m>)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// The node with this number, which is of this graph.
    pub fn node(&self, id: NodeId) -> &Node<'m> {
        #[expect(clippy::indexing_slicing, reason = "only the graph makes its numbers")]
        &self.nodes[id.position()]
    }

    /// The first node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let is = |position: u32| self.nodes.get(position as usize).is_some_and(|n| n.name == name);
        self.by_name.find(name, is).map(NodeId)
    }

    /// As [`find`](Self::find), of a name that most likely is one of the nodes at `near`, the last one first.
    pub(crate) fn find_near(&self, near: Range<usize>, name: &str) -> Option<NodeId> {
        let first = near.start;
        let is = |node: &Node<'_>| node.name == name && node.role.has_name();
        // One of a name that occurs twice need not be the first of it.
        let nodes = self.nodes.get(near).filter(|_| self.duplicates.is_empty());
        let at = nodes.and_then(|nodes| nodes.iter().rposition(is));
        match at.and_then(|at| u32::try_from(first + at).ok()) {
            Some(at) => Some(NodeId(at)),
            None => self.find(name),
        }
    }

    /// What a node of this graph takes, data first as it stands in the message.
    pub fn inputs(&self, node: &Node<'m>) -> &[Input<'m>] {
        let (from, to) = node.inputs;
        self.inputs.get(from as usize..to as usize).unwrap_or_default()
    }

    /// Nodes whose name an earlier one has.
    pub fn duplicates(&self) -> &[NodeId] {
        &self.duplicates
    }

    /// A measure of what it takes to go through it once, whose message has so many bytes.
    pub(crate) fn work(&self, bytes: usize) -> usize {
        self.nodes.len() + self.inputs.len() + bytes / BYTES
    }

    /// How many results the signature of the function has whose body it is.
    pub(crate) fn result_count(&self) -> usize {
        self.results as usize
    }

    /// The functions that came with it; the body of a function has none of its own.
    pub fn library(&self) -> &Library<'m> {
        &self.library
    }

    /// What its `GraphDef` has behind the nodes: the same message without them; of the body of a function, nothing.
    pub(crate) fn rest(&self) -> &'m [u8] {
        self.rest
    }

    /// The version of TensorFlow's rules for graphs that its writer had; 0 where that is not said.
    pub fn producer(&self) -> i32 {
        self.producer
    }

    /// Takes a `NodeDef` in.
    fn push(&mut self, bytes: &'m [u8]) -> Result<()> {
        let mut node = Node {
            name: "",
            op: "",
            device: "",
            role: Role::Node,
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
                (node_def::INPUT, Value::Len(_)) => self.input(record.text()),
                (node_def::DEVICE, Value::Len(_)) => node.device = record.text(),
                (node_def::ATTR, Value::Len(_)) => attrs = attrs.or(Some(start)),
                _ => rest = rest.or(Some(start)),
            }
        }
        let end = rest.unwrap_or(pos);
        node.attrs = (attrs.unwrap_or(end), end);
        self.add(node, from)
    }

    /// Notes an input of the node that is taken in next.
    fn input(&mut self, text: &'m str) {
        let is_control = text.starts_with('^');
        self.inputs.push(Input { text, source: None, port: "", is_control });
    }

    /// Takes in a node that has the inputs from `from` on.
    fn add(&mut self, mut node: Node<'m>, from: usize) -> Result<()> {
        node.inputs = (count(from)?, count(self.inputs.len())?);
        count(self.nodes.len())?;
        self.nodes.push(node);
        Ok(())
    }

    /// Finds the node that each input comes from.
    fn connect(&mut self) {
        self.by_name = Index::with_room_for(self.nodes.len());
        for (position, node) in (0..).zip(&self.nodes) {
            if !node.role.has_name() {
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
                let near = position.saturating_sub(NEAR)..position;
                input.source = self.find_near(near, node);
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

/// Bytes that are gone through in the time that a node takes.
const BYTES: usize = 64;

/// Nodes before a node, where most of its inputs come from.
const NEAR: usize = 4;

/// What is counted in 32 bits.
fn count(len: usize) -> Result<u32> {
    u32::try_from(len)
        .ok()
        .filter(|&len| len < u32::MAX)
        .ok_or_else(|| Error::unexpected("number of nodes or inputs", len, "32 bits are allowed"))
}

impl fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} nodes, {} inputs)", self.nodes.len(), self.inputs.len())
    }
}
