//! The scopes of a graph one in another, down to the nodes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::picture::{Block, BlockKind, Callee, ClusterKind, Drawing, Edge, Item};
use crate::report::human::terminal_text::plural;
use crate::report::picture::label;

/// Graphs of at most so many boxes are open when the page is.
const OPEN: usize = 40;

/// The most inputs of a box that are listed.
const INPUTS: usize = 12;

/// The ops of a scope that are named.
const OPS: usize = 4;

/// The scopes of a graph or function.
pub(super) struct Outline {
    /// Whether all scopes are open.
    pub(super) is_open: bool,
    /// The number of nodes.
    pub(super) nodes: u64,
    /// The lines, in the order in which they are written.
    pub(super) lines: Vec<Line>,
}

/// A line of the outline.
pub(super) enum Line {
    /// A scope: its anchor, its name, and what is in it.
    Open(String, String, String),
    /// A box.
    Block(Row),
    /// The end of a scope.
    Close,
}

/// A box.
pub(super) struct Row {
    pub(super) anchor: String,
    pub(super) name: String,
    pub(super) what: String,
    pub(super) inputs: Vec<Link>,
    /// The number of inputs that are not listed.
    pub(super) more: usize,
    /// The functions that it calls.
    pub(super) calls: Vec<(String, String)>,
}

/// An input.
pub(super) struct Link {
    pub(super) anchor: String,
    pub(super) name: String,
    pub(super) what: String,
    pub(super) is_control: bool,
}

impl Outline {
    pub(super) fn new(part: Option<Item>, lists: &Lists<'_>) -> Self {
        let drawing = lists.drawing;
        let mut outline = Self { is_open: false, nodes: 0, lines: Vec::new() };
        match part {
            None => outline.add(&drawing.items, lists),
            Some(Item::Cluster(at)) => {
                let items = drawing.clusters.get(at).map(|of| of.items.as_slice());
                outline.add(items.unwrap_or_default(), lists);
            }
            Some(block) => outline.add(&[block], lists),
        }
        let is_block = |line: &&Line| matches!(line, Line::Block(_));
        outline.is_open = outline.lines.iter().filter(is_block).count() <= OPEN;
        outline
    }

    fn add(&mut self, items: &[Item], lists: &Lists<'_>) {
        for item in items {
            match *item {
                Item::Block(at) => {
                    let Some(block) = lists.drawing.blocks.get(at) else { continue };
                    self.nodes += block.nodes;
                    self.lines.push(Line::Block(lists.row(at, block)));
                }
                Item::Cluster(at) => {
                    let Some(cluster) = lists.drawing.clusters.get(at) else { continue };
                    let what = lists.content(&cluster.items);
                    self.lines.push(Line::Open(format!("c{at}"), label::of_cluster(cluster), what));
                    self.add(&cluster.items, lists);
                    self.lines.push(Line::Close);
                }
            }
        }
    }
}

/// The edges and calls of a drawing, by box.
pub(super) struct Lists<'d> {
    drawing: &'d Drawing,
    /// The positions of the edges to each box.
    inputs: BTreeMap<usize, Vec<usize>>,
    calls: BTreeMap<usize, Vec<Callee>>,
    /// The name of each box, with the scopes around it.
    names: Vec<String>,
}

impl<'d> Lists<'d> {
    pub(super) fn new(drawing: &'d Drawing) -> Self {
        let (mut inputs, mut calls) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for (at, edge) in drawing.edges.iter().enumerate() {
            inputs.entry(edge.to).or_default().push(at);
        }
        for call in &drawing.calls {
            calls.entry(call.from).or_default().push(call.to);
        }
        let mut names = vec![String::new(); drawing.blocks.len()];
        name_all(&drawing.items, "", drawing, &mut names);
        Self { drawing, inputs, calls, names }
    }

    fn row(&self, at: usize, block: &Block) -> Row {
        let edges = self.inputs.get(&at).map_or(&[][..], Vec::as_slice);
        let edges = edges.iter().filter_map(|&edge| self.drawing.edges.get(edge));
        let link = |edge: &Edge| {
            Some(Link {
                anchor: format!("b{}", edge.from),
                name: self.names.get(edge.from)?.clone(),
                what: label::of_edge(edge),
                is_control: edge.is_control,
            })
        };
        let mut inputs: Vec<_> = edges.filter_map(link).collect();
        let more = inputs.len().saturating_sub(INPUTS);
        inputs.truncate(INPUTS);
        let callees = self.calls.get(&at).map_or(&[][..], Vec::as_slice);
        let mut lines = label::of_block(block).into_iter();
        let first = lines.next().unwrap_or_default();
        Row {
            anchor: format!("b{at}"),
            name: first,
            what: lines.collect::<Vec<_>>().join(" · "),
            inputs,
            more,
            calls: callees.iter().filter_map(|callee| self.callee(*callee)).collect(),
        }
    }

    fn callee(&self, callee: Callee) -> Option<(String, String)> {
        Some(match callee {
            Callee::Cluster(at) => {
                (format!("c{at}"), label::of_cluster(self.drawing.clusters.get(at)?))
            }
            Callee::Block(at) => (format!("b{at}"), self.names.get(at)?.clone()),
        })
    }

    /// For example `7 nodes: 3 Const, 2 Identity, 2 more`.
    fn content(&self, items: &[Item]) -> String {
        let mut ops: BTreeMap<&str, u64> = BTreeMap::new();
        let mut open = vec![items];
        let mut nodes = 0;
        while let Some(items) = open.pop() {
            for item in items {
                match *item {
                    Item::Cluster(at) => {
                        open.extend(self.drawing.clusters.get(at).map(|of| of.items.as_slice()));
                    }
                    Item::Block(at) => {
                        let Some(block) = self.drawing.blocks.get(at) else { continue };
                        nodes += block.nodes;
                        for (op, count) in ops_of(block) {
                            *ops.entry(op).or_default() += count;
                        }
                    }
                }
            }
        }
        let mut ops: Vec<_> = ops.into_iter().collect();
        ops.sort_by_key(|(_, count)| Reverse(*count));
        let named = ops.iter().take(OPS).map(|(op, count)| format!("{count} {}", label::name(op)));
        let mut parts: Vec<_> = named.collect();
        let more: u64 = ops.iter().skip(OPS).map(|(_, count)| count).sum();
        parts.extend((more > 0).then(|| format!("{more} more")));
        match parts.is_empty() {
            true => plural(nodes, "node"),
            false => format!("{}: {}", plural(nodes, "node"), parts.join(", ")),
        }
    }
}

/// Names the boxes, with the scopes around them.
fn name_all(items: &[Item], outer: &str, drawing: &Drawing, names: &mut [String]) {
    for item in items {
        match *item {
            Item::Block(at) => {
                let first =
                    drawing.blocks.get(at).and_then(|of| label::of_block(of).into_iter().next());
                if let Some(name) = names.get_mut(at) {
                    *name = format!("{outer}{}", first.unwrap_or_default());
                }
            }
            Item::Cluster(at) => {
                let Some(cluster) = drawing.clusters.get(at) else { continue };
                let inner = match cluster.kind {
                    ClusterKind::Scope => format!("{outer}{}", label::of_cluster(cluster)),
                    ClusterKind::Graph | ClusterKind::Function => String::new(),
                };
                name_all(&cluster.items, &inner, drawing, names);
            }
        }
    }
}

/// The ops of the nodes of a box.
fn ops_of(block: &Block) -> Vec<(&str, u64)> {
    match &block.kind {
        BlockKind::Node { op, .. } | BlockKind::SameOp(op) => vec![(op, block.nodes)],
        BlockKind::Scope(ops)
        | BlockKind::Graph(ops)
        | BlockKind::Function(ops)
        | BlockKind::Rest(ops) => ops.iter().map(|of| (of.op.as_str(), of.nodes)).collect(),
        _ => Vec::new(),
    }
}
