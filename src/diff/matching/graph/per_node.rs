//! Values by node.

use crate::graph::{Graph, NodeId};

/// A value for each node of a graph.
#[derive(Debug)]
pub(in crate::diff) struct PerNode<T>(Vec<T>);

impl<T: Copy + Default> PerNode<T> {
    /// The default value for each node.
    pub(in crate::diff) fn new(graph: &Graph<'_>) -> Self {
        Self(vec![T::default(); graph.nodes().len()])
    }

    pub(in crate::diff) fn get(&self, id: NodeId) -> T {
        self.0.get(id.position()).copied().unwrap_or_default()
    }

    pub(in crate::diff) fn set(&mut self, id: NodeId, value: T) {
        if let Some(known) = self.0.get_mut(id.position()) {
            *known = value;
        }
    }
}
