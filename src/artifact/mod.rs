//! Anything that can be compared: checkpoints, messages in files, SavedModels.

mod document;
mod files;
mod kind;
mod message_type;
mod open;
mod readable;
mod recognize;
mod summary;
mod unread;

use std::path::{Path, PathBuf};

#[doc(hidden)]
pub use crate::message::Form;
pub(crate) use crate::sniff::layout;
pub use document::{Document, ReadOptions};
pub(crate) use files::asset_file;
pub use kind::ArtifactKind;
pub use summary::ArtifactSummary;
pub(crate) use summary::NO_CHECKSUM;
pub use unread::UnreadFiles;

#[doc(hidden)]
pub use self::{
    files::{Asset, Files},
    message_type::message_type,
};
use crate::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::schema::KnownType;
#[doc(hidden)]
pub use crate::sniff::{FileKind, Sniffed, Unsupported};

/// Anything that ckdiff compares, by its parts.
///
/// ```
/// use ckdiff::artifact::{Artifact, ArtifactKind};
///
/// let checkpoint = Artifact::open("tests/data/demo/model.ckpt")?.with_meta_graph()?;
/// assert_eq!(*checkpoint.kind(), ArtifactKind::Checkpoint);
/// assert!(checkpoint.checkpoint().is_some() && checkpoint.message().is_some());
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Artifact<'s> {
    path: PathBuf,
    kind: ArtifactKind,
    format: &'static str,
    checkpoint: Option<Checkpoint>,
    message: Option<Document<'s>>,
    files: Files,
    failed_parts: Vec<(SavedModelPart, Error)>,
}

/// A part of a SavedModel's directory besides its graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum SavedModelPart {
    /// The checkpoint of its variables.
    Variables,
    /// The directories of assets.
    Files,
    /// The fingerprint.
    Fingerprint,
    /// The Keras metadata.
    KerasMetadata,
}

/// The parts of an artifact in memory.
#[derive(Debug)]
pub(crate) struct Parts<'s> {
    pub(crate) path: PathBuf,
    pub(crate) kind: ArtifactKind,
    pub(crate) format: &'static str,
    pub(crate) checkpoint: Option<Checkpoint>,
    pub(crate) message: Option<Document<'s>>,
    pub(crate) files: Files,
}

impl<'s> Artifact<'s> {
    /// The artifact that consists of these parts.
    pub(crate) fn of_parts(parts: Parts<'s>) -> Self {
        let Parts { path, kind, format, checkpoint, message, files } = parts;
        Self { path, kind, format, checkpoint, message, files, failed_parts: Vec::new() }
    }

    /// The path as the user gave it; for a directory with a state file, the path of the latest checkpoint.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of the artifact in reports.
    pub fn kind(&self) -> &ArtifactKind {
        &self.kind
    }

    /// The format of a checkpoint, such as `V2`, or the form of a message.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// The checkpoint, or the variables of a SavedModel.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.checkpoint.as_ref()
    }

    /// The message, such as a meta graph or a saver; the graphs of a SavedModel.
    pub fn message(&self) -> Option<&Document<'s>> {
        self.message.as_ref()
    }

    /// The other files of a SavedModel.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The directory of a SavedModel, if it was opened by its directory.
    pub(crate) fn model_directory(&self) -> Option<&Path> {
        let document = self.message.as_ref()?;
        let is_inside = document.path().parent() == Some(&self.path);
        (document.message().ty().known == Some(KnownType::SavedModel) && is_inside)
            .then_some(&*self.path)
    }

    /// The parts of a SavedModel that could not be read; only [`open_readable`](Artifact::open_readable) allows any.
    pub fn failed_parts(&self) -> &[(SavedModelPart, Error)] {
        &self.failed_parts
    }

    /// The checkpoint.
    ///
    /// # Errors
    /// If the artifact has none; `action` is the participle of what was to be done, such as "verified".
    pub fn tensors(&self, action: &str) -> Result<&Checkpoint> {
        self.checkpoint.as_ref().ok_or_else(|| {
            let kind = self.kind.with_article();
            Error::unsupported(format!("this is {kind}; so far, only checkpoints are {action}"))
                .in_file(&self.path)
        })
    }
}
