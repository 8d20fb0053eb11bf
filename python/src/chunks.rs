//! The content of a tensor that is too large for memory.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ckdiff::Error;
use ckdiff::artifact::Artifact;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::or_raise;

type Chunk = Result<Vec<u8>, Error>;

/// The content of a tensor, chunk by chunk. A thread reads one chunk ahead, and ends when nobody takes it.
#[pyclass(frozen, module = "ckdiff._ckdiff")]
pub(crate) struct Chunks(Mutex<Receiver<Chunk>>);

impl Chunks {
    /// Reads a tensor of the artifact, at most `bytes` bytes at once, but at least 64.
    pub(crate) fn new(artifact: Arc<Artifact<'static>>, name: Vec<u8>, bytes: usize) -> Self {
        let (sender, receiver) = sync_channel(0);
        let bytes = bytes.max(64) / 64 * 64;
        thread::spawn(move || {
            if let Err(error) = read(&artifact, &name, bytes, &sender) {
                // Without a receiver, nobody wants the error.
                let _ = sender.send(Err(error.of_tensor(&(&*name).into())));
            }
        });
        Self(Mutex::new(receiver))
    }
}

#[pymethods]
impl Chunks {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u8>>>> {
        let receiver = &self.0;
        let chunk =
            py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok());
        chunk.map(|chunk| Ok(PyArray1::from_vec(py, or_raise(py, chunk)?))).transpose()
    }
}

/// Sends the content of a tensor. An error of its checksums comes after the last chunk.
fn read(
    artifact: &Artifact<'_>,
    name: &[u8],
    bytes: usize,
    sender: &SyncSender<Chunk>,
) -> Result<(), Error> {
    let checkpoint = artifact.tensors("read")?;
    let Some(entry) = checkpoint.tensor(name) else { return Ok(()) };
    let source = entry.source.as_deref().map_err(Error::clone)?;
    let size = usize::try_from(source.stored_bytes()).unwrap_or(usize::MAX);
    let step = bytes.min(size.max(1).next_multiple_of(64));
    let mut stream = source.stream()?;
    loop {
        let mut chunk = vec![0; step];
        let read = stream.read(&mut chunk)?;
        chunk.truncate(read);
        if read == 0 || sender.send(Ok(chunk)).is_err() {
            return Ok(());
        }
    }
}
