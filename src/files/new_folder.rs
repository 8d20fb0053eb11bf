//! A folder whose content is there all at once, or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::unfinished::{self, Registered};
use super::{cannot_write, folder, new_names, sync_folder, unnamed};
use crate::error::{Error, ErrorKind, Result};

/// What is to be in a new folder; it is gone when it is dropped, or the program [abandons](super::abandon) it.
///
/// Where nothing is at its place, the folder gets its name when all is in it. An empty folder that is there already stays, with
/// its permissions, and is filled: folders first and files after them, so that what makes the others count belongs into a file.
#[derive(Debug)]
pub struct NewFolder {
    folder: TempDir,
    registered: Registered,
    place: PathBuf,
    /// Whether it is in the place that it is to fill.
    fills: bool,
    /// Folders that were made for it to be in.
    made: Made,
}

impl NewFolder {
    /// A new folder that is to be at `place`, where nothing is or an empty folder. The folders that it is to be in are made.
    ///
    /// # Errors
    /// When something else is there, or no folder can be made.
    pub fn create(place: &Path) -> Result<Self> {
        let fail = |error| cannot_write(error).in_file(place);
        // What is relative leads elsewhere when the program goes to another folder.
        let absolute = std::path::absolute(place).map_err(fail)?;
        check_empty(&absolute, None)?;
        let fills = absolute.is_dir();
        let outer = if fills { absolute.as_path() } else { folder(&absolute) };
        let made = Made::folders(outer)?;
        let new = unfinished::register(|| {
            let new = new_folder(outer)?;
            let path = new.path().to_path_buf();
            Ok((new, path))
        });
        let (folder, registered) = new.map_err(|error| fail(unnamed(&error)))?;
        Ok(Self { folder, registered, place: absolute, fills, made })
    }

    /// Where it is until then.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where it is to be.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// An error about something in it, told as if it were in its place already.
    pub fn in_place(&self, error: Error) -> Error {
        let inside = error.file().and_then(|file| file.strip_prefix(self.path()).ok());
        match inside.map(|inside| self.place.join(inside)) {
            Some(place) => error.of_file(&place),
            None => error,
        }
    }

    /// Moves all that is in it to its place; that is on disk by then.
    ///
    /// # Errors
    /// When something came to be there meanwhile, or it cannot be moved; then it is gone.
    pub fn publish(self) -> Result<()> {
        // Dropped the other way round: the folder before those that were made for it.
        let Self { made, fills, place, registered, folder } = self;
        let guard = unfinished::lock();
        let entries = entries(folder.path())?;
        for (is_file, path) in &entries {
            if !is_file {
                sync_folder(path);
            }
        }
        sync_folder(folder.path());
        check_empty(&place, fills.then_some(folder.path()))?;
        if fills {
            fill(&place, &entries)?;
            // Empty now.
            drop(folder);
        } else {
            let moved = fs::rename(folder.path(), &place);
            moved.map_err(|error| cannot_write(error).in_file(&place))?;
            // It is not there any more under that name.
            let _ = folder.keep();
        }
        made.keep();
        sync_folder(super::folder(&place));
        drop(guard);
        drop(registered);
        Ok(())
    }
}

/// What is in a folder, folders before files.
fn entries(folder: &Path) -> Result<Vec<(bool, PathBuf)>> {
    let fail = |error| cannot_write(error).in_file(folder);
    let paths = fs::read_dir(folder).map_err(fail)?.map(|entry| entry.map(|entry| entry.path()));
    let paths = paths.map(|path| path.map(|path| (!path.is_dir(), path)));
    let mut entries = paths.collect::<io::Result<Vec<_>>>().map_err(fail)?;
    entries.sort();
    Ok(entries)
}

/// Moves `entries` into a folder, the last one when all others are there for good.
fn fill(place: &Path, entries: &[(bool, PathBuf)]) -> Result<()> {
    for (at, (_, path)) in entries.iter().enumerate() {
        if at + 1 == entries.len() {
            sync_folder(place);
        }
        let target = place.join(path.file_name().unwrap_or_default());
        if let Err(error) = fs::rename(path, &target) {
            for (is_file, path) in entries.iter().take(at) {
                let moved = place.join(path.file_name().unwrap_or_default());
                // The error is what counts.
                let _ = if *is_file { fs::remove_file(moved) } else { fs::remove_dir_all(moved) };
            }
            return Err(cannot_write(error).in_file(&target));
        }
    }
    sync_folder(place);
    Ok(())
}

/// Whether nothing is at `place` but an empty folder, or one in which there is only `own`.
fn check_empty(place: &Path, own: Option<&Path>) -> Result<()> {
    let is_other = |entry: io::Result<fs::DirEntry>| {
        entry.map_or(true, |entry| own.and_then(Path::file_name) != Some(&entry.file_name()))
    };
    match fs::read_dir(place).map(|mut entries| entries.any(is_other)) {
        Ok(false) => Ok(()),
        Ok(true) => {
            let kind = "this folder is there already and is not empty; it is not replaced".into();
            Err(Error::from(ErrorKind::Usage(kind)).in_file(place))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_write(error).in_file(place)),
    }
}

/// A new folder in `outer` under a name that nobody else takes.
fn new_folder(outer: &Path) -> io::Result<TempDir> {
    let mut builder = new_names();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new folder; the user's mask is taken off.
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder.tempdir_in(outer)
}

/// Folders that go again, unless they are kept.
#[derive(Debug)]
struct Made(Vec<PathBuf>);

impl Made {
    /// Makes `path` and the folders that it is in, as far as they are missing.
    fn folders(path: &Path) -> Result<Self> {
        let missing = path.ancestors().take_while(|path| path.symlink_metadata().is_err());
        let missing: Vec<_> = missing.map(Path::to_path_buf).collect();
        let mut made = Self(Vec::new());
        for folder in missing.into_iter().rev() {
            match fs::create_dir(&folder) {
                Ok(()) => made.0.push(folder),
                // Somebody else was faster.
                Err(_) if folder.is_dir() => {}
                Err(error) => return Err(Error::io("make", error).in_file(&folder)),
            }
        }
        Ok(made)
    }

    fn keep(mut self) {
        for folder in self.0.drain(..) {
            sync_folder(super::folder(&folder));
        }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Somebody else may have put something there.
            let _ = fs::remove_dir(folder);
        }
    }
}
