//! The order in which nodes run.

use crate::error::{Error, Result};
use crate::graph::{Graph, NodeId};

/// The state of a node: not reached, waiting for its inputs, or scheduled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    Open,
    Done,
}

/// The nodes that `targets` need, each after its inputs: depth first, inputs in order. The inputs of the node `fed` are not needed. Takes
/// linear time, without recursion.
///
/// # Errors
/// If an input is not in the graph, or nodes wait for each other in a cycle.
pub(super) fn schedule(
    graph: &Graph<'_>,
    targets: &[NodeId],
    fed: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    let mut seen = vec![Seen::No; graph.nodes().len()];
    let mut order = Vec::new();
    for &target in targets {
        if seen.get(target.position()) == Some(&Seen::No) {
            append(graph, target, fed, &mut seen, &mut order)?;
        }
    }
    Ok(order)
}

/// Appends `target`, which is not seen yet, to `order`, after the nodes that it needs.
fn append(
    graph: &Graph<'_>,
    target: NodeId,
    fed: Option<NodeId>,
    seen: &mut [Seen],
    order: &mut Vec<NodeId>,
) -> Result<()> {
    let mut path = vec![(target, 0)];
    while let Some((id, at)) = path.last_mut() {
        let (id, node) = (*id, graph.node(*id));
        let mut mark = |seen_now| {
            if let Some(seen) = seen.get_mut(id.position()) {
                *seen = seen_now;
            }
        };
        mark(Seen::Open);
        let input = graph.inputs(node).get(*at).filter(|_| Some(id) != fed);
        *at += 1;
        let Some(input) = input else {
            mark(Seen::Done);
            order.push(id);
            path.pop();
            continue;
        };
        let source = input.source.ok_or_else(|| {
            let what = crate::error::shortened(input.text);
            let kind = format!("its input {what} is not in the graph");
            in_node(Error::not_found(kind), node.name)
        })?;
        match seen.get(source.position()) {
            Some(Seen::Open) => {
                let found = format!("a cycle through {}", crate::error::shortened(node.name));
                return Err(Error::unexpected("inputs", found, "no cycle"));
            }
            Some(Seen::No) => path.push((source, 0)),
            _ => {}
        }
    }
    Ok(())
}

/// Adds the name of the node to an error.
pub(super) fn in_node(error: Error, name: &str) -> Error {
    error.in_field(&crate::tensor::Name::from(name).printable())
}
