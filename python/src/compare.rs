//! Compares two artifacts.

use std::sync::Arc;

use ckdiff::checkpoint::Checkpoint;
use ckdiff::diff::diff;
use pyo3::prelude::*;

use crate::artifact::PyArtifact;
use crate::diff::PyDiff;
use crate::errors::or_raise;
use crate::interrupt::interruptible;
use crate::options::Options;

/// Bytes of an array that are copied at once: each time, the thread waits for the GIL, which another may keep for 5 ms.
const ARRAY_CHUNK: usize = 4 << 20;

/// Compares two artifacts; `lhs` is the baseline.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    lhs: &PyArtifact,
    rhs: &PyArtifact,
    options: Options,
) -> PyResult<PyDiff> {
    let (lhs, rhs) = (Arc::clone(&lhs.0), Arc::clone(&rhs.0));
    let is_in_memory =
        [&lhs, &rhs].iter().any(|side| side.checkpoint().is_some_and(Checkpoint::is_in_memory));
    let chunk_bytes = is_in_memory.then_some(ARRAY_CHUNK);
    let compared = interruptible(py, |stop| {
        let (of_diff, rules) = options.read(chunk_bytes)?;
        let diff = diff(&lhs, &rhs, &of_diff, stop)?;
        Ok(PyDiff::new(diff, rules, options.histogram))
    })?;
    or_raise(py, compared)
}
