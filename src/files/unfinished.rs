//! What is not complete yet, so that it can be cleared away when the program is ended.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The files that are not complete.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Nothing is begun, moved into place or abandoned while this is held.
pub(super) fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every file that is not complete, and lets nobody begin or complete another one: for a program that is about to
/// end, such as at a signal. What is just being moved into place gets there first.
///
/// Not for a signal handler itself, which may lock nothing, but for a thread that waits for signals.
pub fn abandon() {
    let unfinished = lock();
    for path in &*unfinished {
        // It may be gone already.
        let _ = std::fs::remove_file(path);
    }
    // Held until the end.
    std::mem::forget(unfinished);
}

/// While it lives, the file that was made for it is removed if the program is ended.
#[derive(Debug)]
pub(super) struct Registered(PathBuf);

impl Drop for Registered {
    fn drop(&mut self) {
        lock().remove(&self.0);
    }
}

/// Makes a file; from the moment it is there, it is known what to remove.
pub(super) fn register<F>(
    make: impl FnOnce() -> io::Result<NamedTempFile<F>>,
) -> io::Result<(NamedTempFile<F>, Registered)> {
    let mut unfinished = lock();
    let file = make()?;
    let path = file.path().to_path_buf();
    unfinished.insert(path.clone());
    Ok((file, Registered(path)))
}
