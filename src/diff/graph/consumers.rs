//! Who takes what a node gives.

use super::fingerprint::Fingerprints;
use super::matching::Matching;
use crate::graph::{Graph, NodeId};
use crate::threads;

/// Who takes what, and what each node is by itself, on both sides.
#[derive(Debug)]
pub(super) struct Users {
    pub(super) lhs: Consumers,
    pub(super) rhs: Consumers,
    pub(super) lhs_prints: Fingerprints,
    pub(super) rhs_prints: Fingerprints,
}

impl Users {
    pub(super) fn of(matching: &Matching<'_, '_>, threads: usize) -> Self {
        let of = |graph| (Consumers::of(graph), Fingerprints::of(graph));
        let (lhs, rhs) = threads::both(threads, || of(matching.lhs), || of(matching.rhs));
        let ((lhs, lhs_prints), (rhs, rhs_prints)) = (lhs, rhs);
        Self { lhs, rhs, lhs_prints, rhs_prints }
    }
}

/// For each node, the inputs that come from it.
#[derive(Debug)]
pub(super) struct Consumers {
    /// Where the uses of each node begin, and behind the last where all end.
    starts: Vec<usize>,
    uses: Vec<Use>,
}

/// An input, seen from the node that it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    /// The node that takes it.
    pub(super) by: NodeId,
    /// Which of that node's inputs it is.
    pub(super) slot: usize,
}

impl Consumers {
    /// All uses in a graph, in the order of its nodes; linear.
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        let edges = || {
            graph.iter().flat_map(|(by, node)| {
                let inputs = graph.inputs(node).iter().enumerate();
                inputs.filter_map(move |(slot, input)| Some((input.source?, Use { by, slot })))
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
        let mut uses = vec![Use { by: NodeId::default(), slot: 0 }; sum];
        for (source, found) in edges() {
            if let Some(next) = starts.get_mut(source.position() + 1) {
                if let Some(place) = uses.get_mut(*next) {
                    *place = found;
                }
                *next += 1;
            }
        }
        Self { starts, uses }
    }

    /// The uses of a node.
    pub(super) fn of_node(&self, id: NodeId) -> &[Use] {
        let at = id.position();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&from), Some(&to)) => self.uses.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }
}
