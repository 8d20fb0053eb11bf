//! The list of unfinished files and directories, which are removed if the program is terminated.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The paths of the unfinished files and directories.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Locks the list. No file is created, published or abandoned while the lock is held.
pub(super) fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every unfinished file and directory, and blocks the creation and publication of others. For a program that is about to
/// exit, such as at a signal. A publication that has started is completed first.
///
/// Call this from a thread that waits for signals, not from a signal handler, which may not lock a mutex.
pub fn abandon() {
    let unfinished = lock();
    for path in &*unfinished {
        // It may have been removed already.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    // Keeps the lock until the program exits.
    std::mem::forget(unfinished);
}

/// The registration of an unfinished file or directory; ends when dropped.
#[derive(Debug)]
pub(super) struct Registered(PathBuf);

impl Drop for Registered {
    fn drop(&mut self) {
        lock().remove(&self.0);
    }
}

/// Creates a file or directory with `make`, which returns its path, and registers it under the same lock.
pub(super) fn register<T>(
    make: impl FnOnce() -> io::Result<(T, PathBuf)>,
) -> io::Result<(T, Registered)> {
    let mut unfinished = lock();
    let (made, path) = make()?;
    unfinished.insert(path.clone());
    Ok((made, Registered(path)))
}

/// [`register`] for a temporary file.
pub(super) fn register_file<F>(
    make: impl FnOnce() -> io::Result<NamedTempFile<F>>,
) -> io::Result<(NamedTempFile<F>, Registered)> {
    register(|| {
        let file = make()?;
        let path = file.path().to_path_buf();
        Ok((file, path))
    })
}
