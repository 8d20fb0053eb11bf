//! A checkpoint of a series, before it is compared.

use std::path::PathBuf;

use super::step_tensor::StepValues;
use crate::error::Error;

/// A checkpoint of a series.
#[derive(Debug, Clone)]
pub struct Member {
    /// The path that opens it.
    pub path: PathBuf,
    /// The step of the training at which it was written, if that is known.
    pub step: Option<i64>,
    /// The sizes of all tensors together.
    pub bytes: u64,
    /// Why it cannot be opened.
    pub error: Option<Error>,
}

/// A checkpoint that was found, before the order is known.
#[derive(Debug)]
pub(super) struct Found {
    /// The path that opens it.
    pub(super) path: PathBuf,
    /// Its place in a state file.
    pub(super) listed: Option<usize>,
    /// The values of its tensors that count steps.
    pub(super) values: StepValues,
    /// The sizes of all tensors together.
    pub(super) bytes: u64,
    /// Why it cannot be opened.
    pub(super) error: Option<Error>,
}
