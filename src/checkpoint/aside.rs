//! A checkpoint kept under another name while another one takes its place.
//!
//! Files of fixed names cannot be exchanged all at once, so between two of them there would be no checkpoint, or half of each.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::path;
use crate::error::{Error, Result};
use crate::files::{Complete, Existing, Publication, folder, sync_folder};

/// A checkpoint under another name than its own.
#[derive(Debug)]
pub(super) struct Aside {
    path: PathBuf,
    /// Where each file was, and where it is as well; that which makes the others count is the last.
    files: Vec<(PathBuf, PathBuf)>,
}

/// Links the files of the checkpoint `path` to names beside; `None` where there are none. Nothing is copied where the system
/// knows links.
///
/// # Errors
/// When the system can neither link nor copy.
pub(super) fn set_aside(path: &Path) -> Result<Option<Aside>> {
    // The index, which is what a V2 checkpoint is known by, is the last: linked last, and removed first.
    let found = path::files_of(path);
    if found.is_empty() {
        return Ok(None);
    }
    let (stem, shards) = match path::pattern(path) {
        Some((stem, count)) => (stem, count as usize),
        None => (path.to_path_buf(), 1),
    };
    let name = free_name(&stem, shards);
    let mut aside = Aside { path: path::sharded(&name, shards), files: Vec::new() };
    for file in found {
        let there = renamed(&file, &stem, &name);
        if let Err(error) = link(&file, &there) {
            // What was linked so far is of no use, and the error is what counts.
            let _ = aside.remove();
            return Err(error);
        }
        aside.files.push((file, there));
    }
    sync_folder(folder(path));
    Ok(Some(aside))
}

impl Aside {
    /// What it is called.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        for (_, there) in self.files.iter().rev() {
            fs::remove_file(there).map_err(|e| Error::io("remove", e).in_file(there))?;
        }
        Ok(())
    }

    /// Has it where it was as well.
    ///
    /// # Errors
    /// When a file can be neither linked nor copied, or not moved.
    pub(super) fn restore(&self) -> Result<()> {
        let mut publication = Publication::new(Existing::Replace);
        for (place, there) in &self.files {
            publication.add(Complete::link(there, place)?);
        }
        publication.publish()
    }
}

/// A name beside `stem` that no checkpoint has.
fn free_name(stem: &Path, shards: usize) -> PathBuf {
    let first = path::with_suffix(stem, ".previous");
    let more = (2..).map(|n: u64| path::with_suffix(stem, &format!(".previous-{n}")));
    let is_free = |name: &PathBuf| path::files_of(&path::sharded(name, shards)).is_empty();
    std::iter::once(first.clone()).chain(more).find(is_free).unwrap_or(first)
}

/// The name of `file`, a file of the checkpoint `path`, when that is called `name`.
fn renamed(file: &Path, path: &Path, name: &Path) -> PathBuf {
    let (file, path) = (file.as_os_str().as_encoded_bytes(), path.as_os_str().as_encoded_bytes());
    let suffix = file.strip_prefix(path).unwrap_or_default();
    let mut name = OsString::from(name);
    name.push(String::from_utf8_lossy(suffix).as_ref());
    name.into()
}

/// Gives a file another name as well; a copy where the system has no links.
fn link(file: &Path, there: &Path) -> Result<()> {
    match fs::hard_link(file, there) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            fs::copy(file, there).map_err(|e| Error::io("keep", e).in_file(file))?;
            let synced = fs::File::open(there).and_then(|copy| copy.sync_all());
            synced.map_err(|e| Error::io("keep", e).in_file(there))
        }
        linked => linked.map_err(|e| Error::io("keep", e).in_file(there)),
    }
}
