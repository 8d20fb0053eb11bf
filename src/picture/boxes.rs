//! The boxes and clusters of a drawing, while it is made.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::content::{Content, Folded};
use super::drawing::{Block, BlockKind, Cluster, ClusterKind, Drawing, Item, OpCount};
use super::edges::{self, NO_BOX};
use super::names::below;
use super::output_types::{argument_type, declared_type};
use super::parts::{Part, Picture};
use crate::graph::{Node, NodeKind};

/// The boxes and clusters so far.
pub(super) struct Boxes<'p, 'm> {
    picture: &'p Picture<'m>,
    /// The parts that are drawn.
    shown: usize,
    clusters: Vec<Cluster>,
    /// The number of clusters around each cluster, and itself.
    depths: Vec<usize>,
    /// The boxes, with their clusters and the places that order them.
    blocks: Vec<(Option<usize>, Place, Block)>,
    /// The box of each node of each part.
    of_node: Vec<Vec<u32>>,
    /// The clusters in the order of their places.
    places: Vec<(Option<usize>, Place)>,
}

/// The sort key of a box: its part, and its first node by name.
type Place = (usize, usize);

impl<'p, 'm> Boxes<'p, 'm> {
    /// No boxes except those of the parts after the first `shown` ones.
    pub(super) fn new(picture: &'p Picture<'m>, shown: usize) -> Self {
        let of_node = picture.parts.iter().map(|part| vec![NO_BOX; part.order.len()]).collect();
        let (clusters, depths, blocks, places) = Default::default();
        let mut boxes = Self { picture, shown, clusters, depths, blocks, of_node, places };
        boxes.add_hidden();
        boxes
    }

    /// The number of boxes.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The number of clusters around a box in this cluster.
    pub(super) fn depth(&self, cluster: Option<usize>) -> usize {
        cluster.and_then(|at| self.depths.get(at)).copied().unwrap_or_default()
    }

    /// Adds the boxes of functions and graphs that are not drawn.
    fn add_hidden(&mut self) {
        let hidden = self.picture.parts.get(self.shown..).unwrap_or_default();
        let nodes = |is_function: bool| {
            let parts = hidden.iter().filter(move |part| part.is_function == is_function);
            let nodes = parts.clone().map(|part| part.nodes()).sum::<u64>();
            (parts.count() as u64, nodes)
        };
        let (graphs, of_graphs) = nodes(false);
        let (functions, of_functions) = nodes(true);
        let functions = functions + self.picture.other_functions;
        let last = |rank| (usize::MAX, rank);
        if graphs > 0 {
            self.push(None, last(0), BlockKind::Graphs(graphs), String::new(), of_graphs);
        }
        if functions > 0 {
            let nodes = of_functions + self.picture.other_nodes;
            self.push(None, last(1), BlockKind::Functions(functions), String::new(), nodes);
        }
    }

    fn push(
        &mut self,
        cluster: Option<usize>,
        place: Place,
        kind: BlockKind,
        name: String,
        nodes: u64,
    ) {
        self.blocks.push((cluster, place, Block { kind, name, nodes }));
    }

    /// Adds a cluster.
    pub(super) fn open(&mut self, of: &Folded, kind: ClusterKind) -> usize {
        let name = self.name_of(of);
        self.clusters.push(Cluster { kind, name, items: Vec::new() });
        self.depths.push(self.depth(of.cluster) + 1);
        self.places.push((of.cluster, (of.part, of.range.start)));
        self.clusters.len() - 1
    }

    /// Adds one box for a graph, function or scope.
    pub(super) fn close(&mut self, of: Folded) {
        let Some(part) = self.picture.parts.get(of.part) else { return };
        let name = self.name_of(&of);
        let nodes: Vec<usize> = of.range.clone().collect();
        let ops = ops(part, &nodes);
        let kind = match (of.scope, part.is_function) {
            (Some(_), _) => BlockKind::Scope(ops),
            (None, true) => BlockKind::Function(ops),
            (None, false) => BlockKind::Graph(ops),
        };
        self.add(of.cluster, of.part, &nodes, of.range.start, kind, name);
    }

    /// Adds the boxes of an open scope. Returns the scopes in it.
    pub(super) fn fill(
        &mut self,
        of: &Folded,
        cluster: Option<usize>,
        content: Content,
    ) -> Vec<Folded> {
        let Some(part) = self.picture.parts.get(of.part) else { return Vec::new() };
        for nodes in content.nodes {
            let Some(first) = nodes.first().copied() else { continue };
            let Some(node) = part.at(first) else { continue };
            let kind = kind_of(part, node, nodes.len() as u64);
            let name = match below(node.name, of.scope) {
                _ if nodes.len() > 1 => String::new(),
                Some(name) => name.to_owned(),
                None => format!("({})", node.name.rsplit('/').next().unwrap_or_default()),
            };
            self.add(cluster, of.part, &nodes, first, kind, name);
        }
        if !content.rest.is_empty() {
            let kind = BlockKind::Rest(ops(part, &content.rest));
            self.add(cluster, of.part, &content.rest, usize::MAX, kind, String::new());
        }
        let inner = content.scopes.into_iter().map(|child| Folded {
            part: of.part,
            range: child.range,
            scope: child.scope,
            cluster,
            outer: of.scope,
        });
        inner.collect()
    }

    fn add(
        &mut self,
        cluster: Option<usize>,
        part: usize,
        nodes: &[usize],
        first: usize,
        kind: BlockKind,
        name: String,
    ) {
        let number = u32::try_from(self.blocks.len()).unwrap_or(NO_BOX);
        let Some(source) = self.picture.parts.get(part) else { return };
        let mut count = 0;
        for &at in nodes {
            count += u64::from(source.at(at).is_some_and(|node| node.kind == NodeKind::Node));
            let id = source.order.get(at).map(|id| id.position());
            let of_part = self.of_node.get_mut(part);
            if let Some(of) = id.and_then(|id| of_part?.get_mut(id)) {
                *of = number;
            }
        }
        self.push(cluster, (part, first), kind, name, count);
    }

    fn name_of(&self, of: &Folded) -> String {
        let Some(part) = self.picture.parts.get(of.part) else { return String::new() };
        let Some(len) = of.scope else { return part.name.clone() };
        let name = part.at(of.range.start).and_then(|node| node.name.get(..len));
        let name = name.unwrap_or_default();
        below(name, of.outer).unwrap_or(name).to_owned()
    }

    /// The drawing, with boxes in the order of their names, and the edges between them.
    pub(super) fn finish(mut self) -> Drawing {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|&at| self.blocks.get(at).map(|block| block.1));
        let mut number = vec![NO_BOX; order.len()];
        for (new, &old) in (0..).zip(&order) {
            if let Some(number) = number.get_mut(old) {
                *number = new;
            }
        }
        for of in self.of_node.iter_mut().flatten() {
            *of = number.get(*of as usize).copied().unwrap_or(NO_BOX);
        }
        let mut drawing = Drawing { clusters: self.clusters, ..Drawing::default() };
        let mut items: Vec<(Option<usize>, Place, Item)> = Vec::new();
        for (at, (cluster, place)) in self.places.into_iter().enumerate() {
            items.push((cluster, place, Item::Cluster(at)));
        }
        self.blocks.sort_by_key(|block| block.1);
        for (at, (cluster, place, block)) in self.blocks.into_iter().enumerate() {
            items.push((cluster, place, Item::Block(at)));
            drawing.blocks.push(block);
        }
        items.sort_by_key(|item| item.1);
        for (cluster, _, item) in items {
            match cluster.and_then(|at| drawing.clusters.get_mut(at)) {
                Some(cluster) => cluster.items.push(item),
                None => drawing.items.push(item),
            }
        }
        edges::add(self.picture, self.shown, &self.of_node, &mut drawing);
        drawing
    }
}

/// The nodes of a box: one, or several of one op.
fn kind_of(part: &Part<'_>, node: &Node<'_>, count: u64) -> BlockKind {
    match node.kind {
        NodeKind::Argument(_) if count > 1 => BlockKind::Arguments(count),
        NodeKind::Argument(at) => BlockKind::Argument(argument_type(part.function, at)),
        NodeKind::Node if count > 1 => BlockKind::SameOp(node.op.to_owned()),
        NodeKind::Node => BlockKind::Node { op: node.op.to_owned(), ty: declared_type(node) },
        _ if count > 1 => BlockKind::Results(count),
        _ => BlockKind::Result,
    }
}

/// The ops of some nodes, those with the most nodes first.
fn ops(part: &Part<'_>, nodes: &[usize]) -> Vec<OpCount> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let nodes = nodes.iter().filter_map(|&at| part.at(at));
    for node in nodes.filter(|node| node.kind == NodeKind::Node) {
        *counts.entry(node.op).or_default() += 1;
    }
    let ops = counts.into_iter().map(|(op, nodes)| OpCount { op: op.to_owned(), nodes });
    let mut ops: Vec<_> = ops.collect();
    ops.sort_by_key(|op| Reverse(op.nodes));
    ops
}

impl Part<'_> {
    /// The number of nodes, without arguments and results.
    fn nodes(&self) -> u64 {
        self.graph.nodes().iter().filter(|node| node.kind == NodeKind::Node).count() as u64
    }
}
