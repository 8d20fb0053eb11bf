//! From written files to a checkpoint that is there.

use std::fs;
use std::path::{Path, PathBuf};

use super::backup::{self, Backup};
use super::state::BackupEntry;
use super::{Format, format};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{Complete, Existing, Publication, already_exists, folder};

/// Whether a checkpoint may be written to `path`, before any work is done.
pub(super) fn check_place(path: &Path, format: &Format, existing: Existing) -> Result<()> {
    let spelled = path.as_os_str().as_encoded_bytes();
    if path.file_name().is_none() || spelled.ends_with(b"/") {
        let kind = "a checkpoint wants a name: what the names of its files start with";
        return Err(Error::from(ErrorKind::Usage(kind.into())).in_file(path));
    }
    check_folder(path)?;
    if existing == Existing::Refuse && format::names_one(path) {
        return Err(already_exists(path));
    }
    check_places(path, (format.files)(path).iter())
}

/// Whether there is the folder that `path` is to be in.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    let folder = folder(path);
    if folder.is_dir() {
        return Ok(());
    }
    let kind = format!("there is no directory {}", folder.display());
    Err(Error::from(ErrorKind::NotFound(kind)).in_file(path))
}

/// Whether what is at `places` is the checkpoint `path` or nothing, and no file of something else.
fn check_places<'p>(path: &Path, mut places: impl Iterator<Item = &'p PathBuf>) -> Result<()> {
    let old = format::files_of(path);
    match places.find(|place| place.symlink_metadata().is_ok() && !old.contains(place)) {
        Some(place) => {
            let kind = "a file is there that is no checkpoint; it is not replaced".into();
            Err(Error::from(ErrorKind::Usage(kind)).in_file(place))
        }
        None => Ok(()),
    }
}

/// Moves the files of the checkpoint `path` into place; the one that makes the others count is the last.
///
/// Until a checkpoint that is replaced is there again, it is kept under another name, which the state file `state` has for it
/// where it names it: so at any moment, and after a crash, the latest checkpoint is whole.
///
/// # Errors
/// When a file cannot be moved; then what was there before is there again.
pub(crate) fn publish(
    path: &Path,
    existing: Existing,
    files: Vec<Complete>,
    state: &Path,
) -> Result<()> {
    let places: Vec<_> = files.iter().map(|file| file.target().to_path_buf()).collect();
    let mut publication = Publication::new(existing);
    files.into_iter().for_each(|file| publication.add(file));
    if existing == Existing::Refuse {
        return publication.publish();
    }
    check_places(path, places.iter())?;
    let old = format::files_of(path);
    let backup = Backup::make(path)?;
    let entry = match BackupEntry::set(state, path, backup.as_ref().map(Backup::path)) {
        Ok(entry) => entry,
        Err(error) => return backup::clear(path).and(Err(error)),
    };
    if let [.., _, index] = places.as_slice() {
        // Data of the one under the index of the other would be damage; without an index there is no checkpoint.
        let _ = fs::remove_file(index);
    }
    if let Err(error) = publication.publish() {
        if let Some(backup) = backup {
            backup.restore()?;
            entry.undo()?;
            backup::clear(path)?;
        }
        return Err(error);
    }
    // Shards of another number, files of another format; the index first, so that it is not found without data.
    for file in old.iter().rev().filter(|file| !places.contains(file)) {
        fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
    }
    entry.finish()?;
    backup::clear(path)
}
