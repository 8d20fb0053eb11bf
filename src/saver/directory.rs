//! The directory of a checkpoint, which TensorFlow's op `SaveV2` creates.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checkpoint;
use crate::error::{Error, Result};
use crate::files::directory_of;
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
        if !is_created || directory.is_dir() || !directory_of(directory).is_dir() {
            checkpoint::check_directory(path)?;
            return Ok(Self::default());
        }
        fs::create_dir(directory).map_err(|error| Error::io("create", error).in_file(directory))?;
        Ok(Self { created: Some(directory.to_path_buf()) })
    }
}

impl Drop for CheckpointDirectory {
    fn drop(&mut self) {
        if let Some(directory) = &self.created {
            // This fails if there is a checkpoint in it.
            let _ = fs::remove_dir(directory);
        }
    }
}
