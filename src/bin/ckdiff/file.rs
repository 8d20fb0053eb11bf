//! Files that are there in full or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ckdiff::{Error, ErrorKind};
use tempfile::{Builder, NamedTempFile};

use crate::interrupt::Unfinished;

/// Writes a file under another name and moves it into place, so that what was there before is there until then.
///
/// # Errors
/// What `write` says, or when it cannot be written; then there is no file, or the one that was there before.
pub(crate) fn replace<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    let in_file = |error: Error| error.in_file(path);
    let fail = |error| in_file(cannot_write(error));
    let old = match fs::metadata(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
    };
    if old.is_some() {
        // What may not be written may not be replaced either; a directory refuses.
        let opened = OpenOptions::new().write(true).open(path).map_err(fail)?;
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            // Devices and pipes cannot be replaced.
            let mut out = BufWriter::new(opened);
            let done = write(&mut out).map_err(in_file)?;
            return out.flush().map(|()| done).map_err(fail);
        }
    }
    let place = &place(path);
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut new = Unfinished::new(|| new_file(folder)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let kind = format!("there is no directory {}", folder.display());
            in_file(ErrorKind::NotFound(kind).into())
        }
        // Without the name that it would have had.
        kind => fail(kind.into()),
    })?;
    let done = fill(new.file(), old.as_ref(), write).map_err(in_file)?;
    new.persist(place).map_err(fail)?;
    sync(folder);
    Ok(done)
}

/// The file that `path` means: a link stays one, and what it points at is replaced, or made.
fn place(path: &Path) -> PathBuf {
    /// As many links as systems follow.
    const LINKS: usize = 40;
    let mut place = path.to_path_buf();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().map_or(target.clone(), |folder| folder.join(&target));
    }
    place
}

/// A new file under a name that nobody else takes; it is gone when it is dropped.
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".ckdiff-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file; the user's mask is taken off.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Fills a new file, which gets the permissions of the one that it will replace.
fn fill<T>(
    new: &mut File,
    old: Option<&Metadata>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    if let Some(old) = old {
        new.set_permissions(old.permissions()).map_err(cannot_write)?;
    }
    let mut out = BufWriter::with_capacity(64 << 10, new);
    let done = write(&mut out)?;
    let file = out.into_inner().map_err(|error| cannot_write(error.into_error()))?;
    file.sync_all().map(|()| done).map_err(cannot_write)
}

/// Makes the new name last through a crash.
fn sync(folder: &Path) {
    // Some folders may be written and not read, and some systems sync none: the file is in its place all the same.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Why nothing can be written.
pub(crate) fn cannot_write(error: io::Error) -> Error {
    Error::io("write", error)
}
