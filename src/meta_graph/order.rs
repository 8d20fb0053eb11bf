//! The order in which TensorFlow creates the nodes of an imported graph: inputs first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::{Error, Result, shortened};
use crate::graph::{Consumer, Consumers, Graph, Input, Node, NodeId};

/// The positions of the nodes of `graph` in that order. If several nodes may come next, the first in the graph does.
///
/// A `Merge` that begins a loop waits for one input only. Inputs that are `bound` are not waited for.
///
/// # Errors
/// If nodes wait for each other in a cycle that is not a loop.
pub(super) fn order(graph: &Graph<'_>, bound: impl Fn(&Input<'_>) -> bool) -> Result<Vec<usize>> {
    let nodes = graph.nodes();
    let consumers = Consumers::of(graph);
    let mut waiting: Vec<usize> = nodes.iter().map(|node| waits_for(graph, node, &bound)).collect();
    let is_ready = |(id, _): &(NodeId, &Node<'_>)| waiting.get(id.position()) == Some(&0);
    let mut ready: BinaryHeap<_> =
        graph.iter().filter(is_ready).map(|(id, _)| Reverse(id)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(id)) = ready.pop() {
        order.push(id.position());
        let is_back = is_next_iteration(graph.node(id));
        for &Consumer { by, input_index } in consumers.of_node(id) {
            let is_bound = graph.inputs_of(by).get(input_index).is_some_and(&bound);
            if is_bound || is_back && is_merge(graph.node(by)) {
                continue;
            }
            let count = waiting.get_mut(by.position()).filter(|count| **count > 0);
            let Some(count) = count else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(Reverse(by));
            }
        }
    }
    match waiting.iter().position(|count| *count > 0).and_then(|position| nodes.get(position)) {
        Some(node) => {
            let name = shortened(node.name);
            Err(Error::usage(format!("node {name} is in a cycle of inputs that is not a loop")))
        }
        None => Ok(order),
    }
}

/// The number of inputs that a node waits for.
fn waits_for(graph: &Graph<'_>, node: &Node<'_>, bound: impl Fn(&Input<'_>) -> bool) -> usize {
    let inputs = graph.inputs(node);
    let bound = inputs.iter().filter(|input| bound(input)).count();
    let is_back = |input: &&Input<'_>| {
        let source = input.source.filter(|_| !input.is_control);
        source.is_some_and(|source| is_next_iteration(graph.node(source)))
    };
    let all = if is_merge(node) && inputs.iter().any(|input| is_back(&input)) {
        inputs.iter().filter(|input| input.is_control).count() + 1
    } else {
        inputs.len()
    };
    // The one data input of a loop may itself be bound, or both may be.
    all.saturating_sub(bound)
}

fn is_merge(node: &Node<'_>) -> bool {
    matches!(node.op, "Merge" | "RefMerge")
}

fn is_next_iteration(node: &Node<'_>) -> bool {
    matches!(node.op, "NextIteration" | "RefNextIteration")
}
