//! Writes the checkpoints of a saver's nodes to disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::run::{MergeOptions, NamedTensor, WriteCheckpoint};
use crate::checkpoint::{self, CheckpointBuilder, Format, IfExists};
use crate::error::{Error, Result};
use crate::files::{self, CompleteFile};
use crate::progress::Progress;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::slice_spec;

/// Writes the tensors of `SaveV2`, `SaveSlices` and similar ops, and merges parts as `MergeV2Checkpoints` does. The files get their names
/// only in [`publish`](Self::publish), after all are written.
///
/// Parts are written to the paths that the nodes give, usually in the directory `P_temp`, which is created as in TensorFlow and always
/// removed.
pub(super) struct CheckpointFilesWriter<'a> {
    /// The prefix of the checkpoint.
    path: &'a Path,
    progress: &'a dyn Progress,
    files: Vec<CompleteFile>,
    /// The files of each part that is removed.
    merged: Vec<Vec<PathBuf>>,
    made: Vec<PathBuf>,
}

impl<'a> CheckpointFilesWriter<'a> {
    /// A writer of the checkpoint `path`.
    pub(super) fn new(path: &'a Path, progress: &'a dyn Progress) -> Self {
        Self { path, progress, files: Vec::new(), merged: Vec::new(), made: Vec::new() }
    }

    /// Publishes the checkpoint that `opened` opens, as [`CheckpointBuilder::write`] does.
    pub(super) fn publish(mut self, opened: &Path, state: &Path) -> Result<()> {
        let files = std::mem::take(&mut self.files);
        checkpoint::publish_files(opened, IfExists::Replace, files, state)?;
        self.merged.iter().try_for_each(|files| checkpoint::remove_part(files))
    }

    /// Creates the directory of `path`, but not its parent.
    fn make_directory(&mut self, path: &Path) -> Result<()> {
        let directory = files::directory_of(path);
        match fs::create_dir(directory) {
            Ok(()) => self.made.push(directory.to_path_buf()),
            // If the parent is missing too, the writer reports it.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                ) => {}
            Err(error) => return Err(Error::io("create", error).in_file(directory)),
        }
        Ok(())
    }
}

impl Drop for CheckpointFilesWriter<'_> {
    fn drop(&mut self) {
        for directory in &self.made {
            // A merge may have removed it.
            let _ = fs::remove_dir_all(directory);
        }
    }
}

impl WriteCheckpoint for CheckpointFilesWriter<'_> {
    fn write(
        &mut self,
        path: &str,
        tensors: &[NamedTensor<'_>],
        version: CheckpointFormatVersion,
    ) -> Result<()> {
        let mut builder = CheckpointBuilder::default();
        let mut tensors = tensors.to_vec();
        if version != CheckpointFormatVersion::V2 {
            // `Save` and `SaveSlices` write in the order of the names, `SaveV2` in the order of its inputs.
            tensors.sort_by_key(|written| written.name);
        }
        for written in &tensors {
            if written.slice_spec.is_empty() {
                builder.add(written.name, written.tensor)?;
                continue;
            }
            let (shape, slice) = slice_spec::of_input(written.slice_spec)
                .map_err(|error| error.of_tensor(&written.name.into()))?;
            builder.add_slice(written.name, &shape, &slice, written.tensor)?;
        }
        // What `SaveV2` writes to another path is a part, which `MergeV2Checkpoints` merges later.
        let is_part = version == CheckpointFormatVersion::V2 && Path::new(path) != self.path;
        let (path, format) = (Path::new(path), Format::of(version)?);
        if is_part {
            self.make_directory(path)?;
            return builder.write(path, format, IfExists::Replace, self.progress).map(drop);
        }
        self.files.extend(builder.prepare(path, format, self.progress)?);
        Ok(())
    }

    fn merge(&mut self, parts: &[&str], path: &str, options: MergeOptions) -> Result<()> {
        let is_there =
            |part: &&&str| !options.allow_missing_files || checkpoint::exists(Path::new(part));
        let parts: Vec<&&str> = parts.iter().filter(is_there).collect();
        let format = Format::of(CheckpointFormatVersion::V2)?;
        let merged = checkpoint::prepare_merge(format, &parts, Path::new(path))?;
        self.files.extend(merged.files);
        if options.delete_old_dirs {
            self.merged.extend(merged.parts);
        }
        Ok(())
    }
}
