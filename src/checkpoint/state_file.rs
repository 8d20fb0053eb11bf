//! The path of a state file.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::sniff::STATE_FILE;

/// The requested name of a state file, or the usual one.
///
/// # Errors
/// If the name has a directory in it.
pub(crate) fn file_name(requested: Option<&str>) -> Result<&Path> {
    let name = Path::new(requested.unwrap_or(STATE_FILE));
    if name.file_name() == Some(name.as_os_str()) {
        return Ok(name);
    }
    Err(Error::usage("the name of the state file must be a file name without a directory")
        .in_file(name))
}

/// The state file in the directory of a checkpoint.
pub(super) fn sibling_of(checkpoint: &Path) -> PathBuf {
    checkpoint.with_file_name(STATE_FILE)
}

/// The state file in a directory.
pub(super) fn in_directory(directory: &Path) -> PathBuf {
    directory.join(STATE_FILE)
}
