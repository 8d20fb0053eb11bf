//! The directory of a checkpoint, which TensorFlow's op `SaveV2` creates.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files;
use crate::schema::tensorflow::SaverDef;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// A directory that was created for a checkpoint, and is removed again if nothing was written to it.
#[derive(Default)]
pub(super) struct CheckpointDirectory {
    created: Option<PathBuf>,
}

impl CheckpointDirectory {
    /// The directory of the checkpoint `path`. If it is missing, `saver` creates it, but not its parent, and only for a V2 checkpoint that
    /// is not sharded: no other op of a saver creates it.
    ///
    /// # Errors
    /// If it is missing and not created.
    pub(super) fn of(path: &Path, saver: &SaverDef) -> Result<Self> {
        let directory = directory_of(path);
        let is_created = !saver.sharded && saver.version() == CheckpointFormatVersion::V2;
        if !is_created || is_directory(directory) || !files::directory_of(directory).is_dir() {
            check_directory(path)?;
            return Ok(Self::default());
        }
        fs::create_dir(directory).map_err(|error| Error::io("create", error).in_file(directory))?;
        Ok(Self { created: Some(directory.to_path_buf()) })
    }
}

/// The directory of the checkpoint `path`: all before the last `/`, as Python has it. The checkpoint `sub/` is in `sub`, and its index is
/// `sub/.index`.
pub(super) fn directory_of(path: &Path) -> &Path {
    match ends_with_directory(path) {
        true => path.components().as_path(),
        false => path.parent().unwrap_or(Path::new("")),
    }
}

/// Whether a path ends with `/` or `/.`, which [`Path`] ignores: the file name in `sub/` is empty, and in `sub/.` it is a dot.
pub(super) fn ends_with_directory(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// Checks that the directory of the checkpoint `path` exists.
pub(super) fn check_directory(path: &Path) -> Result<()> {
    let directory = directory_of(path);
    if is_directory(directory) {
        return Ok(());
    }
    Err(Error::not_found(format!("there is no directory {}", directory.display())).in_file(path))
}

/// Whether this is a directory; the empty path is the working directory.
fn is_directory(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.is_dir()
}

impl Drop for CheckpointDirectory {
    fn drop(&mut self) {
        if let Some(directory) = &self.created {
            // This fails if there is a checkpoint in it.
            let _ = fs::remove_dir(directory);
        }
    }
}
