//! The keys that stand for the same variables in the object graphs of two checkpoints.

use std::collections::BTreeMap;

use super::matching::ObjectMatching;
use crate::graph::ObjectGraph;
use crate::graph::object_graph::ObjectId;

/// The keys of matched values on both sides.
#[derive(Debug, Default)]
pub(in crate::diff) struct KeyPairs {
    /// The key in rhs of each matched value of lhs, and the reverse.
    pub(in crate::diff) to_rhs: BTreeMap<String, String>,
    pub(in crate::diff) to_lhs: BTreeMap<String, String>,
}

impl ObjectMatching<'_> {
    /// The keys of the values of matched objects, in the object graphs of two checkpoints.
    pub(in crate::diff) fn value_keys(&self) -> KeyPairs {
        let mut pairs = KeyPairs::default();
        for &(l, r) in &self.pairs {
            let values = |graph: &ObjectGraph<'_>, id: ObjectId| {
                let values = graph.attributes(id);
                values
                    .map(|value| (value.name.to_owned(), value.checkpoint_key.to_owned()))
                    .collect::<BTreeMap<_, _>>()
            };
            let mut theirs = values(self.rhs, r);
            for (name, from) in values(self.lhs, l) {
                if let Some(to) = theirs.remove(&name) {
                    pairs.to_lhs.entry(to.clone()).or_insert_with(|| from.clone());
                    pairs.to_rhs.entry(from).or_insert(to);
                }
            }
        }
        pairs
    }
}
