//! The keys that stand for the same variables in the object graphs of two checkpoints.

use std::collections::BTreeMap;

use super::matching::ObjectMatching;
use super::tensor_table::TensorTable;
use crate::diff::graph::Renames;
use crate::error::Result;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::{ObjectGraphKind, ObjectId};

/// The keys of matched values on both sides.
#[derive(Debug, Default)]
pub(in crate::diff) struct KeyPairs {
    /// The key in rhs of each matched value of lhs, and the reverse.
    pub(in crate::diff) to_rhs: BTreeMap<String, String>,
    pub(in crate::diff) to_lhs: BTreeMap<String, String>,
}

/// The keys of the values of matched objects in two checkpoints; `tensors` knows the tensors of each side.
///
/// # Errors
/// If an object graph is not a message.
pub(in crate::diff) fn object_graph_keys(
    lhs: &[u8],
    rhs: &[u8],
    tensors: [&TensorTable; 2],
) -> Result<KeyPairs> {
    let read = |bytes| ObjectGraph::new(ObjectGraphKind::Trackable, bytes);
    let objects = ObjectMatching::new(read(lhs)?, read(rhs)?, &Renames::default(), tensors, None);
    let mut pairs = KeyPairs::default();
    for &(l, r) in &objects.pairs {
        let values = |graph: &ObjectGraph<'_>, id: ObjectId| {
            let values = graph.attributes(id);
            values
                .map(|value| (value.name.to_owned(), value.checkpoint_key.to_owned()))
                .collect::<BTreeMap<_, _>>()
        };
        let mut theirs = values(&objects.rhs, r);
        for (name, from) in values(&objects.lhs, l) {
            if let Some(to) = theirs.remove(&name) {
                pairs.to_lhs.entry(to.clone()).or_insert_with(|| from.clone());
                pairs.to_rhs.entry(from).or_insert(to);
            }
        }
    }
    Ok(pairs)
}
