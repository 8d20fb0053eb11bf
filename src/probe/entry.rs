//! Directory entries.

use std::fs;
use std::path::Path;

/// The directory entry of a path.
#[derive(Debug)]
pub(super) enum DirectoryEntry {
    Nothing,
    Directory,
    File,
    /// A pipe or a device.
    Stream,
    /// A broken link.
    BrokenLink,
}

impl DirectoryEntry {
    /// The directory entry of `path`. Links are followed.
    pub(super) fn of(path: &Path) -> Self {
        let Ok(mut found) = fs::symlink_metadata(path) else { return Self::Nothing };
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
