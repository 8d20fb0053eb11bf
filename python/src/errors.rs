//! Errors of the library as Python exceptions.

use std::io;
use std::path::Path;

use ckdiff::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// The exception for an error: a class of `ckdiff._errors`, with the place of the error in its attributes.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    of_class(py, class(error.kind()), error)
}

/// The exception for a tensor that a checkpoint does not have.
pub(crate) fn missing_tensor(py: Python<'_>, error: &Error) -> PyErr {
    of_class(py, "MissingTensorError", error)
}

fn of_class(py: Python<'_>, class: &str, error: &Error) -> PyErr {
    build(py, class, error).map_or_else(|failure| failure, PyErr::from_value)
}

/// The value of a result of the library, or the exception.
pub(crate) fn or_raise<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|error| exception(py, &error))
}

fn build<'py>(py: Python<'py>, class: &str, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("ckdiff._errors")?.getattr(class)?;
    let option = error.option().map(|option| format!("{option}: ")).unwrap_or_default();
    let message = format!("{option}{}", error.clone().without_option());
    let place = PyDict::new(py);
    place.set_item("file", error.file().map(Path::as_os_str))?;
    place.set_item("offset", error.offset())?;
    let to_str = py.import("ckdiff._names")?.getattr("to_str")?;
    let tensor = error.tensor().map(|name| to_str.call1((PyBytes::new(py, name.as_bytes()),)));
    place.set_item("tensor", tensor.transpose()?)?;
    if let ErrorKind::Io { source, .. } = error.kind() {
        place.set_item("errno", source.raw_os_error())?;
    }
    place.set_item("field", error.path())?;
    place.set_item("line", error.location().map(|location| location.line))?;
    place.set_item("column", error.location().map(|location| location.column))?;
    class.call((message,), Some(&place))
}

fn class(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound(_) => "NotFoundError",
        ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => "NotFoundError",
        ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            "PermissionDeniedError"
        }
        ErrorKind::Io { .. } => "FileError",
        ErrorKind::Usage(_) => "UsageError",
        _ => "Error",
    }
}
