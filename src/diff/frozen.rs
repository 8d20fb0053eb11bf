//! Compares a checkpoint with a frozen graph, whose constants have the values of variables.
//!
//! ```text
//! w: Const ──► w/read: Identity                      was a reference variable
//! w: Const ──► …/ReadVariableOp: Identity            was a resource variable
//! w/part_0, w/part_1, …                              were the slices of one, in order along one axis
//! ```
//! Source: `graph_util.convert_variables_to_constants` and `convert_variables_to_constants_v2` of TensorFlow
//! 2.21. A constant is compared if it was a variable, as these patterns show, or if the checkpoint has a
//! tensor of its name; shapes, axes and other constants are not. Freezing keeps only what the graph needs, so
//! tensors that only the checkpoint has, such as slots of optimizers, are counted and are no difference. A
//! former variable that the checkpoint lacks is a difference.

use std::collections::{BTreeMap, BTreeSet};

use super::side_tensors::SideTensors;
use super::walk::model;
use super::{Diff, DiffOptions, Only, Side, Status};
use crate::artifact::{Artifact, ArtifactKind};
use crate::checkpoint::{Checkpoint, Entry, Partitioned, StoredSlice};
use crate::error::{Error, Result};
use crate::graph::{Constant, Graph, Node, attrs, is_constant};
use crate::tensor::{Name, Shape, Slice, TensorSource};

/// The constants of a frozen graph that are compared with a checkpoint.
#[derive(Debug)]
pub(super) struct FrozenGraph<'a> {
    /// The side of the graph.
    side: Side,
    path: &'a std::path::Path,
    checkpoint: &'a Checkpoint,
    entries: Vec<Entry>,
}

impl<'a> FrozenGraph<'a> {
    /// The constants to compare, if one side is a checkpoint and the other a graph that was frozen or has a
    /// tensor in common with the checkpoint.
    ///
    /// # Errors
    /// If the graph has more nodes than can be counted.
    pub(super) fn of(
        lhs: &'a Artifact<'_>,
        rhs: &'a Artifact<'_>,
        options: &DiffOptions,
    ) -> Result<Option<Self>> {
        let (side, graph, other) = match (lhs.checkpoint(), rhs.checkpoint()) {
            (Some(_), None) => (Side::Rhs, rhs, lhs),
            (None, Some(_)) => (Side::Lhs, lhs, rhs),
            _ => return Ok(None),
        };
        let (Some(message), Some(checkpoint)) = (graph.message(), other.checkpoint()) else {
            return Ok(None);
        };
        // A checkpoint with a meta graph is compared with another one of its kind.
        if options.only == Only::Graph || *other.kind() != ArtifactKind::Checkpoint {
            return Ok(None);
        }
        let Some(bytes) = model::graph_def(message.message()) else { return Ok(None) };
        // Renames apply to lhs only.
        let renamed = |of: Side, name: &Name| {
            let renamed = options.names.rename(name).filter(|_| of == Side::Lhs);
            renamed.unwrap_or_else(|| name.clone())
        };
        let other_side = if side == Side::Lhs { Side::Rhs } else { Side::Lhs };
        let shapes = checkpoint.tensors().map(|entry| {
            let shape = entry.source.as_ref().ok().map(|source| source.shape());
            (renamed(other_side, &entry.name), shape)
        });
        let wanted =
            CheckpointTensors { shapes: shapes.collect(), renamed: &|name| renamed(side, name) };
        let entries = wanted.constants(&Graph::new(bytes)?);
        let path = graph.path();
        let found = Self { side, path, checkpoint, entries };
        Ok((!found.entries.is_empty()).then_some(found))
    }

    /// The checkpoint of each side.
    pub(super) fn checkpoints(&self) -> (Option<&'a Checkpoint>, Option<&'a Checkpoint>) {
        match self.side {
            Side::Lhs => (None, Some(self.checkpoint)),
            Side::Rhs => (Some(self.checkpoint), None),
        }
    }

    /// The tensors of each side.
    pub(super) fn tensors(&self) -> (SideTensors<'_>, SideTensors<'_>) {
        let constants = SideTensors::of_constants(self.path, &self.entries);
        match self.side {
            Side::Lhs => (constants, SideTensors::of(self.checkpoint)),
            Side::Rhs => (SideTensors::of(self.checkpoint), constants),
        }
    }

    /// Restricts the result to tensors: removes those that the graph does not need, and counts them.
    ///
    /// # Errors
    /// If no tensor is left.
    pub(super) fn restrict(&self, diff: &mut Diff) -> Result<()> {
        let alone = if self.side == Side::Lhs { Status::Added } else { Status::Removed };
        let before = diff.tensors.len();
        let suggested: BTreeSet<_> = diff
            .renames
            .iter()
            .map(|rename| if self.side == Side::Lhs { &rename.to } else { &rename.from })
            .collect();
        // A tensor for which a rename is suggested stays.
        diff.tensors.retain(|tensor| tensor.status != alone || suggested.contains(&tensor.name));
        diff.not_frozen = (before - diff.tensors.len()) as u64;
        if diff.tensors.is_empty() {
            return Err(Error::usage("the filters leave no tensor that the graph has"));
        }
        Ok(())
    }
}

/// The tensors of the checkpoint, as seen from the graph.
struct CheckpointTensors<'a> {
    /// The shape of each tensor by its name in the comparison; `None` if unreadable.
    shapes: BTreeMap<Name, Option<&'a Shape>>,
    /// The name of a constant in the comparison.
    renamed: &'a dyn Fn(&Name) -> Name,
}

impl CheckpointTensors<'_> {
    fn shape(&self, name: &str) -> Option<Option<&Shape>> {
        self.shapes.get(&(self.renamed)(&Name::from(name))).copied()
    }

    /// The constants that were variables, by name.
    fn constants(&self, graph: &Graph<'_>) -> Vec<Entry> {
        let was_variable: BTreeSet<&str> =
            graph.nodes().iter().filter_map(|node| frozen_variable(graph, node)).collect();
        let mut entries = BTreeMap::new();
        let mut parts = BTreeMap::<&str, BTreeMap<u32, &Node<'_>>>::new();
        for node in graph.nodes().iter().filter(|node| is_constant(node.op)) {
            let whole = part(node.name).filter(|(whole, _)| self.shape(whole).is_some());
            if self.shape(node.name).is_some() {
                entries.insert(Name::from(node.name), value(node));
            } else if let Some((whole, number)) = whole {
                parts.entry(whole).or_default().insert(number, node);
            } else if was_variable.contains(node.name) {
                entries.insert(Name::from(node.name), value(node));
            }
        }
        for (whole, parts) in parts {
            let shape = self.shape(whole).flatten();
            match shape.and_then(|shape| join_parts(parts.values().copied(), shape)) {
                Some(source) => {
                    entries.entry(Name::from(whole)).or_insert_with(|| Ok(Box::new(source)));
                }
                None => entries.extend(parts.values().map(|n| (Name::from(n.name), value(n)))),
            }
        }
        entries.into_iter().map(|(name, source)| Entry::new(name, source)).collect()
    }
}

/// The constant that a node reads if the node was left by freezing a variable.
fn frozen_variable<'m>(graph: &Graph<'m>, node: &Node<'m>) -> Option<&'m str> {
    let input = graph.inputs(node).first().filter(|_| node.op == "Identity")?;
    let source = graph.node(input.source?);
    let (scope, last) = node.name.rsplit_once('/').unwrap_or(("", node.name));
    let reads = last == "read" && scope == source.name || last.starts_with("ReadVariableOp");
    (reads && is_constant(source.op)).then_some(source.name)
}

/// `w` and 3 of `w/part_3`.
fn part(name: &str) -> Option<(&str, u32)> {
    let (whole, number) = name.rsplit_once("/part_")?;
    Some((whole, number.parse().ok()?))
}

fn constant(node: &Node<'_>) -> Result<Constant> {
    Constant::parse(node.attr("value").and_then(attrs::tensor).unwrap_or_default())
}

fn value(node: &Node<'_>) -> Result<Box<dyn TensorSource>> {
    let constant = constant(node).map_err(|error| error.of_tensor(&Name::from(node.name)))?;
    Ok(Box::new(constant))
}

/// Joins the parts of a partitioned variable along the one axis that fits `shape`.
fn join_parts<'n, 'm: 'n>(
    nodes: impl Iterator<Item = &'n Node<'m>>,
    shape: &Shape,
) -> Option<Partitioned> {
    let parts: Vec<Constant> = nodes.map(constant).collect::<Result<_>>().ok()?;
    let dtype =
        parts.first().filter(|first| parts.iter().all(|p| p.dtype() == first.dtype()))?.dtype();
    let axis = (0..shape.rank()).find(|&axis| {
        let along = |part: &Constant| part.shape().dims().get(axis).copied().unwrap_or_default();
        let sum = parts.iter().fold(0u64, |sum, part| sum.saturating_add(along(part)));
        let others = |dims: &[u64]| -> Vec<u64> {
            dims.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, dim)| *dim).collect()
        };
        shape.dims().get(axis) == Some(&sum)
            && parts.iter().all(|part| {
                part.shape().rank() == shape.rank()
                    && others(part.shape().dims()) == others(shape.dims())
            })
    })?;
    let mut start = 0i64;
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        let mut extents = Vec::with_capacity(shape.rank());
        for (at, dim) in part.shape().dims().iter().enumerate() {
            extents.push((if at == axis { start } else { 0 }, i64::try_from(*dim).ok()?));
        }
        start += i64::try_from(*part.shape().dims().get(axis)?).ok()?;
        all.push(StoredSlice { slice: Slice::new(&extents, shape).ok()?, source: Box::new(part) });
    }
    let joined = Partitioned::new(dtype, shape.clone(), all, std::path::PathBuf::new());
    joined.check().is_ok().then_some(joined)
}
