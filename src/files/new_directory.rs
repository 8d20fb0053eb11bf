//! A directory whose content appears in full or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::mark::{is_own, remove_leftovers};
use super::unfinished::{self, Registered};
use super::{cannot_write, directory_of, sync_directory, unnamed};
use crate::error::{Error, Result};

/// The permissions of a new directory.
const DIRECTORY_MODE: u32 = 0o777;

/// A new directory. It is removed if it is dropped, or the program [abandons](super::abandon) it.
///
/// If its target does not exist, the directory is renamed to it when complete. If the target is an empty directory, that keeps its
/// permissions, and the content is moved into it: directories first, then files, so that the part that makes the others valid must
/// be a file.
#[derive(Debug)]
pub struct NewDirectory {
    directory: TempDir,
    registered: Registered,
    target: PathBuf,
    /// Whether the target is an empty directory; then the temporary directory is inside it.
    fills: bool,
    /// The parent directories that were created.
    parents: NewParents,
}

impl NewDirectory {
    /// Creates a directory that will be published at `target`, which may be missing or an empty directory. Missing parents are created.
    ///
    /// # Errors
    /// If the target is anything else, or no directory can be created.
    pub fn create(target: &Path) -> Result<Self> {
        let fail = |error| cannot_write(error).in_file(target);
        // A relative path would change its meaning with the current directory.
        let absolute = std::path::absolute(target).map_err(fail)?;
        let fills = absolute.is_dir();
        if fills {
            remove_leftovers(&absolute);
        }
        check_empty(&absolute, None)?;
        let outer = if fills { absolute.as_path() } else { directory_of(&absolute) };
        let parents = NewParents::create(outer)?;
        let new = unfinished::register(outer, DIRECTORY_MODE, |names| {
            let new = names.builder().tempdir_in(outer)?;
            let path = new.path().to_path_buf();
            Ok((new, path))
        });
        let (directory, registered) = new.map_err(|error| fail(unnamed(&error)))?;
        Ok(Self { directory, registered, target: absolute, fills, parents })
    }

    /// The temporary path.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The path at which the directory will be published.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// An error about a file in the directory, with the path that the file will have at the target.
    pub fn at_target(&self, error: Error) -> Error {
        let inside = error.file().and_then(|file| file.strip_prefix(self.path()).ok());
        match inside.map(|inside| self.target.join(inside)) {
            Some(path) => error.of_file(&path),
            None => error,
        }
    }

    /// Moves the content to its target, after syncing it to disk.
    ///
    /// # Errors
    /// If the target is no longer missing or empty, or the content cannot be moved; then it is removed.
    pub fn publish(self) -> Result<()> {
        // Dropped in reverse order: the directory before its parents.
        let Self { parents, fills, target, registered, directory } = self;
        let guard = unfinished::lock();
        let entries = entries(directory.path())?;
        for (is_file, path) in &entries {
            if !is_file {
                sync_directory(path);
            }
        }
        sync_directory(directory.path());
        check_empty(&target, fills.then_some(directory.path()))?;
        if fills {
            fill(&target, &entries)?;
            // It is empty now.
            drop(directory);
        } else {
            let moved = fs::rename(directory.path(), &target);
            moved.map_err(|error| cannot_write(error).in_file(&target))?;
            // The temporary name is gone.
            let _ = directory.keep();
        }
        parents.keep();
        sync_directory(directory_of(&target));
        drop(guard);
        drop(registered);
        Ok(())
    }
}

/// The entries of a directory, directories before files.
fn entries(directory: &Path) -> Result<Vec<(bool, PathBuf)>> {
    let fail = |error| cannot_write(error).in_file(directory);
    let paths = fs::read_dir(directory).map_err(fail)?.map(|entry| entry.map(|entry| entry.path()));
    let paths = paths.map(|path| path.map(|path| (!path.is_dir(), path)));
    let mut entries = paths.collect::<io::Result<Vec<_>>>().map_err(fail)?;
    entries.sort();
    Ok(entries)
}

/// Moves `entries` into a directory, the last one after the others have been synced.
fn fill(directory: &Path, entries: &[(bool, PathBuf)]) -> Result<()> {
    for (at, (_, path)) in entries.iter().enumerate() {
        if at + 1 == entries.len() {
            sync_directory(directory);
        }
        let target = directory.join(path.file_name().unwrap_or_default());
        if let Err(error) = fs::rename(path, &target) {
            for (is_file, path) in entries.iter().take(at) {
                let moved = directory.join(path.file_name().unwrap_or_default());
                // The first error is reported, whatever happens here.
                let _ = if *is_file { fs::remove_file(moved) } else { fs::remove_dir_all(moved) };
            }
            return Err(cannot_write(error).in_file(&target));
        }
    }
    sync_directory(directory);
    Ok(())
}

/// Checks that `target` is missing, or a directory that contains nothing but `own`, an unfinished directory, and its mark.
fn check_empty(target: &Path, own: Option<&Path>) -> Result<()> {
    let is_other = |entry: io::Result<fs::DirEntry>| {
        let own = own.and_then(Path::file_name);
        entry.map_or(true, |entry| own.is_none_or(|own| !is_own(&entry.file_name(), own)))
    };
    match fs::read_dir(target).map(|mut entries| entries.any(is_other)) {
        Ok(false) => Ok(()),
        Ok(true) => {
            let kind = "this directory exists and is not empty; it is not replaced";
            Err(Error::usage(kind).in_file(target))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_write(error).in_file(target)),
    }
}

/// Directories that were created for a new one, and are removed again unless they are kept.
#[derive(Debug)]
struct NewParents(Vec<PathBuf>);

impl NewParents {
    /// Creates `path` and its parents, if they are missing.
    fn create(path: &Path) -> Result<Self> {
        let missing = path.ancestors().take_while(|path| path.symlink_metadata().is_err());
        let missing: Vec<_> = missing.map(Path::to_path_buf).collect();
        let mut parents = Self(Vec::new());
        for directory in missing.into_iter().rev() {
            match fs::create_dir(&directory) {
                Ok(()) => parents.0.push(directory),
                // Another program created it.
                Err(_) if directory.is_dir() => {}
                Err(error) => return Err(Error::io("create", error).in_file(&directory)),
            }
        }
        Ok(parents)
    }

    fn keep(mut self) {
        for directory in self.0.drain(..) {
            sync_directory(directory_of(&directory));
        }
    }
}

impl Drop for NewParents {
    fn drop(&mut self) {
        for directory in self.0.iter().rev() {
            // Another program may have put something there.
            let _ = fs::remove_dir(directory);
        }
    }
}
