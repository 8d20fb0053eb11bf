//! Work without the GIL that Ctrl-C ends.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ckdiff::Error;
use ckdiff::progress::Progress;
use pyo3::prelude::*;

/// How long a signal waits for its handler at most.
const INTERVAL: Duration = Duration::from_millis(20);

/// Whether work is to end.
#[derive(Debug, Default)]
pub(crate) struct Stop(AtomicBool);

impl Progress for Stop {
    fn total(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn check(&self) -> Result<(), Error> {
        match self.0.load(Ordering::Relaxed) {
            true => Err(Error::io("read", io::ErrorKind::Interrupted.into())),
            false => Ok(()),
        }
    }
}

/// Runs `work` without the GIL, on another thread. Meanwhile this thread calls the handlers of signals: if one raises an exception, as
/// Ctrl-C does on the main thread, the work ends early.
///
/// # Errors
/// The exception of the handler.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> T + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    let (done, raised) = py.detach(|| {
        thread::scope(|scope| {
            let (sender, finished) = mpsc::channel::<()>();
            let worker = scope.spawn(|| {
                // Dropped at the end of the work, however it ends.
                let _sender = sender;
                work(&stop)
            });
            let mut raised = None;
            while finished.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = Python::attach(|py| py.check_signals()).err();
                    stop.0.store(raised.is_some(), Ordering::Relaxed);
                }
            }
            (worker.join(), raised)
        })
    });
    match (raised, done) {
        (Some(exception), _) => Err(exception),
        (None, Ok(done)) => Ok(done),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}
