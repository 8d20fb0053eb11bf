//! Replaces files as a whole.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
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
        let old = match fs::metadata(path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        if let Some(old) = &old {
            if old.is_file() && OpenFile::at(path).is_some() {
                let why = "expected the path of a file, found an open file of a program";
                return Err(in_file(Error::usage(why)));
            }
            // A file that is not writable may not be replaced either; nor may a directory.
            let opened = OpenOptions::new().write(true).open(path).map_err(fail)?;
            if !old.is_file() {
                // Devices and pipes cannot be replaced.
                let mut out = BufWriter::new(opened);
                let done = write(&mut out).map_err(|error| error.in_file(path))?;
                return out.flush().map(|()| done).map_err(fail);
            }
        }
        let target = target(path);
        if self.0.iter().any(|(_, file)| resolved(file.target()) == resolved(&target)) {
            return Err(in_file(Error::usage("it is the path of two outputs")));
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
