//! Directory entries.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::Error;

/// The directory entry of a path.
#[derive(Debug)]
pub(super) enum DirectoryEntry {
    Nothing,
    Directory,
    File,
    /// A pipe, a socket or a device.
    Stream,
    /// A broken link.
    BrokenLink,
    /// The system reports an error, such as a directory without search permission.
    Unknown(Error),
}

impl DirectoryEntry {
    /// The directory entry of `path`. Links are followed.
    pub(super) fn of(path: &Path) -> Self {
        let mut found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if is_no_entry(&error) => return Self::Nothing,
            Err(error) => return Self::Unknown(Error::io("open", error)),
        };
        if found.is_symlink() {
            let Ok(target) = fs::metadata(path) else { return Self::BrokenLink };
            found = target;
        }
        match found.file_type() {
            kind if kind.is_dir() => Self::Directory,
            kind if kind.is_file() => Self::File,
            _ => Self::Stream,
        }
    }
}

/// Whether the error means that there can be no entry with this path.
fn is_no_entry(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput)
}
