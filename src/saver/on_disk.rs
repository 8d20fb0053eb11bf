//! Checkpoints on disk, for the nodes of a saver to write to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::run::{MergeOptions, WriteCheckpoint, Written};
use crate::checkpoint::{self, Draft, Existing, Format, MergedPart};
use crate::error::{Error, Result};
use crate::files::{self, Complete};
use crate::progress::Progress;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::slice_spec;

/// Writes what `SaveV2`, `SaveSlices` and their like save, and merges it as `MergeV2Checkpoints` does; but nothing is in its
/// place before all is written, and [`publish`](Self::publish) moves it there.
///
/// What is to be merged is written to the places that the nodes say, mostly the folder `P_temp`, which is made as TensorFlow
/// makes it. It is gone afterwards, whatever comes.
pub(super) struct OnDisk<'a> {
    /// What the names of the checkpoint's files start with.
    path: &'a Path,
    progress: &'a dyn Progress,
    files: Vec<Complete>,
    merged: Vec<MergedPart>,
    made: Vec<PathBuf>,
}

impl<'a> OnDisk<'a> {
    /// A writer of the checkpoint `path`.
    pub(super) fn new(path: &'a Path, progress: &'a dyn Progress) -> Self {
        Self { path, progress, files: Vec::new(), merged: Vec::new(), made: Vec::new() }
    }

    /// Moves the checkpoint, which is opened by `opened`, to its place, as [`Draft::write`] does.
    pub(super) fn publish(mut self, opened: &Path, state: &Path) -> Result<()> {
        let files = std::mem::take(&mut self.files);
        checkpoint::publish_files(opened, Existing::Replace, files, state)?;
        self.merged.iter().try_for_each(MergedPart::remove)
    }

    /// Makes the folder of `path`, where only that is missing.
    fn make_folder(&mut self, path: &Path) -> Result<()> {
        let folder = files::folder(path);
        match fs::create_dir(folder) {
            Ok(()) => self.made.push(folder.to_path_buf()),
            // Where its parent is missing too, the writer says so.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                ) => {}
            Err(error) => return Err(Error::io("create", error).in_file(folder)),
        }
        Ok(())
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

impl WriteCheckpoint for OnDisk<'_> {
    fn write(
        &mut self,
        path: &str,
        tensors: &[Written<'_>],
        format: CheckpointFormatVersion,
    ) -> Result<()> {
        let mut draft = Draft::default();
        for written in tensors {
            if written.slice_spec.is_empty() {
                draft.add(written.name, written.tensor)?;
                continue;
            }
            let (shape, slice) = slice_spec::parse(written.slice_spec).map_err(|reason| {
                let error = Error::unexpected("shape_and_slice", written.slice_spec, reason);
                error.of_tensor(&written.name.into())
            })?;
            draft.add_slice(written.name, &shape, &slice, written.tensor)?;
        }
        let is_mergeable = format == CheckpointFormatVersion::V2;
        let (path, format) = (Path::new(path), Format::of(format));
        // A V2 checkpoint at another path is a part, which `MergeV2Checkpoints` merges later.
        if is_mergeable && path != self.path {
            self.make_folder(path)?;
            return draft.write(path, format, Existing::Replace, self.progress).map(drop);
        }
        self.files.extend(draft.prepare(path, format, self.progress)?);
        Ok(())
    }

    fn merge(&mut self, parts: &[&str], path: &str, options: MergeOptions) -> Result<()> {
        let is_there =
            |part: &&&str| !options.allow_missing_files || checkpoint::exists(Path::new(part));
        let parts: Vec<&&str> = parts.iter().filter(is_there).collect();
        let (files, merged) = checkpoint::prepare_merge(&parts, Path::new(path))?;
        self.files.extend(files);
        if options.delete_old_dirs {
            self.merged.extend(merged);
        }
        Ok(())
    }
}
