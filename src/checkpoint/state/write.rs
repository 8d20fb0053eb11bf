//! Writes state files, as TensorFlow's `update_checkpoint_state`.

use std::path::{Path, PathBuf};

use prost::Message as _;

use super::CheckpointState;
use super::relative;
use crate::checkpoint::state_file;
use crate::error::{Error, Result};
use crate::files::{self, DirectoryLock};
use crate::message::Message;
use crate::schema::{Schema, tensorflow};
use crate::sniff;
use crate::text;

/// The content of a new state file besides the latest checkpoint.
#[derive(Debug, Clone, Default)]
pub struct StateOptions {
    /// Every checkpoint that is kept, oldest first; the latest one is appended if it is missing.
    pub all_model_checkpoint_paths: Vec<PathBuf>,
    /// The time at which each of these was written, in seconds since 1970; empty, or one per path.
    pub all_model_checkpoint_timestamps: Vec<f64>,
    /// The time of the last checkpoint that is kept forever.
    pub last_preserved_timestamp: Option<f64>,
    /// Whether absolute paths are also written relative to the directory, so that it can be moved.
    pub save_relative_paths: bool,
    /// The name of the file, instead of `checkpoint`.
    pub latest_filename: Option<String>,
}

impl CheckpointState {
    /// The message that [`update`](Self::update) writes, as TensorFlow's `generate_checkpoint_state_proto`. If `dir` is relative,
    /// relative paths are written relative to it.
    ///
    /// # Errors
    /// If the number of timestamps is neither 0 nor that of the paths, or a path is not UTF-8.
    pub fn generate(
        dir: &Path,
        latest: &Path,
        options: &StateOptions,
    ) -> Result<tensorflow::CheckpointState> {
        let mut all = options.all_model_checkpoint_paths.clone();
        if all.last().is_none_or(|last| last != latest) {
            all.push(latest.to_path_buf());
        }
        let times = &options.all_model_checkpoint_timestamps;
        if !times.is_empty() && times.len() != all.len() {
            let expected = format!("{}, one per path", all.len());
            return Err(Error::unexpected("number of timestamps", times.len(), expected));
        }
        let formatted = |path: &Path| {
            let is_rewritten =
                if path.is_absolute() { options.save_relative_paths } else { dir.is_relative() };
            let path = if is_rewritten { relative::path(path, dir)? } else { path.to_path_buf() };
            path.into_os_string().into_string().map_err(|path| {
                let kind = "a state file can store only paths in UTF-8";
                Error::unsupported(kind).in_file(Path::new(&path))
            })
        };
        Ok(tensorflow::CheckpointState {
            model_checkpoint_path: formatted(latest)?,
            all_model_checkpoint_paths: all
                .iter()
                .map(|path| formatted(path))
                .collect::<Result<_>>()?,
            all_model_checkpoint_timestamps: times.clone(),
            last_preserved_timestamp: options.last_preserved_timestamp.unwrap_or_default(),
        })
    }

    /// Writes the state file of `dir` with `latest` as its latest checkpoint. The file is replaced as a whole.
    ///
    /// ```
    /// use ckdiff::checkpoint::{CheckpointState, StateOptions};
    ///
    /// let dir = tempfile::tempdir().unwrap();
    /// let latest = dir.path().join("model.ckpt-20");
    /// CheckpointState::update(dir.path(), &latest, &StateOptions::default())?;
    /// let state = CheckpointState::read(dir.path())?;
    /// assert_eq!(state.model_checkpoint_path, latest);
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As for [`generate`](Self::generate); also if `latest`, as it is written, is the path of the state file itself, the file name
    /// has a directory in it, or it cannot be written.
    pub fn update(dir: &Path, latest: &Path, options: &StateOptions) -> Result<()> {
        let (file, state) = Self::checked(dir, latest, options)?;
        let _lock = DirectoryLock::acquire(files::directory_of(&file))?;
        replace(&file, &formatted(&state)?)
    }

    /// Checks that [`update`](Self::update) accepts `latest`, before a checkpoint is written.
    pub(crate) fn check_latest(dir: &Path, latest: &Path, options: &StateOptions) -> Result<()> {
        Self::checked(dir, latest, options).map(drop)
    }

    /// The path of the state file, and its content.
    ///
    /// As in TensorFlow, the path must not be that of the latest checkpoint as the content has it, which may be relative to the directory.
    fn checked(
        dir: &Path,
        latest: &Path,
        options: &StateOptions,
    ) -> Result<(PathBuf, tensorflow::CheckpointState)> {
        let file = dir.join(state_file::file_name(options.latest_filename.as_deref())?);
        let state = Self::generate(dir, latest, options)?;
        if file == Path::new(&state.model_checkpoint_path) {
            let kind = "the checkpoint has the path of the state file";
            return Err(Error::usage(kind).in_file(latest));
        }
        Ok((file, state))
    }
}

/// Replaces a state file as a whole.
pub(super) fn replace(file: &Path, text: &[u8]) -> Result<()> {
    files::replace(file, |out| out.write_all(text).map_err(files::cannot_write))
}

/// The text of a state file.
pub(super) fn formatted(state: &tensorflow::CheckpointState) -> Result<Vec<u8>> {
    let schema = Schema::tensorflow();
    let ty = sniff::state_file_type(schema)?;
    let message = Message::decode(schema, ty, state.encode_to_vec())?;
    let style = text::PrintOptions::new(text::Style::TensorFlow);
    let mut text = Vec::new();
    text::print(&message, &style, &mut text)?;
    Ok(text)
}
