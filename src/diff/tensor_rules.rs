//! The interface to rules that depend on the tensor.

use std::fmt;

use super::TensorDiff;
use super::graph_globs::GraphGlob;
use crate::compare::CompareOptions;

/// Chooses how each tensor is compared.
pub trait TensorRules: fmt::Debug + Send + Sync {
    /// How the values of `tensor` are compared: as `of_all`, except for the tolerance and the optional statistics. Of the tensor,
    /// names, role, dtypes and shapes are known.
    fn options(&self, tensor: &TensorDiff, of_all: &CompareOptions) -> CompareOptions;

    /// The globs of the rules for graphs. Those that match nothing are reported.
    fn graph_globs(&self) -> &[GraphGlob] {
        &[]
    }
}
