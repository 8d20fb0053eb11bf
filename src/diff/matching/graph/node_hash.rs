//! Hashes of nodes, independent of name and neighbors.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::{Graph, Node, NodeId, attrs, is_constant};
use crate::message::{records, varint};
use crate::schema::field::{attr_value, tensor_proto};
use crate::tensor::DType;

/// Attributes with names, which change when the node is renamed.
const NAMES: [&str; 4] = ["shared_name", "debug_name", "frame_name", "container"];

/// The size of a tensor whose value counts in the content of a constant, in bytes.
const MOST_BYTES: usize = 1 << 10;

/// The hashes of the nodes of one graph. Each is computed when it is first needed, since the length of
/// attributes is up to the file.
#[derive(Debug)]
pub(super) struct NodeHashes(Vec<OnceCell<u64>>);

impl NodeHashes {
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        Self(vec![OnceCell::new(); graph.nodes().len()])
    }

    /// The hash of a node of `graph`, for which this was created.
    pub(super) fn of_node(&self, graph: &Graph<'_>, id: NodeId) -> u64 {
        let known = self.0.get(id.position());
        known.map_or(0, |hash| *hash.get_or_init(|| node_hash(graph.node(id))))
    }
}

/// A hash of op, attributes, and the value of a small constant, from the hash of the node without names.
pub(super) fn content_hash(node: &Node<'_>, node_hash: u64) -> u64 {
    let value = is_constant(node.op).then(|| node.attr("value").and_then(attrs::tensor)).flatten();
    // Strings contain names.
    let is_counted = |tensor: &&[u8]| {
        tensor.len() <= MOST_BYTES
            && varint(tensor, tensor_proto::DTYPE) != u64::try_from(DType::String.code()).ok()
    };
    let mut state = DefaultHasher::new();
    (node_hash, value.filter(is_counted)).hash(&mut state);
    state.finish()
}

/// A hash of op and attributes that does not depend on names.
///
/// Only the dtype and shape of a constant count, since a value has several encodings.
pub(super) fn node_hash(node: &Node<'_>) -> u64 {
    let mut state = DefaultHasher::new();
    (node.op, node.kind).hash(&mut state);
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
            // Names of functions are generated anew in each export.
            attr_value::FUNC => {}
            attr_value::LIST => record.payload().len().hash(state),
            _ => record.bytes.hash(state),
        }
    }
}
