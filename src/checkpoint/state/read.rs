//! Reads state files.

use std::path::{Path, PathBuf};

use super::super::state_file;
use crate::error::{Error, Result};
use crate::formats::may_be_checkpoint;
use crate::probe::Probe;
use crate::schema::tensorflow;
use crate::sniff;

/// The content of a state file, with its paths resolved as in TensorFlow.
///
/// ```
/// use std::path::Path;
/// use ckdiff::checkpoint::CheckpointState;
///
/// let state = CheckpointState::read("tests/data/demo")?;
/// assert_eq!(state.latest()?, Path::new("tests/data/demo/model.ckpt"));
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointState {
    /// The path of the state file.
    pub path: PathBuf,
    /// The fields that the file gives more than once though they have one value; the last value counts, as in TensorFlow.
    pub repeated: Vec<String>,
    /// The latest checkpoint.
    pub model_checkpoint_path: PathBuf,
    /// Every checkpoint that the saver keeps, oldest first.
    pub all_model_checkpoint_paths: Vec<PathBuf>,
    /// The time at which each of these was written, in seconds since 1970; empty if not given.
    pub all_model_checkpoint_timestamps: Vec<f64>,
    /// The time of the last checkpoint that is kept forever; 0 if not given.
    pub last_preserved_timestamp: f64,
}

impl CheckpointState {
    /// Reads the state file in a directory, or at this path.
    ///
    /// # Errors
    /// If the file is missing or invalid (TensorFlow ignores invalid files), or names no checkpoint.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = if path.is_dir() { state_file::in_directory(path) } else { path.to_path_buf() };
        if path.is_dir() && !file.exists() {
            return Err(Error::not_found(sniff::no_state_file(path)).in_file(path));
        }
        Self::of_probe(&Probe::new(&file))
    }

    /// Reads a state file.
    pub(in crate::checkpoint) fn of_probe(file: &Probe) -> Result<Self> {
        let found = sniff::read_state_file(file)?;
        Ok(Self { repeated: found.repeated, ..Self::resolved(&found.state, file.path())? })
    }

    /// The content of a state file with its paths resolved.
    pub(super) fn resolved(state: &tensorflow::CheckpointState, file: &Path) -> Result<Self> {
        let dir = file.parent().unwrap_or(Path::new(""));
        if state.model_checkpoint_path.is_empty() {
            let kind = "the state file names no checkpoint: model_checkpoint_path is not given";
            return Err(Error::not_found(kind).in_file(file));
        }
        // An absolute path, or one on another file system such as gs://, is not relative to the directory.
        let resolve = |path: &String| match sniff::scheme(path.as_ref()) {
            Some(_) => PathBuf::from(path),
            None => dir.join(path),
        };
        Ok(Self {
            model_checkpoint_path: resolve(&state.model_checkpoint_path),
            all_model_checkpoint_paths: state
                .all_model_checkpoint_paths
                .iter()
                .map(resolve)
                .collect(),
            all_model_checkpoint_timestamps: state.all_model_checkpoint_timestamps.clone(),
            last_preserved_timestamp: state.last_preserved_timestamp,
            repeated: Vec::new(),
            path: file.to_path_buf(),
        })
    }

    /// The latest checkpoint, as TensorFlow's `latest_checkpoint`.
    ///
    /// # Errors
    /// If the path that the state file names does not exist; the error lists the checkpoints in the directory.
    pub fn latest(&self) -> Result<PathBuf> {
        self.find_latest().map(|probe| probe.path().to_path_buf())
    }

    /// The probe of the latest checkpoint.
    pub(in crate::checkpoint) fn find_latest(&self) -> Result<Probe> {
        let latest = &self.model_checkpoint_path;
        let probe = Probe::new(latest);
        if may_be_checkpoint(&probe) {
            return Ok(probe);
        }
        if sniff::scheme(latest).is_some() {
            let remote = sniff::remote_path(latest);
            let kind = format!("the latest checkpoint is {}: {remote}", latest.display());
            return Err(Error::not_found(kind).in_file(&self.path));
        }
        let dir = self.path.parent().unwrap_or(Path::new(""));
        // The directory may have been moved from another machine, even from one with backslashes.
        let text = latest.to_string_lossy();
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let moved = dir.join(name);
        let hint = if !name.is_empty() && may_be_checkpoint(&Probe::new(&moved)) {
            format!("; {} exists: use that path", moved.display())
        } else {
            let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
            format!("; {}", sniff::checkpoints_inside(dir))
        };
        let kind = format!("the latest checkpoint, {text}, does not exist{hint}");
        Err(Error::not_found(kind).in_file(&self.path))
    }
}
