//! The files that mark a directory while a program has unfinished files in it.
//!
//! ```text
//! .ckdiff-TOKEN.lock          the mark: empty, and locked by the program as long as it runs
//! .ckdiff-TOKEN-RANDOM.tmp    its unfinished files and directories
//! ```
//! A mark that is not locked belongs to a program that was killed, and so do the unfinished files with its token.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::names_in;

const PREFIX: &str = ".ckdiff-";
const MARK: &str = ".lock";
const UNFINISHED: &str = ".tmp";

/// A mark of this program. The file is removed when the mark is dropped.
#[derive(Debug)]
pub(super) struct Mark {
    token: String,
    path: PathBuf,
    // Keeps the lock.
    _file: File,
}

impl Mark {
    /// Marks `directory`.
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        loop {
            let new =
                tempfile::Builder::new().prefix(PREFIX).suffix(MARK).tempfile_in(directory)?;
            let (file, path) = new.keep().map_err(|error| error.error)?;
            match file.try_lock() {
                // Another program, which found the mark before it was locked, removes it.
                Err(TryLockError::WouldBlock) => continue,
                Ok(()) if path.symlink_metadata().is_err() => continue,
                // Without locks, nobody can tell live marks from stale ones, so nothing is removed.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let token = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(MARK));
            return Ok(Self { token: token.unwrap_or_default().to_owned(), path, _file: file });
        }
    }

    /// The names of unfinished files and directories. Their permissions are `mode` less the umask, as for any new file or directory.
    pub(super) fn names(&self, mode: u32) -> Names {
        Names { prefix: format!("{PREFIX}{}-", self.token), mode }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Temporary names with the token of a mark.
pub(super) struct Names {
    prefix: String,
    mode: u32,
}

impl Names {
    pub(super) fn builder(&self) -> tempfile::Builder<'_, 'static> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(&self.prefix).suffix(UNFINISHED);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(self.mode));
        #[cfg(not(unix))]
        let _ = self.mode;
        builder
    }
}

/// Whether an entry of a directory is the unfinished directory `own`, or the mark of the program that writes it.
pub(super) fn is_own(entry: &OsStr, own: &OsStr) -> bool {
    let mark = entry.to_str().and_then(|name| name.strip_suffix(MARK));
    let of_mark = |token| own.to_str().and_then(|own| own.strip_prefix(token)?.chars().next());
    entry == own || mark.and_then(of_mark) == Some('-')
}

/// Removes the unfinished files and the marks of programs that were killed. What cannot be removed stays.
pub(super) fn remove_leftovers(directory: &Path) {
    let own = |name: &String| name.starts_with(PREFIX);
    let names: Vec<String> = names_in(directory).filter(own).collect();
    for mark in &names {
        let Some(token) = mark.strip_suffix(MARK) else { continue };
        let path = directory.join(mark);
        let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let Some(file) = is_file.then(|| File::open(&path).ok()).flatten() else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        let unfinished = names.iter().filter(|name| {
            let rest = name.strip_prefix(token).and_then(|rest| rest.strip_prefix('-'));
            rest.is_some_and(|rest| rest.ends_with(UNFINISHED))
        });
        unfinished.for_each(|name| super::remove(&directory.join(name)));
        // Last, and still locked: the mark says whose files they are.
        let _ = fs::remove_file(&path);
    }
}
