//! The order in which TensorFlow creates the nodes of an imported graph: inputs first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::{ErrorKind, Result, shortened};
use crate::graph::{Graph, Input, Node};

/// The positions of the nodes of `graph` in that order. If several nodes may come next, the first in the graph does.
///
/// A `Merge` that begins a loop waits for one input only. Inputs that are `bound` are not waited for.
///
/// # Errors
/// If nodes wait for each other in a cycle that is not a loop.
pub(super) fn order(graph: &Graph<'_>, bound: impl Fn(&Input<'_>) -> bool) -> Result<Vec<usize>> {
    let nodes = graph.nodes();
    let consumers = Consumers::of(graph, &bound);
    let mut waiting: Vec<usize> = nodes.iter().map(|node| waits_for(graph, node, &bound)).collect();
    let first = waiting.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: BinaryHeap<_> = first.map(|(position, _)| Reverse(position)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(position)) = ready.pop() {
        order.push(position);
        let is_back = nodes.get(position).is_some_and(is_next_iteration);
        for &taker in consumers.of_node(position) {
            let is_merge = nodes.get(taker).is_some_and(is_merge);
            let Some(count) = waiting.get_mut(taker).filter(|count| **count > 0) else { continue };
            if !(is_back && is_merge) {
                *count -= 1;
                if *count == 0 {
                    ready.push(Reverse(taker));
                }
            }
        }
    }
    match waiting.iter().position(|count| *count > 0).and_then(|position| nodes.get(position)) {
        Some(node) => {
            let name = shortened(node.name);
            let kind = format!("node {name} is in a cycle of inputs that is not a loop");
            Err(ErrorKind::Usage(kind).into())
        }
        None => Ok(order),
    }
}

/// The number of inputs that a node waits for.
fn waits_for(graph: &Graph<'_>, node: &Node<'_>, bound: impl Fn(&Input<'_>) -> bool) -> usize {
    let inputs = graph.inputs(node);
    let open = inputs.iter().filter(|input| !bound(input)).count();
    let is_back = |input: &&Input<'_>| {
        let source = input.source.filter(|_| !input.is_control);
        source.is_some_and(|source| is_next_iteration(graph.node(source)))
    };
    if is_merge(node) && inputs.iter().any(|input| is_back(&input)) {
        inputs.iter().filter(|input| input.is_control).count() + 1
    } else {
        open
    }
}

fn is_merge(node: &Node<'_>) -> bool {
    matches!(node.op, "Merge" | "RefMerge")
}

fn is_next_iteration(node: &Node<'_>) -> bool {
    matches!(node.op, "NextIteration" | "RefNextIteration")
}

/// The consumers of each node, once for each input.
struct Consumers {
    /// The start of each node's consumers.
    starts: Vec<usize>,
    all: Vec<usize>,
}

impl Consumers {
    fn of(graph: &Graph<'_>, bound: impl Fn(&Input<'_>) -> bool) -> Self {
        let mut edges = Vec::new();
        for (position, node) in graph.nodes().iter().enumerate() {
            for input in graph.inputs(node).iter().filter(|input| !bound(input)) {
                edges.extend(input.source.map(|source| (source.position(), position)));
            }
        }
        // A stable sort, so that the consumers of a node stay in order.
        edges.sort_by_key(|(source, _)| *source);
        let count = graph.nodes().len();
        let start = |node: usize| edges.partition_point(|(source, _)| *source < node);
        Self { starts: (0..=count).map(start).collect(), all: edges.iter().map(|e| e.1).collect() }
    }

    fn of_node(&self, position: usize) -> &[usize] {
        let range = self.starts.get(position).zip(self.starts.get(position + 1));
        range.and_then(|(from, to)| self.all.get(*from..*to)).unwrap_or_default()
    }
}
