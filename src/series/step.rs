//! A checkpoint of a series, and its comparison.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::drift::{Change, Drift, Tensor};
use super::member::Member;
use crate::diff::TensorRole;
use crate::error::Error;
use crate::summary::RoleMovement;

/// A checkpoint of a series.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Step {
    /// The path that opens it.
    pub path: PathBuf,
    /// The step of the training, if that is known.
    pub step: Option<i64>,
    /// The comparison with its baseline; `None` for the first baseline itself, and where there was none.
    pub drift: Option<Arc<Drift>>,
    /// Why the checkpoint, or some tensors of it or of its baseline, cannot be read.
    pub errors: Vec<Error>,
}

impl Step {
    /// A checkpoint that has not been compared.
    pub(super) fn new(member: &Member) -> Self {
        Self {
            path: member.path.clone(),
            step: member.step,
            drift: None,
            errors: member.error.iter().cloned().collect(),
        }
    }

    /// The last part of its path.
    pub fn name(&self) -> &Path {
        self.path.file_name().map_or(&*self.path, Path::new)
    }

    /// The movement of the tensors of a role.
    pub fn movement(&self, role: Option<TensorRole>) -> Option<&RoleMovement> {
        self.drift.as_ref()?.roles.iter().find(|of| of.role == role)
    }

    /// Whether no tensor could be compared, though there was something to compare with.
    pub fn is_unreadable(&self) -> bool {
        self.drift.is_none() && !self.errors.is_empty()
    }
}

/// Whether a tensor is a weight. An object graph has no role.
pub(super) fn is_weight(tensor: &Tensor) -> bool {
    tensor.role == Some(TensorRole::Weight)
}

/// Whether the values of a tensor were compared.
pub(super) fn is_compared(change: Change) -> bool {
    matches!(change, Change::Same | Change::Moved)
}
