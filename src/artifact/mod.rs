//! What can be compared: a path is opened, and what is inside decides what it is.

use std::path::Path;

use crate::bytes::Limits;
use crate::checkpoint::Checkpoint;
use crate::error::Result;

/// Anything that ckdiff compares.
#[derive(Debug)]
#[non_exhaustive]
pub enum Artifact {
    /// Named tensors.
    Checkpoint(Checkpoint),
}

impl Artifact {
    /// Opens what `path` names; see [`Checkpoint::open`] for the forms of a checkpoint's path.
    ///
    /// # Errors
    /// When nothing is there, or it is nothing that ckdiff reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, &Limits::default())
    }

    /// Opens what `path` names, within `limits`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        Checkpoint::open_with(path, limits).map(Self::Checkpoint)
    }

    /// What it is, as reports call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Checkpoint(_) => "checkpoint",
        }
    }
}
