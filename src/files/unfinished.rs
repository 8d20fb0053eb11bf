//! What is not complete yet, so that it can be cleared away when the program is ended.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The files and folders that are not complete.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Nothing is begun, moved into place or abandoned while this is held.
pub(super) fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every file and folder that is not complete, and lets nobody begin or complete another one: for a program that is about to
/// end, such as at a signal. What is just being moved into place gets there first.
///
/// Not for a signal handler itself, which may lock nothing, but for a thread that waits for signals.
pub fn abandon() {
    let unfinished = lock();
    for path in &*unfinished {
        // It may be gone already.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    // Held until the end.
    std::mem::forget(unfinished);
}

/// While it lives, what was made for it is removed if the program is ended.
#[derive(Debug)]
pub(super) struct Registered(PathBuf);

impl Drop for Registered {
    fn drop(&mut self) {
        lock().remove(&self.0);
    }
}

/// Makes something at the path that `make` returns; from the moment it is there, it is known what to remove.
pub(super) fn register<T>(
    make: impl FnOnce() -> io::Result<(T, PathBuf)>,
) -> io::Result<(T, Registered)> {
    let mut unfinished = lock();
    let (made, path) = make()?;
    unfinished.insert(path.clone());
    Ok((made, Registered(path)))
}

/// As [`register`], of a file.
pub(super) fn register_file<F>(
    make: impl FnOnce() -> io::Result<NamedTempFile<F>>,
) -> io::Result<(NamedTempFile<F>, Registered)> {
    register(|| {
        let file = make()?;
        let path = file.path().to_path_buf();
        Ok((file, path))
    })
}
