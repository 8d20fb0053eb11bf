//! Snapshots of the structure of models.

use std::path::PathBuf;

use ckdiff::snapshot::{self as snapshots, parse, text};
use pyo3::prelude::*;

use crate::artifact::PyArtifact;
use crate::diff::PyDiff;
use crate::errors::or_raise;
use crate::interrupt::interruptible;
use crate::options::Options;

/// The text of a model's structure.
#[pyfunction]
pub(crate) fn snapshot(py: Python<'_>, artifact: &PyArtifact) -> PyResult<String> {
    or_raise(py, interruptible(py, |_| text(&artifact.0))?)
}

/// Compares a model with the text of a snapshot, which errors call `path`.
#[pyfunction]
pub(crate) fn check_snapshot(
    py: Python<'_>,
    text: &[u8],
    path: PathBuf,
    artifact: &PyArtifact,
    options: Options,
) -> PyResult<PyDiff> {
    let checked = interruptible(py, |_| {
        let (of_diff, rules) = options.read(None)?;
        let saved = parse(text).map_err(|error| error.in_file(&path))?;
        let diff = snapshots::check(&saved, &path, &artifact.0, &of_diff)?;
        Ok(PyDiff::new(diff, rules, options.histogram))
    })?;
    or_raise(py, checked)
}
