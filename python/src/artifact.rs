//! Artifacts: what a path names, arrays, messages.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use ckdiff::artifact::{Artifact, Document, Form, ReadOptions};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::message::Message;
use ckdiff::schema::Schema;
use ckdiff::tensor::{DType, Name, Shape, Tensor, TensorSource};
use ckdiff::{Error, json, text};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array::Array;
use crate::chunks::Chunks;
use crate::errors::{missing_tensor, or_raise};
use crate::interrupt::interruptible;

/// Bytes that are read between two checks for signals; a multiple of every element size.
const STEP: usize = 4 << 20;

/// An open artifact.
#[pyclass(frozen, name = "Artifact", module = "ckdiff._ckdiff")]
pub(crate) struct PyArtifact(pub(crate) Arc<Artifact<'static>>);

/// A tensor: its name, dtype, shape and content.
#[derive(FromPyObject)]
pub(crate) struct Given(Vec<u8>, String, Vec<i64>, Content);

#[derive(FromPyObject)]
enum Content {
    Bytes(Py<PyArray1<u8>>),
    Strings(Vec<Vec<u8>>),
}

/// The name, dtype and shape of a tensor.
type Listed<'py> = (Bound<'py, PyBytes>, &'static str, Vec<u64>);

impl PyArtifact {
    fn new(artifact: Artifact<'static>) -> Self {
        Self(Arc::new(artifact))
    }

    fn checkpoint(&self, py: Python<'_>) -> PyResult<&Checkpoint> {
        or_raise(py, self.0.tensors("read"))
    }

    fn document(&self, py: Python<'_>) -> PyResult<&Document<'static>> {
        let none =
            || Error::usage("this is a checkpoint, expected a message").in_file(self.0.path());
        or_raise(py, self.0.message().ok_or_else(none))
    }

    fn tensor(&self, py: Python<'_>, name: &[u8]) -> PyResult<&dyn TensorSource> {
        let entry = self.checkpoint(py)?.tensor(name);
        let Some(entry) = entry else {
            // The error suggests similar names.
            let missing = self.checkpoint(py)?.get_tensor(name).err();
            return Err(missing.map_or_else(|| PyKeyError::new_err(()), |e| missing_tensor(py, &e)));
        };
        or_raise(py, entry.source.as_deref().map_err(Error::clone))
    }
}

#[pymethods]
impl PyArtifact {
    /// Opens a path; with `meta_graph`, also the meta graph of a checkpoint.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, meta_graph: bool) -> PyResult<Self> {
        let opened = interruptible(py, |_| {
            let artifact = Artifact::open(path)?;
            if meta_graph { artifact.with_meta_graph() } else { Ok(artifact) }
        })?;
        or_raise(py, opened).map(Self::new)
    }

    /// Opens two paths to compare; with `meta_graphs`, also the meta graphs of checkpoints.
    #[staticmethod]
    fn open_both(
        py: Python<'_>,
        lhs: PathBuf,
        rhs: PathBuf,
        meta_graphs: bool,
        threads: usize,
    ) -> PyResult<(Self, Self)> {
        let (lhs, rhs) = interruptible(py, |_| match meta_graphs {
            true => Artifact::open_both(&lhs, &rhs, threads),
            false => (Artifact::open(&lhs), Artifact::open(&rhs)),
        })?;
        Ok((or_raise(py, lhs).map(Self::new)?, or_raise(py, rhs).map(Self::new)?))
    }

    /// A checkpoint of these tensors. Reports call it `path`.
    #[staticmethod]
    fn of_arrays(py: Python<'_>, path: PathBuf, tensors: Vec<Given>) -> PyResult<Self> {
        let tensors: PyResult<Vec<_>> = tensors
            .iter()
            .map(|given| {
                let name = Name::from(&*given.0);
                let tensor = source(py, given).map_err(|error| error.of_tensor(&name));
                or_raise(py, tensor).map(|tensor| (name, tensor))
            })
            .collect();
        let checkpoint = Checkpoint::in_memory(path, tensors?);
        or_raise(py, checkpoint).map(|checkpoint| Self::new(checkpoint.into()))
    }

    /// Reads the message in a file, or the graphs of a SavedModel.
    #[staticmethod]
    fn read_message(
        py: Python<'_>,
        path: PathBuf,
        message: Option<String>,
        form: Option<&str>,
    ) -> PyResult<Self> {
        let options = or_raise(py, read_options(message, form))?;
        let read = interruptible(py, |_| Document::open(path, Schema::tensorflow(), &options))?;
        or_raise(py, read).map(|document| Self::new(document.into()))
    }

    /// Parses a message, which errors call `path`.
    #[staticmethod]
    fn parse_message(
        py: Python<'_>,
        bytes: &[u8],
        path: PathBuf,
        message: Option<String>,
        form: Option<&str>,
    ) -> PyResult<Self> {
        let options = or_raise(py, read_options(message, form))?;
        let read =
            interruptible(py, |_| Document::read(bytes, &path, Schema::tensorflow(), &options))?;
        or_raise(py, read).map(|document| Self::new(document.into()))
    }

    /// The path as it was given; for a directory with a state file, that of the latest checkpoint.
    #[getter]
    fn path(&self) -> &OsStr {
        self.0.path().as_os_str()
    }

    /// The kind in reports, such as `checkpoint`.
    #[getter]
    fn kind(&self) -> &str {
        self.0.kind().name()
    }

    /// The format of a checkpoint, or the form of a message.
    #[getter]
    fn format(&self) -> &str {
        self.0.format()
    }

    /// The name, dtype and shape of every tensor of known dtype and shape, by name.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Vec<Listed<'py>>> {
        let checkpoint = self.checkpoint(py)?;
        let (shapes, dtypes) = (checkpoint.shape_map(), checkpoint.dtype_map());
        let both = shapes.iter().zip(dtypes.values());
        Ok(both
            .map(|((name, shape), dtype)| {
                (PyBytes::new(py, name.as_bytes()), dtype.name(), shape.dims().to_vec())
            })
            .collect())
    }

    /// Whether a tensor has this name, readable or not.
    fn has_tensor(&self, py: Python<'_>, name: &[u8]) -> PyResult<bool> {
        Ok(self.checkpoint(py)?.has_tensor(name))
    }

    /// The names of all tensors, readable or not.
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let entries = self.checkpoint(py)?.tensors();
        Ok(entries.map(|entry| PyBytes::new(py, entry.name.as_bytes())).collect())
    }

    /// A line per tensor, as TensorFlow prints it.
    fn debug_string(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.checkpoint(py)?.debug_string())
    }

    /// The dtype and shape of a tensor that can be read.
    fn tensor_info(&self, py: Python<'_>, name: &[u8]) -> PyResult<(&str, Vec<u64>)> {
        let source = self.tensor(py, name)?;
        Ok((source.dtype().name(), source.shape().dims().to_vec()))
    }

    /// Reads a tensor of fixed-width elements into `out`, which has its size, and verifies its checksums.
    fn read_into(
        &self,
        py: Python<'_>,
        name: &[u8],
        out: &Bound<'_, PyArray1<u8>>,
    ) -> PyResult<()> {
        let source = self.tensor(py, name)?;
        let mut out = out.try_readwrite()?;
        let out = out.as_slice_mut()?;
        let mut stream = or_raise(py, source.stream())?;
        // The checksums are verified by the read that finds the end, which needs space too.
        let mut end = [0; 64];
        let (size, mut position) = (out.len(), 0);
        loop {
            let part = match out.get_mut(position..size.min(position + STEP)) {
                Some(part) if !part.is_empty() => part,
                _ => &mut end[..],
            };
            let read = py.detach(|| stream.read(part));
            match or_raise(py, read.map_err(|error| error.of_tensor(&name.into())))? {
                0 => break,
                read => position += read,
            }
            py.check_signals()?;
        }
        if position != size {
            let found = format!("{position} bytes");
            let error = Error::unexpected("content", found, format!("{size} bytes"));
            return or_raise(py, Err(error.of_tensor(&name.into())));
        }
        Ok(())
    }

    /// The content of a tensor of fixed-width elements, in arrays of at most `bytes` bytes.
    fn chunks(&self, py: Python<'_>, name: Vec<u8>, bytes: usize) -> PyResult<Chunks> {
        self.tensor(py, &name)?;
        Ok(Chunks::new(Arc::clone(&self.0), name, bytes))
    }

    /// Reads the elements of a tensor of strings.
    fn strings<'py>(&self, py: Python<'py>, name: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let checkpoint = self.checkpoint(py)?;
        let tensor = or_raise(py, py.detach(|| checkpoint.get_tensor(name)))?;
        let elements = tensor.byte_elements().unwrap_or_default();
        Ok(elements.into_iter().map(|element| PyBytes::new(py, element)).collect())
    }

    /// The full name of the message's type.
    #[getter]
    fn message_type(&self, py: Python<'_>) -> PyResult<&str> {
        Ok(&self.document(py)?.message().ty().full_name)
    }

    /// The message in binary form.
    fn to_binary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.document(py)?.message().bytes()))
    }

    /// The message as text.
    fn to_text(&self, py: Python<'_>, single_line: bool) -> PyResult<String> {
        let mut options = text::PrintOptions::new(text::Style::TensorFlow);
        options.single_line = single_line;
        self.print(py, |message, out| text::print(message, &options, out).map(drop))
    }

    /// The message as JSON.
    fn to_json(&self, py: Python<'_>, compact: bool, drop_unknown: bool) -> PyResult<String> {
        let mut options = json::PrintOptions::default();
        if compact {
            options.layout = json::Layout::Compact;
        }
        if drop_unknown {
            options.unknown = ckdiff::message::Unknown::Drop;
        }
        self.print(py, |message, out| json::print(message, &options, out).map(drop))
    }
}

impl PyArtifact {
    /// The text that `print` writes of the message.
    fn print(
        &self,
        py: Python<'_>,
        print: impl FnOnce(&Message<'_>, &mut Vec<u8>) -> Result<(), Error> + Send,
    ) -> PyResult<String> {
        let message = self.document(py)?.message();
        let printed = interruptible(py, |_| {
            let mut out = Vec::new();
            print(message, &mut out)?;
            String::from_utf8(out).map_err(|error| Error::usage(error.to_string()))
        })?;
        or_raise(py, printed)
    }
}

/// The tensor of an array, or of strings.
fn source(py: Python<'_>, given: &Given) -> Result<Box<dyn TensorSource>, Error> {
    let Given(_, dtype, shape, content) = given;
    let shape = Shape::new(shape)?;
    Ok(match content {
        Content::Strings(strings) => Box::new(Tensor::of_strings(shape, strings)?),
        Content::Bytes(content) => {
            let unknown = || Error::usage(format!("TensorFlow has no dtype {dtype}"));
            let dtype = DType::ALL.iter().copied().find(|known| known.name() == dtype);
            Box::new(Array::new(dtype.ok_or_else(unknown)?, shape, content.bind(py))?)
        }
    })
}

fn read_options(message: Option<String>, form: Option<&str>) -> Result<ReadOptions, Error> {
    let by_name = |name: &str| Form::ALL.into_iter().find(|form| form.option() == name);
    let unknown = || Error::usage("expected binary, text or json as the form");
    let form = form.map(|name| by_name(name).ok_or_else(unknown)).transpose()?;
    Ok(ReadOptions { message, form, ..ReadOptions::default() })
}
