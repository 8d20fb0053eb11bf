//! The edges between boxes.

use super::drawing::{BlockKind, Call, Callee, ClusterKind, Drawing, Edge, Item};
use super::output_types::OutputTypes;
use super::parts::{Part, Picture};
use crate::graph::{Input, NodeId};

/// The number of the box of a node that is in none.
pub(super) const NO_BOX: u32 = u32::MAX;

/// The maximum number of tensors of an edge whose types are compared.
const COMPARED: usize = 8;

/// An input whose source is in another box.
struct Between<'m> {
    from: u32,
    to: u32,
    source: NodeId,
    input: Input<'m>,
}

/// Adds the edges and calls of the first `shown` parts. `of_node` has the box of each node of each part.
pub(super) fn add(
    picture: &Picture<'_>,
    shown: usize,
    of_node: &[Vec<u32>],
    drawing: &mut Drawing,
) {
    for (part, of_node) in picture.parts.iter().zip(of_node).take(shown) {
        let mut between = between(part, of_node, drawing);
        let key = |of: &Between<'_>| (of.from, of.to, of.input.is_control);
        between.sort_by(|a, b| {
            key(a)
                .cmp(&key(b))
                .then_with(|| (a.source, a.input.port).cmp(&(b.source, b.input.port)))
        });
        let mut types = OutputTypes::new(&part.graph, picture.ops_of(part), part.function);
        for inputs in between.chunk_by(|a, b| key(a) == key(b)) {
            drawing.edges.extend(edge(inputs, &mut types));
        }
    }
    drawing.edges.sort_by_key(|edge| (edge.from, edge.to, edge.is_control));
    drawing.calls = calls(picture, shown, of_node, drawing);
}

/// The inputs from other boxes; a node that is a box of its own may be its own source.
fn between<'m>(part: &Part<'m>, of_node: &[u32], drawing: &Drawing) -> Vec<Between<'m>> {
    let mut between = Vec::new();
    for (id, node) in part.graph.iter() {
        let Some(&to) = of_node.get(id.position()) else { continue };
        for input in part.graph.inputs(node) {
            let Some(source) = input.source else { continue };
            let Some(&from) = of_node.get(source.position()) else { continue };
            if from != to || source == id {
                between.push(Between { from, to, source, input: *input });
            }
        }
    }
    let is_node = |at: u32| {
        let block = drawing.blocks.get(at as usize);
        block.is_some_and(|block| matches!(block.kind, BlockKind::Node { .. }))
    };
    between.retain(|of| of.from != of.to || is_node(of.from));
    between
}

/// The edge of inputs between the same boxes, which are sorted by their tensors.
fn edge<'m>(inputs: &[Between<'m>], types: &mut OutputTypes<'_, 'm>) -> Option<Edge> {
    let first = inputs.first()?;
    let is_same =
        |a: &Between<'_>, b: &Between<'_>| a.source == b.source && a.input.port == b.input.port;
    let is_control = first.input.is_control;
    let tensors = if is_control { 0 } else { inputs.chunk_by(is_same).count() };
    let mut ty = None;
    if (1..=COMPARED).contains(&tensors) {
        let firsts = inputs.chunk_by(is_same).filter_map(|same| same.first());
        let mut found = firsts.map(|of| types.of(&of.input));
        ty = found.next().flatten();
        // All are asked for: the first that differs decides.
        if !found.all(|other| other == ty) {
            ty = None;
        }
    }
    Some(Edge {
        from: first.from as usize,
        to: first.to as usize,
        is_control,
        inputs: inputs.len() as u64,
        tensors: tensors as u64,
        ty,
    })
}

/// The calls of functions.
fn calls(
    picture: &Picture<'_>,
    shown: usize,
    of_node: &[Vec<u32>],
    drawing: &Drawing,
) -> Vec<Call> {
    let callees = callees(drawing);
    let rest = drawing.blocks.iter().position(|of| matches!(of.kind, BlockKind::Functions(_)));
    // Functions are in the order of the parts.
    let numbers: Vec<usize> = picture
        .parts
        .iter()
        .scan(0, |next, part| {
            let number = *next;
            *next += usize::from(part.is_function);
            Some(number)
        })
        .collect();
    let mut calls = Vec::new();
    for (part, of_node) in picture.parts.iter().zip(of_node).take(shown) {
        for &(id, callee) in &part.calls {
            let shown = callee.filter(|&part| part < shown).and_then(|part| numbers.get(part));
            let to = match shown {
                Some(&number) => callees.get(number).copied(),
                None => rest.map(Callee::Block),
            };
            let from = of_node.get(id.position()).filter(|&&from| from != NO_BOX);
            calls.extend(from.zip(to).map(|(&from, to)| Call { from: from as usize, to }));
        }
    }
    calls.sort_unstable();
    calls.dedup();
    calls
}

/// The cluster or box of each function that is drawn.
fn callees(drawing: &Drawing) -> Vec<Callee> {
    let callee = |item: &Item| match *item {
        Item::Cluster(at) => {
            let cluster = drawing.clusters.get(at)?;
            (cluster.kind == ClusterKind::Function).then_some(Callee::Cluster(at))
        }
        Item::Block(at) => {
            let block = drawing.blocks.get(at)?;
            matches!(block.kind, BlockKind::Function(_)).then_some(Callee::Block(at))
        }
    };
    drawing.items.iter().filter_map(callee).collect()
}
