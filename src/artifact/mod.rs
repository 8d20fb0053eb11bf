//! What can be compared: a path is opened, and what is inside decides what it is.

mod detect;
mod document;
mod fit;
mod form;
mod message_type;
mod names;

use std::path::{Path, PathBuf};

pub use document::{Document, ReadOptions};
pub use form::Form;
pub use message_type::message_type;

use crate::bytes::Limits;
use crate::checkpoint::Checkpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::schema::Schema;

/// Anything that ckdiff compares.
#[derive(Debug)]
#[non_exhaustive]
pub enum Artifact {
    /// Named tensors.
    Checkpoint(Checkpoint),
    /// A meta graph, a graph, a saver: one of TensorFlow's messages. Of the directory of a SavedModel, its graphs.
    Message(Document<'static>),
}

impl Artifact {
    /// Opens what `path` names; see [`Checkpoint::open`] for the forms of a checkpoint's path.
    ///
    /// # Errors
    /// When nothing is there, or it is nothing that ckdiff reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, &Limits::default())
    }

    /// Opens what `path` names, within `limits`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        let message =
            |path: &Path| Document::open(path, Schema::tensorflow(), &ReadOptions::default());
        if let Some(graphs) = saved_model(path) {
            return message(&graphs).map(Self::Message);
        }
        match Checkpoint::open_with(path, limits) {
            Ok(checkpoint) => Ok(Self::Checkpoint(checkpoint)),
            Err(error) if is_no_table(&error, path) => match message(path) {
                // A file that is neither is told of as a checkpoint.
                Err(other) if matches!(other.kind(), ErrorKind::Unsupported(_)) => Err(error),
                other => other.map(Self::Message),
            },
            Err(error) => Err(error),
        }
    }

    /// What it is, as reports call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Checkpoint(_) => "checkpoint",
            Self::Message(document) => document.kind(),
        }
    }

    /// The checkpoint that it is.
    ///
    /// # Errors
    /// When it is something else; `what` says what was wanted of it, as in "compared".
    pub fn checkpoint(&self, what: &str) -> Result<&Checkpoint> {
        match self {
            Self::Checkpoint(checkpoint) => Ok(checkpoint),
            Self::Message(document) => {
                let kind = document.kind();
                let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                let kind = format!("this is {article} {kind}; so far, only checkpoints are {what}");
                Err(Error::from(ErrorKind::Unsupported(kind)).in_file(document.path()))
            }
        }
    }
}

/// The graphs of the SavedModel in a directory; as TensorFlow does, the binary file wins.
///
/// ```
/// use std::path::Path;
/// use ckdiff::artifact::saved_model;
///
/// assert_eq!(saved_model(Path::new("tests/data/demo")), None);
/// ```
pub fn saved_model(dir: &Path) -> Option<PathBuf> {
    ["saved_model.pb", "saved_model.pbtxt"]
        .map(|name| dir.join(name))
        .into_iter()
        .find(|file| file.is_file())
}

/// Whether `path` is a file, and not one of a checkpoint.
fn is_no_table(error: &Error, path: &Path) -> bool {
    let of_file = error.file().is_none_or(|file| file == path);
    let is_other = matches!(
        error.kind(),
        ErrorKind::Unsupported(_)
            | ErrorKind::Unexpected { what: "magic number", .. }
            | ErrorKind::Truncated { what: "the footer of a table", .. }
    );
    of_file && is_other && path.is_file()
}
