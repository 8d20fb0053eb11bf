//! A format of checkpoints, as a table of functions.
//!
//! The *open path* of a checkpoint is the path by which it is opened. Its *marker* is the file that makes the others a checkpoint,
//! such as an index: it is written last and removed first.

use std::fmt;
use std::path::{Path, PathBuf};

use super::contents::Contents;
use super::stored_tensor::Shard;
use crate::bytes::ChecksumKind;
use crate::error::Result;
use crate::files::CompleteFile;
use crate::limits::Limits;
use crate::probe::Probe;
use crate::progress::Progress;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// A format of checkpoints.
pub struct Format {
    /// The name in reports: `V2`.
    pub name: &'static str,
    /// The name as a value of `--format`: `v2`.
    pub option: &'static str,
    /// The description in `--help`.
    pub about: &'static str,
    /// The kind of checksum that protects content; `None` for a format without checksums.
    pub checksum: Option<ChecksumKind>,
    /// The version of a `SaverDef` that writes this format; `None` if TensorFlow's savers do not write it.
    pub version: Option<CheckpointFormatVersion>,
    /// The role of a file in a checkpoint of this format; `None` for other files. Names count only where the content does not
    /// decide.
    pub(crate) role: fn(&Probe) -> Option<FileRole>,
    /// The open path of the checkpoint at a path, which may be that of any of its files; `None` if no checkpoint of this format is
    /// there. A damaged checkpoint is located too, and reading it reports the damage.
    pub(crate) locate: fn(&Probe) -> Option<PathBuf>,
    /// The files of the checkpoint with this open path, by their names. The marker comes last.
    pub(crate) files: fn(&Path) -> Vec<PathBuf>,
    /// Those of `files` that the marker claims: a shard of another count than an index states belongs to no checkpoint. The marker
    /// comes last; without it there are none.
    pub(crate) claimed: fn(&Path) -> Vec<PathBuf>,
    /// The marker of the checkpoint with this open path; `None` if it does not exist.
    pub(crate) marker: fn(&Path) -> Option<PathBuf>,
    /// The prefix of the checkpoint that a file with this name belongs to; `None` if the name is that of no file of this format, or
    /// that of a whole checkpoint.
    ///
    /// ```
    /// use ckdiff::checkpoint::Format;
    ///
    /// let v2 = Format::by_name("v2").expect("it is a format");
    /// assert_eq!((v2.prefix)("model.ckpt.data-00000-of-00001"), Some("model.ckpt"));
    /// ```
    pub prefix: fn(&str) -> Option<&str>,
    /// The name of the open path, if a file with this name is the marker of a checkpoint; else `None`.
    pub(crate) open_name: fn(&str) -> Option<String>,
    /// Reads the checkpoint with this open path. The probe is that of the path for which `locate` found it.
    pub(crate) read: fn(&Probe, &Path, &Limits) -> Result<Contents>,
    /// Reads one file with the role [`FileRole::Readable`], without its siblings.
    pub(crate) read_file: fn(&Probe, &Limits) -> Result<Contents>,
    pub(crate) writer: Option<Writer>,
}

/// The role of a file in its checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileRole {
    /// The file can be read by itself: it has the names of tensors.
    Readable,
    /// The file cannot be read by itself: it has content, and the names are in another file.
    Content,
    /// The file is a text that lists the names and files of the tensors.
    TextIndex,
}

/// How a format is written.
pub(crate) struct Writer {
    /// The open path of a checkpoint with this prefix and number of shards.
    pub(crate) open_path: fn(&Path, usize) -> PathBuf,
    /// Whether the metadata of a checkpoint is written.
    pub(crate) keeps_metadata: bool,
    /// Writes the shards of a checkpoint, each file under a temporary name. The marker comes last.
    pub(crate) write: WriteShards,
    /// Merges checkpoints into one without reading their content; `None` if the format has no such way.
    pub(crate) merge: Option<Merge>,
}

/// See [`Writer::write`]; the path is the one that [`Writer::open_path`] was given.
type WriteShards =
    fn(&[Shard<'_>], &[(String, String)], &Path, &dyn Progress) -> Result<Vec<CompleteFile>>;

/// See [`Writer::merge`]; the paths are the open paths of the parts, and of the merged checkpoint.
pub(crate) type Merge = fn(&[PathBuf], &Path) -> Result<Merged>;

/// A merged checkpoint, whose files have temporary names.
pub(crate) struct Merged {
    /// The files. The marker comes last.
    pub(crate) files: Vec<CompleteFile>,
    /// The files of each part. The marker comes first.
    pub(crate) parts: Vec<Vec<PathBuf>>,
}

impl Format {
    /// Whether ckdiff can write this format.
    pub fn is_writable(&self) -> bool {
        self.writer.is_some()
    }

    /// Whether the format stores the metadata that [`Checkpoint::metadata`] returns.
    ///
    /// [`Checkpoint::metadata`]: crate::checkpoint::Checkpoint::metadata
    pub fn keeps_metadata(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.keeps_metadata)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({self})")
    }
}
