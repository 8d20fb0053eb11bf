//! What a node is, apart from its name and its place.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::{Node, bytes_of};
use crate::message::Records;

/// Fields of `AttrValue`, by number.
const LIST: u32 = 1;
const TENSOR: u32 = 8;
const FUNC: u32 = 10;

/// Attributes that hold names, which a rename changes with the node's own.
const NAMES: [&str; 4] = ["shared_name", "debug_name", "frame_name", "container"];

/// A hash of a node's op and attributes, which is the same for nodes that differ in names only.
///
/// Of a constant it takes dtype and shape: one value can be written in several ways.
pub(super) fn fingerprint(node: &Node<'_>) -> u64 {
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
    for record in Records::new(value, 0).map_while(Result::ok) {
        record.number.hash(state);
        match record.number {
            TENSOR => {
                let fields = Records::new(bytes_of(&record), 0).map_while(Result::ok);
                fields
                    .take_while(|field| field.number <= 2)
                    .for_each(|field| field.bytes.hash(state));
            }
            // Functions go by names that are made up anew each time; lists of them too.
            FUNC => {}
            LIST => bytes_of(&record).len().hash(state),
            _ => record.bytes.hash(state),
        }
    }
}
