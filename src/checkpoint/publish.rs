//! From written files to a checkpoint that is there.

use std::fs;
use std::path::Path;

use super::state::StandIn;
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
    let folder = folder(path);
    if !folder.is_dir() {
        let kind = format!("there is no directory {}", folder.display());
        return Err(Error::from(ErrorKind::NotFound(kind)).in_file(path));
    }
    if existing == Existing::Refuse && path::names_one(path) {
        return Err(is_there(path));
    }
    Ok(())
}

/// Moves the files of the checkpoint `path` into place; the one that makes the others count is the last.
///
/// Until a checkpoint that is replaced is there again, it is kept under another name, which the state file `state` has for it
/// where it names it: so at any moment, and after a crash, the latest checkpoint is whole.
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
    let aside = match existing {
        Existing::Refuse => None,
        Existing::Replace => aside::set_aside(path)?,
    };
    let Some(aside) = aside else { return publication.publish() };
    let stand_in = match StandIn::set(state, path, aside.path()) {
        Ok(stand_in) => stand_in,
        Err(error) => return aside.remove().and(Err(error)),
    };
    if let Some(index) = places.last() {
        // Data of the one under the index of the other would be damage; without an index there is no checkpoint.
        let _ = fs::remove_file(index);
    }
    let published = match publication.publish() {
        Ok(()) => aside.remove_places_but(&places),
        Err(error) => aside.restore().and(Err(error)),
    };
    let named = stand_in.map_or(Ok(()), StandIn::end);
    // What the state file names stays.
    named.and_then(|()| aside.remove()).and(published)
}
