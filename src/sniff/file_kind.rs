//! The kinds of paths and files.

use std::path::PathBuf;

use crate::error::Error;
use crate::formats::Format;
use crate::magic::{HeadKind, Unsupported};
use crate::message::Form;

/// The kind of what a path names.
#[derive(Debug, Clone)]
pub enum FileKind {
    /// A checkpoint in this format.
    Checkpoint {
        /// The format.
        format: &'static Format,
        /// The path that opens the checkpoint.
        located: PathBuf,
    },
    /// A file of a checkpoint in this format, without its siblings, that has the names of tensors.
    CheckpointFile(&'static Format),
    /// A file of a checkpoint in this format, without its siblings, that has content and no names.
    ShardFile(&'static Format),
    /// A text that lists the names and files of the tensors of a checkpoint in this format.
    TextIndex(&'static Format),
    /// The directory of a SavedModel, by its file with the graphs.
    SavedModel(PathBuf),
    /// A directory with a state file, which names the latest checkpoint.
    StateDirectory,
    /// Another directory.
    Directory,
    /// A message in this form. A file of no other kind counts as a binary message.
    Message(Form),
    /// Text that is neither in the text format nor JSON.
    PlainText,
    /// A file that ckdiff does not read yet.
    Unsupported(Unsupported),
    /// A pipe or a device that the process has open, such as `/dev/stdin`.
    Stream,
    /// A file that cannot be opened, and why.
    Unreadable(Error),
    /// A path on another machine, such as `gs://bucket/model`.
    Remote,
    /// A path without a file or directory.
    Missing,
}

impl From<HeadKind> for FileKind {
    fn from(kind: HeadKind) -> Self {
        match kind {
            HeadKind::Unsupported(kind) => Self::Unsupported(kind),
            HeadKind::Message(form) => Self::Message(form),
            HeadKind::PlainText => Self::PlainText,
        }
    }
}
