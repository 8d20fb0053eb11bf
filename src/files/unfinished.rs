//! The list of unfinished files and directories, which are removed if the program is terminated.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use super::mark::{Mark, Names, remove_leftovers};

/// The unfinished files and directories of this program.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    paths: BTreeSet::new(),
    marks: BTreeMap::new(),
    swept: BTreeSet::new(),
});

/// The paths of unfinished files and directories, and the marks of the directories that contain any.
#[derive(Debug)]
pub(super) struct Unfinished {
    paths: BTreeSet<PathBuf>,
    marks: BTreeMap<PathBuf, (usize, Mark)>,
    /// The directories that were searched for leftovers of programs that were killed. Once is enough: a listing takes long where
    /// thousands of files are written one after the other.
    swept: BTreeSet<PathBuf>,
}

/// Locks the list. No file is created, published or abandoned while the lock is held.
pub(super) fn lock() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every unfinished file and directory, and blocks the creation and publication of others. For a program that is about to
/// exit, such as at a signal. A publication that has started is completed first.
///
/// Call this from a thread that waits for signals, not from a signal handler, which may not lock a mutex.
pub fn abandon() {
    let mut unfinished = lock();
    unfinished.paths.iter().for_each(|path| super::remove(path));
    unfinished.marks.clear();
    // Keeps the lock until the program exits.
    std::mem::forget(unfinished);
}

/// The registration of an unfinished file or directory; ends when dropped.
#[derive(Debug)]
pub(super) struct Registered {
    path: PathBuf,
    directory: PathBuf,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut unfinished = lock();
        unfinished.paths.remove(&self.path);
        if let Some((uses, _)) = unfinished.marks.get_mut(&self.directory) {
            *uses -= 1;
            if *uses == 0 {
                unfinished.marks.remove(&self.directory);
            }
        }
    }
}

/// Creates a file or directory in `directory` with `make`, which returns its path, and registers it under the same lock.
pub(super) fn register<T>(
    directory: &Path,
    mode: u32,
    make: impl FnOnce(&Names) -> io::Result<(T, PathBuf)>,
) -> io::Result<(T, Registered)> {
    let mut unfinished = lock();
    let names = match unfinished.marks.get(directory) {
        Some((_, mark)) => mark.names(mode),
        None => {
            if unfinished.swept.insert(directory.to_path_buf()) {
                remove_leftovers(directory);
            }
            let mark = Mark::create(directory)?;
            let names = mark.names(mode);
            unfinished.marks.insert(directory.to_path_buf(), (0, mark));
            names
        }
    };
    let made = make(&names);
    if let Some((uses, _)) = unfinished.marks.get_mut(directory) {
        *uses += 1;
    }
    let path = made.as_ref().map(|(_, path)| path.clone()).unwrap_or_default();
    unfinished.paths.insert(path.clone());
    drop(unfinished);
    // Dropped at once if nothing was made.
    let registered = Registered { path, directory: directory.to_path_buf() };
    Ok((made?.0, registered))
}

/// [`register`] for a temporary file.
pub(super) fn register_file<F>(
    directory: &Path,
    mode: u32,
    make: impl FnOnce(&Names) -> io::Result<NamedTempFile<F>>,
) -> io::Result<(NamedTempFile<F>, Registered)> {
    register(directory, mode, |names| {
        let file = make(names)?;
        let path = file.path().to_path_buf();
        Ok((file, path))
    })
}
