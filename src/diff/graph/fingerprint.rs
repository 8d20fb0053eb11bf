//! What a node is, apart from its name and its place.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::{Graph, Node, NodeId};
use crate::message::records;
use crate::schema::field::{attr_value, tensor_proto};

/// Attributes that hold names, which a rename changes with the node's own.
const NAMES: [&str; 4] = ["shared_name", "debug_name", "frame_name", "container"];

/// The fingerprints of the nodes of one graph, each made once when it is first asked for: attributes are as long as a file wants.
#[derive(Debug)]
pub(super) struct Fingerprints(Vec<OnceCell<u64>>);

impl Fingerprints {
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        Self(vec![OnceCell::new(); graph.nodes().len()])
    }

    /// That of a node of `graph`, whose fingerprints these are.
    pub(super) fn of_node(&self, graph: &Graph<'_>, id: NodeId) -> u64 {
        let known = self.0.get(id.position());
        known.map_or(0, |print| *print.get_or_init(|| fingerprint(graph.node(id))))
    }
}

/// A hash of a node's op and attributes, which is the same for nodes that differ in names only.
///
/// Of a constant it takes dtype and shape: one value can be written in several ways.
fn fingerprint(node: &Node<'_>) -> u64 {
    let mut state = DefaultHasher::new();
    (node.op, node.role).hash(&mut state);
    for (name, value) in node.attrs() {
        if name.starts_with('_') || NAMES.contains(&name) {
            continue;
        }
        name.hash(&mut state);
        attr_value(value, &mut state);
    }
    state.finish()
}

fn attr_value(value: &[u8], state: &mut DefaultHasher) {
    for record in records(value) {
        record.number.hash(state);
        match record.number {
            attr_value::TENSOR => {
                let fields = records(record.payload());
                fields
                    .take_while(|field| field.number <= tensor_proto::TENSOR_SHAPE)
                    .for_each(|field| field.bytes.hash(state));
            }
            // Functions go by names that are made up anew each time; lists of them too.
            attr_value::FUNC => {}
            attr_value::LIST => record.payload().len().hash(state),
            _ => record.bytes.hash(state),
        }
    }
}
