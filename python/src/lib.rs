//! The compiled part of the Python package `ckdiff`: the engine behind plain functions and classes. The Python code in
//! `python/ckdiff` gives them the form that Python users expect.
//!
//! Arrays come and go as arrays of bytes, with the name of the dtype and the shape: NumPy has no buffers for the types of
//! ml_dtypes, and this way all types are alike. Names of tensors are `bytes`, since a checkpoint may have names that are not UTF-8.

mod array;
mod artifact;
mod chunks;
mod compare;
mod diff;
mod errors;
mod interrupt;
mod options;
mod snapshot;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
mod _ckdiff {
    #[pymodule_export]
    use crate::artifact::PyArtifact;
    #[pymodule_export]
    use crate::chunks::Chunks;
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::diff::PyDiff;
    #[pymodule_export]
    use crate::snapshot::{check_snapshot, snapshot};

    use std::ffi::OsString;

    use pyo3::prelude::*;

    /// Runs the command with these arguments, the name of the program first, and returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| ckdiff::command::main(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
