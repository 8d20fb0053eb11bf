//! From written files to a checkpoint that is there.

use std::fs;
use std::path::{Path, PathBuf};

use super::state::{CheckpointState, StandIn};
use super::{aside, path};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{Complete, Existing, Publication, folder, is_there};

/// Whether a checkpoint may be written to `path`, before any work is done.
pub(super) fn check_place(path: &Path, existing: Existing) -> Result<()> {
    let spelled = path.as_os_str().as_encoded_bytes();
    if path.file_name().is_none() || spelled.ends_with(b"/") {
        let kind = "a checkpoint wants a name: what the names of its files start with";
        return Err(Error::from(ErrorKind::Usage(kind.into())).in_file(path));
    }
    check_folder(path)?;
    if existing == Existing::Refuse && path::names_one(path) {
        return Err(is_there(path));
    }
    Ok(())
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

/// Moves the files of the checkpoint `path` into place; the one that makes the others count is the last. What is replaced is
/// kept meanwhile, as [`replacing`] says.
///
/// # Errors
/// When a file cannot be moved; then what was there before is there again.
pub(super) fn publish(
    path: &Path,
    existing: Existing,
    files: Vec<Complete>,
    state: &Path,
) -> Result<()> {
    let places: Vec<_> = files.iter().map(|file| file.place().to_path_buf()).collect();
    let mut publication = Publication::new(existing);
    files.into_iter().for_each(|file| publication.add(file));
    if existing == Existing::Refuse {
        return publication.publish();
    }
    replacing(path, state, || {
        let old = path::files_of(path);
        if let Some(index) = places.last().filter(|_| !old.is_empty()) {
            // Data of the one under the index of the other would be damage; without an index there is no checkpoint.
            let _ = fs::remove_file(index);
        }
        publication.publish()?;
        // Shards of another number, files of another format.
        for file in old.iter().filter(|file| !places.contains(file)) {
            fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
        }
        Ok(())
    })
}

/// Does `work`, which replaces the checkpoint `path`.
///
/// Until that is done the old one is kept under another name, which the state file `state` has for it where it names it: so at
/// any moment, and after a crash, the latest checkpoint is whole.
///
/// # Errors
/// What `work` says; then what was there before is there again. Also when the old one cannot be kept.
pub(crate) fn replacing<T>(
    path: &Path,
    state: &Path,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let Some(aside) = aside::set_aside(path)? else { return work() };
    let stand_in = match StandIn::set(state, path, aside.path()) {
        Ok(stand_in) => stand_in,
        Err(error) => return aside.remove().and(Err(error)),
    };
    let done = work().or_else(|error| aside.restore().and(Err(error)));
    let named = stand_in.map_or(Ok(()), StandIn::end);
    // What the state file names stays.
    named.and_then(|()| aside.remove()).and(done)
}

/// What the state file `state` calls the checkpoint `path`, where it is its latest: with the shards of one that has several
/// files in V1.
pub(crate) fn named_by(state: &Path, path: &Path) -> PathBuf {
    let latest = CheckpointState::read(state).map(|state| state.model_checkpoint_path);
    let is_it = |latest: &PathBuf| path::unsharded(latest) == *path;
    latest.ok().filter(is_it).unwrap_or_else(|| path.to_path_buf())
}
