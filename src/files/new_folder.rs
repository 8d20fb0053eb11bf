//! A folder under another name, until all that is to be in it is there.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::unfinished::{self, Registered};
use super::{cannot_write, folder, new_names, sync_folder};
use crate::error::{Error, ErrorKind, Result};

/// A new folder beside its place; it is gone when it is dropped, or the program [abandons](super::abandon) it.
#[derive(Debug)]
pub struct NewFolder {
    folder: TempDir,
    registered: Registered,
    place: PathBuf,
    /// Folders that were made for it to be in, the outermost first.
    made: Made,
}

impl NewFolder {
    /// A new folder that is to be at `place`, where nothing is or an empty folder. The folders that it is to be in are made.
    ///
    /// # Errors
    /// When something is there, or no folder can be made.
    pub fn create(place: &Path) -> Result<Self> {
        // Of a link, and of a folder that has no name of its own, such as `.`, the real one is replaced.
        let place = match place.symlink_metadata() {
            Ok(_) => place.canonicalize().map_err(|error| cannot_write(error).in_file(place))?,
            Err(_) => place.to_path_buf(),
        };
        check(&place)?;
        let outer = folder(&place).to_path_buf();
        let made = Made::folders(&outer)?;
        let folder = unfinished::register(|| {
            let new = new_folder(&outer)?;
            let path = new.path().to_path_buf();
            Ok((new, path))
        });
        let (folder, registered) = folder.map_err(|error| cannot_write(error).in_file(&place))?;
        Ok(Self { folder, registered, place, made })
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

    /// Moves it to its place with all that is in it, which is on disk by then.
    ///
    /// # Errors
    /// When something came to be there meanwhile, or it cannot be moved; then it is gone.
    pub fn publish(self) -> Result<()> {
        // Dropped the other way round: the folder before those that were made for it.
        let Self { made, place, registered, folder } = self;
        let fail = |error| cannot_write(error).in_file(&place);
        for entry in fs::read_dir(folder.path()).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.is_dir() {
                sync_folder(&path);
            }
        }
        sync_folder(folder.path());
        let guard = unfinished::lock();
        check(&place)?;
        fs::rename(folder.path(), &place).map_err(fail)?;
        // It is not there any more under that name.
        let _ = folder.keep();
        made.keep();
        sync_folder(super::folder(&place));
        drop(guard);
        drop(registered);
        Ok(())
    }
}

/// Whether nothing is at `place` but an empty folder.
fn check(place: &Path) -> Result<()> {
    if place.file_name().is_none() {
        let kind = "a new folder wants a name".into();
        return Err(Error::from(ErrorKind::Usage(kind)).in_file(place));
    }
    match fs::read_dir(place).map(|mut entries| entries.next().is_some()) {
        Ok(false) => Ok(()),
        Ok(true) => {
            let kind = "this folder is there already and is not empty; it is not replaced".into();
            Err(Error::from(ErrorKind::Usage(kind)).in_file(place))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_write(error).in_file(place)),
    }
}

/// A new folder in `outer` under a name that nobody else takes.
fn new_folder(outer: &Path) -> std::io::Result<TempDir> {
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
        let missing = path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && path.symlink_metadata().is_err());
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
