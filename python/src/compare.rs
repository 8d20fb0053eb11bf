//! Compares two artifacts.

use std::sync::Arc;

use ckdiff::diff::diff;
use pyo3::prelude::*;

use crate::artifact::PyArtifact;
use crate::diff::PyDiff;
use crate::errors::or_raise;
use crate::interrupt::interruptible;
use crate::options::Options;

/// Compares two artifacts; `lhs` is the baseline.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    lhs: &PyArtifact,
    rhs: &PyArtifact,
    options: Options,
) -> PyResult<PyDiff> {
    let (lhs, rhs) = (Arc::clone(&lhs.0), Arc::clone(&rhs.0));
    let compared = interruptible(py, |stop| {
        let (of_diff, rules) = options.read()?;
        let diff = diff(&lhs, &rhs, &of_diff, stop)?;
        Ok(PyDiff::new(diff, rules, options.histogram))
    })?;
    or_raise(py, compared)
}
