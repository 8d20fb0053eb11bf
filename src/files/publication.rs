//! Several files that are moved to their targets in order.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::new_file::CompleteFile;
use super::{directory_of, sync_directory, unfinished};
use crate::error::Result;

/// What to do if the target of a new file exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// Fail, and publish nothing.
    Refuse,
    /// Replace it.
    Replace,
}

/// Complete files that are moved to their targets one after the other.
///
/// A crash may come between any two of them, so the last file must be the one that makes the others valid, such as the index of
/// a checkpoint.
#[derive(Debug)]
pub struct Publication {
    existing: IfExists,
    files: Vec<CompleteFile>,
}

impl Publication {
    /// A publication without files.
    pub fn new(existing: IfExists) -> Self {
        Self { existing, files: Vec::new() }
    }

    /// Adds a file after the others.
    pub fn add(&mut self, file: CompleteFile) {
        self.files.push(file);
    }

    /// Moves every file to its target, in order, and syncs all others to disk before the last.
    ///
    /// # Errors
    /// If a file cannot be moved, or its target exists and may not be replaced. Then the files that were moved to free targets
    /// are removed again.
    pub fn publish(self) -> Result<()> {
        let fresh = self.existing == IfExists::Refuse;
        let directories: BTreeSet<PathBuf> =
            self.files.iter().map(|file| directory_of(file.target()).to_path_buf()).collect();
        let last = self.files.len().saturating_sub(1);
        let mut moved: Vec<PathBuf> = Vec::new();
        // Dropped when all files are published.
        let mut registered = Vec::new();
        let guard = unfinished::lock();
        for (i, file) in self.files.into_iter().enumerate() {
            if i == last && i > 0 {
                directories.iter().for_each(|directory| sync_directory(directory));
            }
            let target = file.target().to_path_buf();
            let existed = !fresh && target.symlink_metadata().is_ok();
            let (registration, done) = file.persist(fresh);
            registered.push(registration);
            if let Err(error) = done {
                for target in &moved {
                    // The first error is reported, whatever happens here.
                    let _ = fs::remove_file(target);
                }
                drop(guard);
                return Err(error);
            }
            if !existed {
                moved.push(target);
            }
        }
        directories.iter().for_each(|directory| sync_directory(directory));
        drop(guard);
        drop(registered);
        Ok(())
    }
}
