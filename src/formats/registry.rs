//! The formats of checkpoints: one directory and one line of [`FORMATS`] each.
//!
//! A new format is a directory with a `static FORMAT: Format`, and its line in [`FORMATS`]. Every command works through this table.
//! The fields:
//!
//! - `name`, `option`, `about`: the format in reports, as a value of `--format`, and in `--help`;
//! - `checksum`: the kind of checksum that protects content; without one, reports mention it;
//! - `version`: the version of a `SaverDef`; `None` unless TensorFlow's savers write the format;
//! - `role`: what a file is to a checkpoint of this format, if it belongs to one, by its name and its first and last bytes;
//! - `locate`: from the path of any file of a checkpoint, its open path;
//! - `files`: the files of the checkpoint with an open path, by their names;
//! - `claimed`: those of them that the marker claims;
//! - `marker`: the file whose presence means that such a checkpoint exists;
//! - `prefix`: the prefix that the names of a checkpoint's files have in common;
//! - `open_name`: for the marker in a directory, the name of the open path;
//! - `read`, `read_file`: the names in a checkpoint, each with a [`TensorSource`](crate::tensor::TensorSource). Damage to one
//!   tensor belongs in its [`Entry`](super::Entry), other damage in [`Contents::damage`](super::Contents);
//! - `writer`: `None` for a format that is only read.

use std::path::{Path, PathBuf};

use super::format::{FileRole, Format, Writer};
use super::{safetensors, v1, v2};
use crate::error::{Error, Result};
use crate::files::names_in;
use crate::probe::Probe;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// Every format, in the order of precedence: V2 comes first, as in TensorFlow.
pub static FORMATS: &[&Format] = &[&v2::FORMAT, &v1::FORMAT, &safetensors::FORMAT];

impl Format {
    /// The format that a saver of this version writes.
    ///
    /// # Errors
    /// If no format has this version.
    pub fn of(version: CheckpointFormatVersion) -> Result<&'static Self> {
        let version = match version {
            CheckpointFormatVersion::Legacy => CheckpointFormatVersion::V1,
            version => version,
        };
        let known = FORMATS.iter().find(|format| format.version == Some(version));
        known
            .copied()
            .ok_or_else(|| Error::unsupported(format!("no format has version {version:?}")))
    }

    /// The format with this name, in reports or as a value of `--format`.
    ///
    /// ```
    /// use ckdiff::checkpoint::Format;
    ///
    /// assert_eq!(Format::by_name("v2").map(|format| format.name), Some("V2"));
    /// assert!(Format::by_name("v3").is_none());
    /// ```
    pub fn by_name(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.option == name || format.name == name).copied()
    }

    /// The format whose files have the extension of `path`, if there is one.
    ///
    /// ```
    /// use std::path::Path;
    /// use ckdiff::checkpoint::Format;
    ///
    /// let of = |path: &str| Format::by_extension(Path::new(path)).map(|format| format.name);
    /// assert_eq!((of("a/m.safetensors"), of("a/m.ckpt")), (Some("safetensors"), None));
    /// ```
    pub fn by_extension(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_str()?;
        let is_own =
            |format: &&&Self| (format.open_name)(name).is_some_and(|opened| opened == name);
        FORMATS.iter().find(is_own).copied()
    }

    /// How the format is written.
    ///
    /// # Errors
    /// If the format is only read; the error lists the others.
    pub(crate) fn writer(&self) -> Result<&Writer> {
        self.writer.as_ref().ok_or_else(|| {
            let writable = FORMATS.iter().filter(|format| format.is_writable());
            let options: Vec<_> = writable.map(|format| format.option).collect();
            let options = options.join(", ");
            Error::unsupported(format!(
                "ckdiff cannot write {self} checkpoints; it writes {options}"
            ))
        })
    }
}

/// A checkpoint that a path names.
pub(crate) struct Located {
    pub(crate) format: &'static Format,
    /// Its open path.
    pub(crate) path: PathBuf,
    /// Whether the path that names it is its directory.
    pub(crate) is_inside: bool,
}

/// The checkpoint that a path names.
pub(crate) fn locate(probe: &Probe) -> Option<Located> {
    FORMATS.iter().find_map(|&format| {
        let path = (format.locate)(probe)?;
        let is_inside = path.parent() == Some(probe.path());
        Some(Located { format, path, is_inside })
    })
}

/// Whether a path names a checkpoint, or a file that may be a damaged one. A directory with a checkpoint in it does not count.
pub(crate) fn may_be_checkpoint(probe: &Probe) -> bool {
    match locate(probe) {
        Some(found) => !found.is_inside,
        None => probe.exists() && !probe.is_directory(),
    }
}

/// The files of the checkpoint `path` by their names, in any format. The marker comes last.
pub(crate) fn files_of(path: &Path) -> Vec<PathBuf> {
    own_files(|format| (format.files)(path))
}

/// The files of the checkpoint `path` that its marker claims, in any format. The marker comes last.
pub(crate) fn claimed_by(path: &Path) -> Vec<PathBuf> {
    own_files(|format| (format.claimed)(path))
}

/// The files that `list` returns for each format, except those with other content.
fn own_files(list: impl Fn(&Format) -> Vec<PathBuf>) -> Vec<PathBuf> {
    // V2 last, since its index hides a V1 checkpoint at the same path.
    let formats = FORMATS.iter().rev();
    let files = formats.flat_map(|format| {
        // A file with other content is not part of the checkpoint.
        let is_own = |file: &PathBuf| (format.role)(&Probe::new(file)).is_some();
        list(format).into_iter().filter(is_own)
    });
    files.collect()
}

/// Whether a checkpoint of this path has files with content, in any format.
pub(crate) fn has_content(path: &Path) -> bool {
    let is_content =
        |format: &Format, file: &Path| (format.role)(&Probe::new(file)) == Some(FileRole::Content);
    FORMATS.iter().any(|format| (format.files)(path).iter().any(|file| is_content(format, file)))
}

/// The names that open the checkpoints in `dir`, sorted; at most 1,000.
pub(crate) fn checkpoints_in(dir: &Path) -> Vec<String> {
    const MAX: usize = 1_000;
    let open_name = |name: String| FORMATS.iter().find_map(|format| (format.open_name)(&name));
    let mut names: Vec<String> = names_in(dir).filter_map(open_name).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX);
    names
}
