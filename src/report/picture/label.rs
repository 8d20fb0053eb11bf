//! The texts of boxes, clusters and edges. They have no control characters, and names of any length are cut.

use crate::graph::{VariableKind, is_placeholder};
use crate::overview::TensorType;
use crate::picture::{Block, BlockKind, Cluster, ClusterKind, Edge, OpCount};
use crate::report::human::terminal_text::{cut_middle, ends, plural, printable, width_of};

/// The widest name, in columns.
const WIDTH: usize = 60;

/// The number of ops that a folded box names.
const OPS: usize = 3;

/// The look of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Look {
    /// A node.
    Plain,
    /// A node that is a variable.
    Variable,
    /// A placeholder, an argument or a result.
    Terminal,
    /// Several nodes.
    Folded,
}

impl Look {
    pub(in crate::report) fn of(block: &Block) -> Self {
        match &block.kind {
            BlockKind::Node { op, .. } if VariableKind::of_op(op).is_some() => Self::Variable,
            BlockKind::Node { op, .. } if is_placeholder(op) => Self::Terminal,
            BlockKind::Node { .. } => Self::Plain,
            BlockKind::Argument(_) | BlockKind::Result => Self::Terminal,
            _ => Self::Folded,
        }
    }
}

/// The lines in a box.
pub(in crate::report) fn of_block(block: &Block) -> Vec<String> {
    of_block_within(block, usize::MAX)
}

/// The lines in a box, with as many ops as fit into so many columns.
pub(in crate::report) fn of_block_within(block: &Block, columns: usize) -> Vec<String> {
    let title = name(&block.name);
    let nodes = || plural(block.nodes, "node");
    let typed = |first: String, ty: &Option<TensorType>| {
        let ty = ty.as_ref().map(of_type);
        [Some(title.clone()), Some(first), ty].into_iter().flatten().collect()
    };
    let folded = |first: String, second: String, of: &[OpCount]| {
        [Some(first), Some(second), ops(of, columns)].into_iter().flatten().collect()
    };
    match &block.kind {
        BlockKind::Node { op, ty } => typed(name(op), ty),
        BlockKind::Argument(ty) => typed("argument".into(), ty),
        BlockKind::Result => vec![title, "result".into()],
        BlockKind::Scope(ops) => folded(format!("{title}/"), nodes(), ops),
        BlockKind::Graph(ops) => folded(title, nodes(), ops),
        BlockKind::Function(ops) => folded(format!("function {title}"), nodes(), ops),
        BlockKind::SameOp(op) => vec![format!("{} × {}", block.nodes, name(op))],
        BlockKind::Arguments(count) => vec![plural(*count, "argument")],
        BlockKind::Results(count) => vec![plural(*count, "result")],
        BlockKind::Rest(ops) => folded("the rest".into(), nodes(), ops),
        BlockKind::Functions(count) => vec![plural(*count, "other function"), nodes()],
        BlockKind::Graphs(count) => vec![plural(*count, "other graph"), nodes()],
    }
}

/// The title of a cluster.
pub(in crate::report) fn of_cluster(cluster: &Cluster) -> String {
    let title = name(&cluster.name);
    match cluster.kind {
        ClusterKind::Graph => title,
        ClusterKind::Function => format!("function {title}"),
        ClusterKind::Scope => format!("{title}/"),
    }
}

/// The text at an edge: the type of its tensors, or how many there are; empty for one tensor of unknown type.
pub(in crate::report) fn of_edge(edge: &Edge) -> String {
    match (edge.is_control, edge.tensors, &edge.ty) {
        (true, _, _) if edge.inputs == 1 => String::new(),
        (true, ..) => plural(edge.inputs, "control input"),
        (false, 1, Some(ty)) => of_type(ty),
        (false, tensors, Some(ty)) => format!("{tensors} × {}", of_type(ty)),
        (false, 1, None) => String::new(),
        (false, tensors, None) => plural(tensors, "tensor"),
    }
}

/// The text at the call of a function.
pub(in crate::report) const CALLS: &str = "calls";

/// The dtype, if it is known, and the shape.
fn of_type(ty: &TensorType) -> String {
    let text = match ty.dtype {
        Some(_) => ty.to_string(),
        None => ty.dims(),
    };
    cut_middle(&text, WIDTH)
}

/// The most frequent ops that fit into so many columns, at least one: `3 MatMul, 2 Add, 5 more`.
fn ops(ops: &[OpCount], columns: usize) -> Option<String> {
    let text = |named: usize| {
        let (named, others) = ops.split_at(named.min(ops.len()));
        let mut parts: Vec<_> =
            named.iter().map(|of| format!("{} {}", of.nodes, name(&of.op))).collect();
        let more: u64 = others.iter().map(|of| of.nodes).sum();
        parts.extend((more > 0).then(|| format!("{more} more")));
        parts.join(", ")
    };
    let fitting = (1..=OPS).rev().map(text).find(|text| width_of(text) <= columns);
    (!ops.is_empty()).then(|| fitting.unwrap_or_else(|| text(1)))
}

/// A name of any length, in one line.
pub(in crate::report) fn name(name: &str) -> String {
    cut_middle(&printable(&ends(name)), WIDTH)
}
