//! A file under another name, until it is complete.

use std::fs;
use std::io::{self, BufWriter, ErrorKind as IoErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::unfinished::{self, Registered};
use super::{cannot_write, folder, new_names, unnamed};
use crate::error::{Error, ErrorKind, Result};

/// Bytes that are gathered before the system is asked to write them.
const BUFFER: usize = 64 << 10;

/// A new file in the folder of its place; it is gone when it is dropped, or the program [abandons](super::abandon) it.
#[derive(Debug)]
pub struct NewFile {
    /// Dropped first, while it is still known what to remove.
    out: BufWriter<Unnamed>,
    registered: Registered,
    place: PathBuf,
}

impl NewFile {
    /// A new file that is to be at `place`.
    ///
    /// # Errors
    /// When its folder is missing or may not be written.
    pub fn create(place: &Path) -> Result<Self> {
        let folder = folder(place);
        let made = unfinished::register_file(|| new_file(folder));
        let (file, registered) = made.map_err(|error| match error.kind() {
            IoErrorKind::NotFound => {
                let kind = format!("there is no directory {}", folder.display());
                Error::from(ErrorKind::NotFound(kind)).in_file(place)
            }
            _ => cannot_write(unnamed(&error)).in_file(place),
        })?;
        let out = BufWriter::with_capacity(BUFFER, Unnamed(file));
        Ok(Self { out, registered, place: place.to_path_buf() })
    }

    /// Where it is to be.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Gives it the permissions of the file that it will replace.
    pub(super) fn permit(&mut self, permissions: fs::Permissions) -> Result<()> {
        let file = self.out.get_ref().0.as_file();
        file.set_permissions(permissions).map_err(|error| cannot_write(error).in_file(&self.place))
    }

    /// Has everything on disk, under the name that it has now.
    ///
    /// # Errors
    /// When the system cannot write it; then it is gone.
    pub fn complete(self) -> Result<Complete> {
        let Self { out, registered, place } = self;
        let fail = |error| cannot_write(error).in_file(&place);
        let Unnamed(file) = out.into_inner().map_err(|error| fail(error.into_error()))?;
        file.as_file().sync_all().map_err(fail)?;
        // Closed, so that of a thousand files not all are open.
        Ok(Complete { file: file.into_temp_path(), registered, place })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The file itself, so that errors do not tell of the name that it has meanwhile.
#[derive(Debug)]
struct Unnamed(NamedTempFile);

impl Write for Unnamed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_file_mut().flush()
    }
}

/// A file that is on disk in full, and not yet in its place.
#[derive(Debug)]
pub struct Complete {
    file: TempPath,
    registered: Registered,
    place: PathBuf,
}

impl Complete {
    /// The file `source` under another name, which is to be at `place`; a copy where the system has no links.
    ///
    /// # Errors
    /// When it can neither be linked nor copied.
    pub fn link(source: &Path, place: &Path) -> Result<Self> {
        // A link to a link would lead elsewhere from another folder.
        let real = source.canonicalize();
        let synced = real.and_then(|real| fs::File::open(&real)?.sync_all().map(|()| real));
        let source = &synced.map_err(|error| Error::io("open", error).in_file(source))?;
        let linked = unfinished::register_file(|| {
            new_names().make_in(folder(place), |new| fs::hard_link(source, new))
        });
        let Ok((file, registered)) = linked else {
            let mut copy = NewFile::create(place)?;
            let mut source_file =
                fs::File::open(source).map_err(|error| Error::io("open", error).in_file(source))?;
            io::copy(&mut source_file, &mut copy).map_err(|e| cannot_write(e).in_file(place))?;
            return copy.complete();
        };
        Ok(Self { file: file.into_temp_path(), registered, place: place.to_path_buf() })
    }

    /// Where it is to be.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Moves it to its place, or where `fresh` only if nothing is there; whoever calls holds off the end of the program, and
    /// drops what is returned after that.
    pub(super) fn persist(self, fresh: bool) -> (Registered, Result<()>) {
        let Self { file, registered, place } = self;
        let name = file.to_path_buf();
        let persisted = if fresh { file.persist_noclobber(&place) } else { file.persist(&place) };
        let done = persisted.map_err(|error| match error.error.kind() {
            IoErrorKind::AlreadyExists => super::publication::occupied(&place),
            _ => cannot_write(error.error).in_file(&place),
        });
        // Of two links to one file, moving one to the other leaves both.
        if done.is_ok() && name.symlink_metadata().is_ok() {
            let _ = fs::remove_file(name);
        }
        (registered, done)
    }
}

/// A new file under a name that nobody else takes.
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = new_names();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file; the user's mask is taken off.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
