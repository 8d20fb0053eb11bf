//! Checkpoints on disk, for the nodes of a saver to write to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::run::{MergeOptions, WriteCheckpoint, Written};
use crate::checkpoint::{self, Draft, Existing, Format, Parts};
use crate::error::{Error, Result};
use crate::files;
use crate::progress::Progress;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::slice_spec;

/// Writes what `SaveV2`, `SaveSlices` and their like save, and merges it as `MergeV2Checkpoints` does.
///
/// As in TensorFlow, the folder of a checkpoint is made where only that is missing: the `P_temp` of a sharded save. Those that
/// were made are removed again, unless [`keep`](Self::keep) says that all is done.
pub struct OnDisk<'a> {
    progress: &'a dyn Progress,
    made: Vec<PathBuf>,
}

impl<'a> OnDisk<'a> {
    /// A writer that has written nothing.
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self { progress, made: Vec::new() }
    }

    /// Leaves everything as it is.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for OnDisk<'_> {
    fn drop(&mut self) {
        for folder in &self.made {
            // It may be gone, as it is after a merge.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl std::fmt::Debug for OnDisk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OnDisk({:?})", self.made)
    }
}

impl WriteCheckpoint for OnDisk<'_> {
    fn write(
        &mut self,
        path: &str,
        tensors: &[Written<'_>],
        format: CheckpointFormatVersion,
    ) -> Result<()> {
        let mut draft = Draft::default();
        for written in tensors {
            let in_tensor = |error: Error| error.of_tensor(&written.name.into());
            if written.slice_spec.is_empty() {
                draft.add(written.name, written.tensor)?;
            } else {
                let (shape, slice) = slice_spec::parse(written.slice_spec).map_err(|reason| {
                    in_tensor(Error::unexpected("shape_and_slice", written.slice_spec, reason))
                })?;
                draft.add_slice(written.name, &shape, &slice, written.tensor)?;
            }
        }
        let path = Path::new(path);
        let folder = files::folder(path);
        if format == CheckpointFormatVersion::V2 && !folder.exists() {
            match fs::create_dir(folder) {
                Ok(()) => self.made.push(folder.to_path_buf()),
                // The writer says which folder is missing.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::io("make", error).in_file(folder)),
            }
        }
        draft.write(path, Format::of(format), Existing::Replace, self.progress).map(drop)
    }

    fn merge(&mut self, parts: &[&str], path: &str, options: MergeOptions) -> Result<()> {
        let is_there =
            |part: &&&str| !options.allow_missing_files || checkpoint::exists(Path::new(part));
        let parts: Vec<&&str> = parts.iter().filter(is_there).collect();
        let after = if options.delete_old_dirs { Parts::Remove } else { Parts::Keep };
        checkpoint::merge(&parts, Path::new(path), Existing::Replace, after)
    }
}
