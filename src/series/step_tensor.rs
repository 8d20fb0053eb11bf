//! The tensors that count the steps of a training.

use crate::checkpoint::Checkpoint;
use crate::limits::Limits;
use crate::tensor::{Kind, Scalar, Tensor};

/// The names of the tensors that count steps, the most reliable first. What TensorFlow 2 numbers its checkpoints by is the number of
/// saves, which says nothing about steps, so `save_counter` is not among them.
const NAMES: &[&str] = &[
    "global_step",
    "global_step/.ATTRIBUTES/VARIABLE_VALUE",
    "step/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/_iterations/.ATTRIBUTES/VARIABLE_VALUE",
    "optimizer/iterations/.ATTRIBUTES/VARIABLE_VALUE",
];

/// The largest content of a scalar in bytes.
const SCALAR: u64 = 16;

/// The values of the tensors of a checkpoint that count steps, by name.
pub(super) type StepValues = Vec<(&'static str, i64)>;

/// Reads the tensors of a checkpoint that count steps: integers, of one element. Those that cannot be read are left out.
pub(super) fn step_values(checkpoint: &Checkpoint) -> StepValues {
    if !checkpoint.has_data() {
        return Vec::new();
    }
    NAMES.iter().filter_map(|name| Some((*name, value(checkpoint, name)?))).collect()
}

fn value(checkpoint: &Checkpoint, name: &str) -> Option<i64> {
    let source = checkpoint.tensor(name)?.source.as_ref().ok()?;
    if source.shape().elements() != 1 || source.dtype().kind() != Kind::Integer {
        return None;
    }
    let limits = Limits { tensor_bytes: SCALAR, ..Limits::default() };
    let tensor = Tensor::read(&**source, &limits).ok()?;
    match tensor.dtype().scalars(tensor.content()).as_slice() {
        [Scalar::Integer(step)] => i64::try_from(*step).ok(),
        _ => None,
    }
}
