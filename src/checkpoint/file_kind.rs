//! The kinds of paths and files.

use std::fmt;
use std::path::PathBuf;

use super::format::Format;
use crate::error::Error;
use crate::message::Form;

/// The kind of what a path names.
#[derive(Debug, Clone)]
pub enum FileKind {
    /// A checkpoint in this format. `located` is the path that names all of its files.
    Checkpoint {
        /// The format.
        format: &'static Format,
        /// The path that the format found.
        located: PathBuf,
    },
    /// A file of a checkpoint in this format, without its siblings, that has the names of tensors.
    CheckpointFile(&'static Format),
    /// A file of a checkpoint in this format, without its siblings, that has content and no names.
    Content(&'static Format),
    /// The directory of a SavedModel, by its file with the graphs.
    SavedModel(PathBuf),
    /// A directory with a state file, which names the latest checkpoint.
    StateDirectory,
    /// Another directory.
    Directory,
    /// A message in this form. A file of no other kind counts as a binary message.
    Message(Form),
    /// Text that is neither in the text format nor JSON.
    Prose,
    /// A file that ckdiff does not read yet.
    Unsupported(Unsupported),
    /// A pipe or a device.
    Stream,
    /// A file that cannot be opened, and why.
    Unreadable(Error),
    /// A path on another machine, such as `gs://bucket/model`.
    Remote,
    /// A path without a file or directory.
    Missing,
}

/// A kind of file that ckdiff recognizes and does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsupported {
    /// A file in this format; the name has its article.
    Format(&'static str),
    /// A file compressed by this program.
    Compressed(&'static str),
    /// A Git LFS pointer, which stands for another file.
    LfsPointer,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(name) => write!(f, "this is {name}; ckdiff does not read those yet"),
            Self::Compressed(with) => write!(f, "this is compressed with {with}; unpack it first"),
            Self::LfsPointer => f.write_str(
                "this is a Git LFS pointer, not the file itself; `git lfs pull` fetches it",
            ),
        }
    }
}
