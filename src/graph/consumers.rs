//! The consumers of each node.

use super::{Graph, NodeId};

/// For each node, the inputs that consume its outputs.
#[derive(Debug)]
pub(crate) struct Consumers {
    /// The start of the consumers of each node, and the end of the last.
    starts: Vec<usize>,
    uses: Vec<Consumer>,
}

/// An input, as seen from its source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Consumer {
    /// The node with the input.
    pub(crate) by: NodeId,
    /// The position among the inputs of that node.
    pub(crate) input_index: usize,
}

impl Consumers {
    /// The consumers of all nodes, in graph order; takes linear time.
    pub(crate) fn of(graph: &Graph<'_>) -> Self {
        let edges = || {
            graph.iter().flat_map(|(by, node)| {
                let inputs = graph.inputs(node).iter().enumerate();
                inputs.filter_map(move |(input_index, input)| {
                    Some((input.source?, Consumer { by, input_index }))
                })
            })
        };
        let mut starts = vec![0usize; graph.nodes().len() + 2];
        for (source, _) in edges() {
            if let Some(count) = starts.get_mut(source.position() + 2) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut uses = vec![Consumer { by: NodeId::default(), input_index: 0 }; sum];
        for (source, found) in edges() {
            if let Some(next) = starts.get_mut(source.position() + 1) {
                if let Some(consumer) = uses.get_mut(*next) {
                    *consumer = found;
                }
                *next += 1;
            }
        }
        Self { starts, uses }
    }

    /// The consumers of a node.
    pub(crate) fn of_node(&self, id: NodeId) -> &[Consumer] {
        let at = id.position();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&from), Some(&to)) => self.uses.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }
}
