//! The variables of a model, with name, dtype, shape and role: those of its checkpoint, or those that its graphs declare.

use std::collections::BTreeMap;
use std::path::Path;

use crate::checkpoint::Checkpoint;
use crate::diff::{TensorRole, described_tensors};
use crate::error::Result;
use crate::graph::{VariableKind, object_graph};
use crate::schema::tensorflow::{GraphDef, NodeDef, TensorShapeProto, attr_value};
use crate::tensor::{DType, Facts, Name, Shape};

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    /// The name that it was created with, if no other has it; else its key.
    pub(super) name: Name,
    pub(super) facts: Facts,
    pub(super) role: TensorRole,
}

/// The variables of a checkpoint, by name, each once; without its object graph.
///
/// # Errors
/// If the index is damaged, or a tensor cannot be read.
pub(super) fn of_checkpoint(checkpoint: &Checkpoint) -> Result<Vec<Variable>> {
    if let Some(damage) = checkpoint.damage().first() {
        return Err(damage.clone());
    }
    let mut variables = Vec::new();
    for described in described_tensors(checkpoint) {
        if described.entry.name.as_bytes() == object_graph::KEY.as_bytes() {
            continue;
        }
        let source = described.entry.source.as_ref().map_err(Clone::clone)?;
        let name = described.full_name.unwrap_or_else(|| described.entry.name.clone());
        variables.push(Variable {
            name,
            facts: Facts::of(source.as_ref()),
            role: described.role.unwrap_or(TensorRole::Weight),
        });
    }
    variables.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(variables)
}

/// A variable that a node of a graph declares.
#[derive(Debug)]
pub(super) struct DeclaredVariable<'a> {
    /// The name of the node.
    pub(super) name: &'a str,
    /// `None` if the node has no dtype, or one that TensorFlow does not have.
    pub(super) dtype: Option<DType>,
    /// `None` if the node has no shape.
    pub(super) shape: Option<&'a TensorShapeProto>,
    /// As the names and shapes of the variables suggest.
    pub(super) role: TensorRole,
}

/// The variables that the nodes of graphs declare, by name, each once.
///
/// # Errors
/// None that an input can cause; see [`Checkpoint::of_facts`].
pub(super) fn of_graphs<'a>(
    graphs: impl Iterator<Item = &'a GraphDef>,
) -> Result<Vec<DeclaredVariable<'a>>> {
    let nodes = graphs.flat_map(|graph| &graph.node);
    let nodes = nodes.filter(|node| VariableKind::of_op(&node.op).is_some());
    let declared = nodes.map(|node| (&*node.name, (dtype(node), shape(node))));
    let declared: BTreeMap<_, _> = declared.collect();
    let known = declared.iter().filter_map(|(&name, &(dtype, shape))| {
        let shape = shape.filter(|shape| !shape.unknown_rank)?;
        let dims: Vec<i64> = shape.dim.iter().map(|dim| dim.size).collect();
        let facts = Facts { dtype: dtype?, shape: Shape::new(&dims).ok()? };
        Some((Name::from(name), facts))
    });
    let roles = of_checkpoint(&Checkpoint::of_facts(Path::new(""), known.collect())?)?;
    let role = |name: &str| {
        let name = Name::from(name);
        let at = roles.binary_search_by(|row| row.name.cmp(&name)).ok();
        at.and_then(|at| roles.get(at)).map_or(TensorRole::Weight, |row| row.role)
    };
    let declared = declared.into_iter();
    Ok(declared
        .map(|(name, (dtype, shape))| DeclaredVariable { name, dtype, shape, role: role(name) })
        .collect())
}

fn dtype(node: &NodeDef) -> Option<DType> {
    match node.attr.get("dtype")?.value.as_ref()? {
        attr_value::Value::Type(code) => DType::from_code(*code),
        _ => None,
    }
}

fn shape(node: &NodeDef) -> Option<&TensorShapeProto> {
    match node.attr.get("shape")?.value.as_ref()? {
        attr_value::Value::Shape(shape) => Some(shape),
        _ => None,
    }
}
