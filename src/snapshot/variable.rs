//! The variables of a checkpoint: name, dtype, shape and role.

use crate::checkpoint::Checkpoint;
use crate::diff::{TensorRole, described_tensors};
use crate::error::Result;
use crate::graph::object_graph;
use crate::tensor::{Facts, Name};

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
