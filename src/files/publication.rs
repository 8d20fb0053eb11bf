//! Several files, moved into place in order.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::new_file::Complete;
use super::{folder, sync_folder, unfinished};
use crate::error::{Error, ErrorKind, Result};

/// What becomes of a file that is in the place of a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Refuse,
    /// The new one takes its place.
    Replace,
}

/// Complete files that go to their places one after the other.
///
/// A crash may come between any two of them, so the last one is that without which the others count for nothing: the
/// index of a checkpoint.
#[derive(Debug)]
pub struct Publication {
    existing: Existing,
    files: Vec<Complete>,
}

impl Publication {
    /// One of no files yet.
    pub fn new(existing: Existing) -> Self {
        Self { existing, files: Vec::new() }
    }

    /// Adds a file behind those there are.
    pub fn add(&mut self, file: Complete) {
        self.files.push(file);
    }

    /// Moves every file to its place, in order; all but the last are there for good before the last is moved.
    ///
    /// # Errors
    /// When one cannot be moved, or something is in its place that may not be replaced; then those that were moved into
    /// places where nothing was are removed again.
    pub fn publish(self) -> Result<()> {
        let fresh = self.existing == Existing::Refuse;
        let folders: BTreeSet<PathBuf> =
            self.files.iter().map(|file| folder(file.place()).to_path_buf()).collect();
        let last = self.files.len().saturating_sub(1);
        let mut moved: Vec<PathBuf> = Vec::new();
        // Taken off the list of the unfinished when all are in place.
        let mut registered = Vec::new();
        let guard = unfinished::lock();
        for (i, file) in self.files.into_iter().enumerate() {
            if i == last && i > 0 {
                folders.iter().for_each(|folder| sync_folder(folder));
            }
            let place = file.place().to_path_buf();
            let was_there = !fresh && place.symlink_metadata().is_ok();
            let (held, done) = file.persist(fresh);
            registered.push(held);
            if let Err(error) = done {
                for place in &moved {
                    // The error is what counts.
                    let _ = fs::remove_file(place);
                }
                drop(guard);
                return Err(error);
            }
            if !was_there {
                moved.push(place);
            }
        }
        folders.iter().for_each(|folder| sync_folder(folder));
        drop(guard);
        drop(registered);
        Ok(())
    }
}

/// Says that something is in the place of a new file.
pub(crate) fn occupied(place: &Path) -> Error {
    let kind = "it is there already; --overwrite replaces it".into();
    Error::from(ErrorKind::Usage(kind)).in_file(place)
}
