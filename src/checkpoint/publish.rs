//! Moves the written files of a checkpoint into place.

use std::fs;
use std::path::{Path, PathBuf};

use super::Format;
use super::backup::{self, Backup};
use super::state::BackupEntry;
use crate::error::{Error, Result};
use crate::files::{Complete, Existing, Publication, already_exists, folder};
use crate::formats;
use crate::probe::Probe;

/// Checks that a checkpoint may be written to `path`, before any work is done.
pub(super) fn check_place(path: &Path, format: &Format, existing: Existing) -> Result<()> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if path.file_name().is_none() || bytes.ends_with(b"/") {
        let kind = "expected the name of a checkpoint, found a directory";
        return Err(Error::usage(kind).in_file(path));
    }
    check_folder(path)?;
    if existing == Existing::Refuse && formats::may_be_checkpoint(&Probe::new(path)) {
        return Err(already_exists(path));
    }
    check_places(path, (format.files)(path).iter())
}

/// Checks that the directory of `path` exists.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    let folder = folder(path);
    if folder.is_dir() {
        return Ok(());
    }
    Err(Error::not_found(format!("there is no directory {}", folder.display())).in_file(path))
}

/// Checks that the files at `targets` belong to the checkpoint `path`, if they exist.
fn check_places<'p>(path: &Path, mut places: impl Iterator<Item = &'p PathBuf>) -> Result<()> {
    let old = formats::files_of(path);
    match places.find(|place| place.symlink_metadata().is_ok() && !old.contains(place)) {
        Some(place) => {
            let kind = "this file is not part of a checkpoint; it is not replaced";
            Err(Error::usage(kind).in_file(place))
        }
        None => Ok(()),
    }
}

/// Moves the files of the checkpoint `path` into place. The file that makes the others a checkpoint comes last.
///
/// Until the new checkpoint is complete, the old one is kept as a backup, which the state file `state` names as the latest
/// checkpoint instead of it. So the latest checkpoint is complete at any moment, also after a crash.
///
/// # Errors
/// If a file cannot be moved. The old checkpoint is then in place again.
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
    let old = formats::files_of(path);
    let backup = Backup::make(path)?;
    let entry = match BackupEntry::set(state, path, backup.as_ref().map(Backup::path)) {
        Ok(entry) => entry,
        Err(error) => return backup::clear(path).and(Err(error)),
    };
    if let [.., _, index] = places.as_slice() {
        // An index with data of another checkpoint would be damage; without an index there is no checkpoint.
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
    // Shards with another count, and files of another format. The index goes first, so that it never lacks its data.
    for file in old.iter().rev().filter(|file| !places.contains(file)) {
        fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
    }
    entry.finish()?;
    backup::clear(path)
}
