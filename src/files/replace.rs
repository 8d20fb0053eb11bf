//! One file, replaced as a whole.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Existing, NewFile, Publication, cannot_write};
use crate::error::{Error, Result};

/// Writes a file under another name and moves it into place, so that what was there before is there until then. A link stays
/// one, and what it points at is replaced; devices and pipes are written to.
///
/// # Errors
/// What `write` says, or when it cannot be written; then there is no file, or the one that was there before.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let in_file = |error: Error| error.of_file(path);
    let fail = |error| in_file(cannot_write(error));
    let old = match fs::metadata(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
    };
    if let Some(old) = &old {
        // What may not be written may not be replaced either; a directory refuses.
        let opened = OpenOptions::new().write(true).open(path).map_err(fail)?;
        if !old.is_file() {
            // Devices and pipes cannot be replaced.
            let mut out = BufWriter::new(opened);
            let done = write(&mut out).map_err(|error| error.in_file(path))?;
            return out.flush().map(|()| done).map_err(fail);
        }
    }
    let mut new = NewFile::create(&place(path)).map_err(in_file)?;
    if let Some(old) = old {
        new.permit(old.permissions()).map_err(in_file)?;
    }
    let done = write(&mut new).map_err(|error| error.in_file(path))?;
    let mut publication = Publication::new(Existing::Replace);
    publication.add(new.complete().map_err(in_file)?);
    publication.publish().map_err(in_file)?;
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
