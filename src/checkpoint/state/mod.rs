//! The state file of a directory of checkpoints: which there are, and which is the latest.
//!
//! ```text
//! model_checkpoint_path: "model.ckpt-30"           the latest
//! all_model_checkpoint_paths: "model.ckpt-20"      those that the Saver keeps, oldest first
//! all_model_checkpoint_paths: "model.ckpt-30"
//! ```
//! A `CheckpointState` in the text format, called `checkpoint`; relative paths begin at its directory.
//! Source: `get_checkpoint_state` and `latest_checkpoint` of TensorFlow.

mod backup_entry;
mod relative;
mod write;

use std::path::{Path, PathBuf};

use prost::Message as _;

use super::{format, unread};
use crate::bytes::{File, ReadAt, Stream};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{MessageType, Schema, tensorflow};
use crate::text;

pub(super) use backup_entry::BackupEntry;
pub use write::StateOptions;

/// The name of the file.
const NAME: &str = "checkpoint";

/// The largest that is read; a thousand long paths take a tenth of that.
const LONGEST: u64 = 16 << 20;

/// What a state file says, its paths as TensorFlow takes them.
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
    /// The file itself.
    pub path: PathBuf,
    /// The latest checkpoint.
    pub model_checkpoint_path: PathBuf,
    /// Every checkpoint that is kept, oldest first.
    pub all_model_checkpoint_paths: Vec<PathBuf>,
    /// When each of these was written, in seconds since 1970; nothing where the writer says nothing.
    pub all_model_checkpoint_timestamps: Vec<f64>,
    /// When the last one was written that is kept for good; 0 where the writer says nothing.
    pub last_preserved_timestamp: f64,
}

impl CheckpointState {
    /// Reads the state file of a directory, or of this path.
    ///
    /// # Errors
    /// When there is none, or it is broken: TensorFlow goes on as if there were none, and nobody notices. Also when it
    /// names no checkpoint.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = if path.is_dir() { path.join(NAME) } else { path.to_path_buf() };
        let dir = file.parent().unwrap_or(Path::new(""));
        let state = parse(&file).map_err(|error| error.in_file(&file))?;
        if state.model_checkpoint_path.is_empty() {
            let kind = "the state file names no checkpoint: model_checkpoint_path is not given";
            return Err(Error::from(ErrorKind::NotFound(kind.into())).in_file(&file));
        }
        // An absolute path takes the place of the directory, and so does one of another file system, as gs://.
        let resolve = |path: &String| match path.contains("://") {
            true => PathBuf::from(path),
            false => dir.join(path),
        };
        Ok(Self {
            model_checkpoint_path: resolve(&state.model_checkpoint_path),
            all_model_checkpoint_paths: state
                .all_model_checkpoint_paths
                .iter()
                .map(resolve)
                .collect(),
            all_model_checkpoint_timestamps: state.all_model_checkpoint_timestamps,
            last_preserved_timestamp: state.last_preserved_timestamp,
            path: file,
        })
    }

    /// The latest checkpoint, as `latest_checkpoint` gives it.
    ///
    /// # Errors
    /// When there is none at the path that the state file names; the error says what is there instead.
    pub fn latest(&self) -> Result<PathBuf> {
        let latest = &self.model_checkpoint_path;
        if format::names_one(latest) {
            return Ok(latest.clone());
        }
        if let Some(error) = unread::remote(latest) {
            let kind = format!("the latest checkpoint is {}: {error}", latest.display());
            return Err(Error::from(ErrorKind::NotFound(kind)).in_file(&self.path));
        }
        let dir = self.path.parent().unwrap_or(Path::new(""));
        // Paths of another machine, also of one with backslashes.
        let spelled = latest.to_string_lossy();
        let name = spelled.rsplit(['/', '\\']).next().unwrap_or_default();
        let moved = dir.join(name);
        let hint = if !name.is_empty() && format::names_one(&moved) {
            format!("; {} is there: give that path", moved.display())
        } else {
            let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
            format!("; {}", unread::inside(dir))
        };
        let kind = format!("the latest checkpoint it names, {spelled}, is not there{hint}");
        Err(Error::from(ErrorKind::NotFound(kind)).in_file(&self.path))
    }
}

/// The name of the state file: `checkpoint`, or the one that is asked for, which has no directory in it.
pub(crate) fn file_name(asked: Option<&str>) -> Result<&Path> {
    let name = Path::new(asked.unwrap_or(NAME));
    if name.file_name() == Some(name.as_os_str()) {
        return Ok(name);
    }
    let kind = "the name of the state file may have no directory in it".into();
    Err(Error::from(ErrorKind::Usage(kind)).in_file(name))
}

/// The state file in the folder of a checkpoint.
pub(super) fn beside(checkpoint: &Path) -> PathBuf {
    checkpoint.with_file_name(NAME)
}

/// Whether a directory has a state file.
pub(super) fn is_in(dir: &Path) -> bool {
    dir.join(NAME).is_file()
}

fn message_type(schema: &Schema) -> Result<&MessageType> {
    schema
        .message("tensorflow.CheckpointState")
        .ok_or_else(|| Error::from(ErrorKind::NotFound("the schema has no CheckpointState".into())))
}

fn parse(path: &Path) -> Result<tensorflow::CheckpointState> {
    let file = File::open(path)?;
    if file.len() > LONGEST {
        let found = format!("{} bytes", file.len());
        let allowed = format!("at most {LONGEST} are allowed");
        return Err(Error::unexpected("length of the state file", found, allowed));
    }
    let schema = Schema::tensorflow();
    let ty = message_type(schema)?;
    let mut bytes = vec![0; usize::try_from(file.len()).unwrap_or_default()];
    Stream::new(&file, 0, file.len()).read("the state file", &mut bytes)?;
    let (message, _) = text::parse(schema, ty, bytes.as_slice(), &text::ParseOptions::default())?;
    tensorflow::CheckpointState::decode(message.bytes())
        .map_err(|error| Error::unexpected("state file", error, "it must be a CheckpointState"))
}
