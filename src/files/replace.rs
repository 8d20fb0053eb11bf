//! Replaces files as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{
    CompleteFile, DirectoryLock, IfExists, NewFile, OpenFile, Publication, cannot_write,
    directory_of, resolved,
};
use crate::error::{Error, Result};

/// Replaces one file; see [`Replacement`].
///
/// # Errors
/// The error of `write`, or if the file cannot be written; then an existing file is unchanged.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let mut files = Replacement::default();
    let done = files.write(path, write)?;
    files.publish()?;
    Ok(done)
}

/// New files that replace others together. Each is written under a temporary name and renamed when all are complete, so that the
/// existing files stay until then.
#[derive(Debug, Default)]
pub struct Replacement(Vec<(PathBuf, CompleteFile)>);

impl Replacement {
    /// Writes one of the files. If the path is a symbolic link, its target is replaced; devices and pipes are written to
    /// directly.
    ///
    /// # Errors
    /// The error of `write`, or if the file cannot be written, or is another one of the new files under the same or another path.
    pub fn write<T>(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> Result<T>,
    ) -> Result<T> {
        let in_file = |error: Error| error.of_file(path);
        let fail = |error| in_file(cannot_write(error));
        let old = existing(path).map_err(in_file)?;
        if old.is_some_and(|old| !old.is_file()) {
            // Devices and pipes cannot be replaced.
            let opened = OpenOptions::new().write(true).open(path).map_err(fail)?;
            let mut out = BufWriter::new(opened);
            let done = write(&mut out).map_err(|error| error.in_file(path))?;
            return out.flush().map(|()| done).map_err(fail);
        }
        let target = target(path);
        if self.0.iter().any(|(_, file)| resolved(file.target()) == resolved(&target)) {
            return Err(in_file(written_twice()));
        }
        let mut new = NewFile::create(&target).map_err(in_file)?;
        let done = write(&mut new).map_err(|error| error.in_file(path))?;
        self.0.push((path.to_path_buf(), new.complete().map_err(in_file)?));
        Ok(done)
    }

    /// Moves the files to their places, in the order in which they were written.
    ///
    /// # Errors
    /// If one cannot be moved; then it and those after it are unchanged.
    pub fn publish(self) -> Result<()> {
        // Two files of one program belong together.
        let directory = self.0.get(1).map(|(_, file)| directory_of(file.target()).to_path_buf());
        let _lock = directory.map(|directory| DirectoryLock::acquire(&directory)).transpose()?;
        let mut publication = Publication::new(IfExists::Replace);
        let mut paths = BTreeMap::new();
        for (path, file) in self.0 {
            paths.insert(file.target().to_path_buf(), path);
            publication.add(file);
        }
        // The path that the caller gave may be a link to the target.
        publication.publish().map_err(|error| match error.file().and_then(|at| paths.get(at)) {
            Some(path) => error.of_file(path),
            None => error,
        })
    }
}

/// Checks that [`Replacement::write`] can write to each of these paths, as far as the system tells without writing. Nothing is created
/// or changed, and no pipe is opened.
///
/// # Errors
/// If a file cannot be written, or two paths lead to one file.
pub fn check_writable<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    let mut targets = BTreeSet::new();
    for path in paths {
        let in_file = |error: Error| error.of_file(path);
        if existing(path).map_err(in_file)?.is_some_and(|old| !old.is_file()) {
            continue;
        }
        let target = target(path);
        drop(NewFile::create(&target).map_err(in_file)?);
        if !targets.insert(resolved(&target)) {
            return Err(in_file(written_twice()));
        }
    }
    Ok(())
}

/// The kind of file at a path that may be written: a regular file, a device or a pipe.
fn existing(path: &Path) -> Result<Option<Metadata>> {
    let old = match fs::metadata(path) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot_write(error)),
    };
    if old.is_file() && OpenFile::at(path).is_some() {
        let why = "expected the path of a file, found an open file of a program";
        return Err(Error::usage(why));
    }
    if old.is_file() || old.is_dir() {
        // A file that is not writable may not be replaced either; nor may a directory.
        OpenOptions::new().write(true).open(path).map_err(cannot_write)?;
    }
    Ok(Some(old))
}

/// The error for two outputs in one file.
fn written_twice() -> Error {
    Error::usage("it is the path of two outputs")
}

/// The file to replace or create: `path` itself, or the end of a chain of symbolic links.
fn target(path: &Path) -> PathBuf {
    /// The number of links that operating systems follow.
    const LINKS: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&target) else { break };
        target = target.parent().map_or(next.clone(), |directory| directory.join(&next));
    }
    target
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_link_that_was_given() {
        let directory = tempfile::tempdir().unwrap();
        let [target, link] = ["target", "link"].map(|name| directory.path().join(name));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let mut files = Replacement::default();
        let write = |out: &mut dyn Write| out.write_all(b"new").map_err(cannot_write);
        files.write(&link, write).unwrap();
        fs::remove_file(&target).unwrap();
        fs::create_dir(&target).unwrap();
        assert_eq!(files.publish().unwrap_err().file(), Some(&*link));
    }
}
