//! Which nodes are run, and in which order.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Graph, NodeId};

/// A node that was not reached yet, one whose inputs are looked at, and one that has its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    Open,
    Done,
}

/// The nodes that `targets` need, each behind all that it takes or waits for: in depth, inputs in their order. What is `fed`
/// needs nothing. Linear in the graph, and no deeper than the list that it gives.
///
/// # Errors
/// When a node takes something that is not there, or waits for itself.
pub(super) fn plan(
    graph: &Graph<'_>,
    targets: &[NodeId],
    fed: Option<NodeId>,
) -> Result<Vec<NodeId>> {
    let mut seen = vec![Seen::No; graph.nodes().len()];
    let mut order = Vec::new();
    for &target in targets {
        if seen.get(target.position()) == Some(&Seen::No) {
            place(graph, target, fed, &mut seen, &mut order)?;
        }
    }
    Ok(order)
}

/// Puts `target`, which is not seen yet, into `order`, behind all that it needs.
fn place(
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
            let kind = format!("it takes {what}, and the graph has no such node");
            in_node(ErrorKind::NotFound(kind).into(), node.name)
        })?;
        match seen.get(source.position()) {
            Some(Seen::Open) => {
                let found = format!("a cycle through {}", crate::error::shortened(node.name));
                return Err(Error::unexpected("wiring", found, "no node may wait for itself"));
            }
            Some(Seen::No) => path.push((source, 0)),
            _ => {}
        }
    }
    Ok(())
}

/// Names the node that something went wrong in.
pub(super) fn in_node(error: Error, name: &str) -> Error {
    error.in_field(&crate::tensor::Name::from(name).printable())
}
