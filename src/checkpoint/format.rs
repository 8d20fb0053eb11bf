//! The formats of checkpoints: one folder and one line of [`FORMATS`] each.
//!
//! A new format is a folder beside `v1/` and `v2/` with a `static FORMAT: Format`, and its line in [`FORMATS`]. Everything
//! else (diff, show, verify, save-as, digests, suggestions, git) goes through this table. A newcomer fills in:
//!
//! - `name`, `option`, `about`: how reports, `--format` and `--help` call the format;
//! - `checksum`: the kind of checksum that protects content; `None` where the format has none, which reports then say;
//! - `version`: how a `SaverDef` names the format; `None` unless TensorFlow's savers write it;
//! - `role`: whether one file, by its name and its first and last bytes, belongs to the format, and what it holds;
//! - `locate`: the checkpoint that a path names, and the path that names all of its files;
//! - `files`: the files behind such a path, by their names alone;
//! - `listed`: for a file name in a directory, the name under which a user opens its checkpoint;
//! - `read`, `read_file`: the names in a checkpoint, each with a [`TensorSource`](crate::tensor::TensorSource) that reads its
//!   content on demand. Damage to one tensor belongs into its [`Entry`](super::Entry), other damage into
//!   [`Contents::damage`];
//! - `writer`: `None` for a format that is only read. A format that stores texts beside the tensors reads them into
//!   [`Contents::metadata`] and writes those of its [`Draft`](super::Draft).

use std::fmt;
use std::path::{Path, PathBuf};

use super::draft::Shard;
use super::probe::Probe;
use super::{Contents, safetensors, v1, v2};
use crate::bytes::{ChecksumKind, Limits};
use crate::error::{ErrorKind, Result};
use crate::files::Complete;
use crate::progress::Progress;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// Every format, in the order in which they are tried: V2 first, as in TensorFlow.
pub static FORMATS: &[&Format] = &[&v2::FORMAT, &v1::FORMAT, &safetensors::FORMAT];

/// A format of checkpoints.
pub struct Format {
    pub(super) name: &'static str,
    pub(super) option: &'static str,
    pub(super) about: &'static str,
    pub(super) checksum: Option<ChecksumKind>,
    pub(super) version: Option<CheckpointFormatVersion>,
    /// What a file is to a checkpoint of this format; `None` for a file that is not of this format. Names count only where the
    /// content does not decide.
    pub(super) role: fn(&Probe) -> Option<Role>,
    /// The path that names all files of the checkpoint that the given path names; `None` where it names none of this format. A
    /// checkpoint that is named but damaged is located, too: reading it says what is wrong.
    pub(super) locate: fn(&Probe) -> Option<PathBuf>,
    /// The files of the checkpoint that a path from `locate` names, judged by their names. The file without which the others
    /// count for nothing comes last.
    pub(super) files: fn(&Path) -> Vec<PathBuf>,
    /// The name under which the checkpoint is opened that a file of this name belongs to; `None` for all but one of its files.
    pub(super) listed: fn(&str) -> Option<String>,
    /// Reads the checkpoint that `locate` found for a path.
    pub(super) read: fn(&Probe, &Path, &Limits) -> Result<Contents>,
    /// Reads one file whose role is [`Role::Readable`], whatever lies beside it.
    pub(super) read_file: fn(&Probe, &Limits) -> Result<Contents>,
    pub(super) writer: Option<Writer>,
}

/// What one file is to its checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It can be read alone: it has the names of tensors.
    Readable,
    /// It cannot be read alone: names or content are in another file.
    Content,
}

/// How a format is written.
pub(super) struct Writer {
    /// The path that opens a checkpoint written to this path in a number of shards.
    pub(super) opened_by: fn(&Path, usize) -> PathBuf,
    /// Whether it writes the pairs of texts that a checkpoint may have beside its tensors.
    pub(super) keeps_metadata: bool,
    /// Writes the shards of a checkpoint, each file under a temporary name. The file without which the others count for
    /// nothing comes last.
    pub(super) write: WriteShards,
}

/// See [`Writer::write`]; the path is the one that [`Writer::opened_by`] was given.
type WriteShards =
    fn(&[Shard<'_>], &[(String, String)], &Path, &dyn Progress) -> Result<Vec<Complete>>;

impl Format {
    /// The format that a saver of this version writes.
    pub fn of(version: CheckpointFormatVersion) -> &'static Self {
        let version = match version {
            CheckpointFormatVersion::Legacy => CheckpointFormatVersion::V1,
            version => version,
        };
        let known = FORMATS.iter().find(|format| format.version == Some(version));
        known.copied().unwrap_or(&v2::FORMAT)
    }

    /// The format of this name, as `--format` takes it or as reports show it.
    ///
    /// ```
    /// use ckdiff::checkpoint::Format;
    ///
    /// assert_eq!(Format::by_name("v2").map(Format::name), Some("V2"));
    /// assert!(Format::by_name("v3").is_none());
    /// ```
    pub fn by_name(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.option == name || format.name == name).copied()
    }

    /// The format that a file of this name has by its ending; `None` where the ending says nothing.
    ///
    /// ```
    /// use std::path::Path;
    /// use ckdiff::checkpoint::Format;
    ///
    /// let of = |path: &str| Format::by_ending(Path::new(path)).map(Format::name);
    /// assert_eq!((of("a/m.safetensors"), of("a/m.ckpt")), (Some("safetensors"), None));
    /// ```
    pub fn by_ending(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_str()?;
        let is_own = |format: &&&Self| (format.listed)(name).is_some_and(|opened| opened == name);
        FORMATS.iter().find(is_own).copied()
    }

    /// The name as reports show it: `V2`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The name as `--format` takes it: `v2`.
    pub fn option(&self) -> &'static str {
        self.option
    }

    /// The format in a sentence, as `--help` shows it.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// The kind of checksum that protects content; `None` for a format without checksums.
    pub fn checksum(&self) -> Option<ChecksumKind> {
        self.checksum
    }

    /// The version of a `SaverDef` that writes this format; `None` for a format that TensorFlow's savers do not know.
    pub fn version(&self) -> Option<CheckpointFormatVersion> {
        self.version
    }

    /// Whether ckdiff can write it.
    pub fn is_writable(&self) -> bool {
        self.writer.is_some()
    }

    /// Whether it can be written with the pairs of texts beside the tensors that [`Checkpoint::metadata`] returns.
    ///
    /// [`Checkpoint::metadata`]: super::Checkpoint::metadata
    pub fn keeps_metadata(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.keeps_metadata)
    }

    /// # Errors
    /// For a format that is only read; the error lists the others.
    pub(super) fn writer(&self) -> Result<&Writer> {
        self.writer.as_ref().ok_or_else(|| {
            let writable = FORMATS.iter().filter(|format| format.is_writable());
            let options: Vec<_> = writable.map(|format| format.option).collect();
            let kind =
                format!("ckdiff cannot write {self} checkpoints; it writes {}", options.join(", "));
            ErrorKind::Unsupported(kind).into()
        })
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

/// The checkpoint that a path names: its format, and the path that names all of its files.
pub(super) fn locate(probe: &Probe) -> Option<(&'static Format, PathBuf)> {
    FORMATS.iter().find_map(|format| Some((*format, (format.locate)(probe)?)))
}

/// Whether `path` names a checkpoint, readable or not.
pub(super) fn names_one(path: &Path) -> bool {
    // A directory gives its name to the checkpoint in it, and not to one beside it.
    locate(&Probe::new(path)).is_some_and(|(_, located)| located.parent() != Some(path))
}

/// The files of the checkpoint `path`, of any format; none where there is none. The file without which the others count for
/// nothing comes last.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    // V2 last, since its index makes a checkpoint of V1 at the same path invisible.
    let formats = FORMATS.iter().rev();
    let files = formats.flat_map(|format| {
        // A file of another content is not the checkpoint's.
        let is_own = |file: &PathBuf| (format.role)(&Probe::new(file)).is_some();
        (format.files)(path).into_iter().filter(is_own)
    });
    files.collect()
}

/// The names under which the checkpoints in `dir` are opened, sorted; at most 1,000 of them.
pub(super) fn checkpoints_in(dir: &Path) -> Vec<String> {
    const LISTED: usize = 10_000;
    const MOST: usize = 1_000;
    // A directory that cannot be listed has nothing to suggest.
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().take(LISTED);
    let listed = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_str()?;
        FORMATS.iter().find_map(|format| (format.listed)(name))
    };
    let mut names: Vec<String> = entries.filter_map(listed).collect();
    names.sort_unstable();
    names.truncate(MOST);
    names
}
