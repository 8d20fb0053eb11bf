//! Opens artifacts.

use std::path::Path;

use super::document::message;
use super::{
    Artifact, ArtifactKind, Document, FileKind, Files, SavedModelPart, Sniffed, UnreadFiles, layout,
};
use crate::checkpoint::{Checkpoint, has_content};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::probe::Probe;
use crate::threads;

impl Artifact<'static> {
    /// Opens a path; see [`Checkpoint::open`] for the paths of checkpoints.
    ///
    /// # Errors
    /// If the path does not exist, or its file kind is not supported.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::of(Sniffed::of_path(path))
    }

    /// Opens a path whose file kind is known. It may be a file without its siblings: a checkpoint in one file, a V2 index, or a
    /// message.
    ///
    /// ```
    /// # use ckdiff::artifact::{Artifact, Sniffed};
    /// let index = Sniffed::of_file("tests/data/demo/model.ckpt.index", "saved/model.ckpt.index");
    /// let index = Artifact::of(index)?;
    /// assert_eq!((index.kind().name(), index.format()), ("checkpoint", "V2"));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As [`open`](Self::open).
    pub fn of(found: Sniffed) -> Result<Self> {
        Self::readable(found)?.complete()
    }

    /// Opens a path. Of a SavedModel only the graphs must be readable; [`failed_parts`](Self::failed_parts) has the errors of the
    /// other parts.
    ///
    /// ```
    /// # use ckdiff::artifact::Artifact;
    /// let module = Artifact::open_readable("tests/data/saved_models/module")?;
    /// assert!(module.message().is_some() && module.failed_parts().is_empty());
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As [`open`](Self::open), except for the failed parts of a SavedModel.
    pub fn open_readable(path: impl AsRef<Path>) -> Result<Self> {
        Self::readable(Sniffed::of_path(path))
    }

    fn readable(found: Sniffed) -> Result<Self> {
        match found.kind() {
            FileKind::SavedModel(graphs) => Self::saved_model(&found, &found.at(graphs)),
            FileKind::Message(_) => message(&found).map(Self::from),
            _ => Checkpoint::of(found, &Limits::default()).map(Self::from),
        }
    }

    /// Opens two paths, each with the meta graph of a checkpoint, on up to `threads` threads (0 for one per core).
    ///
    /// ```
    /// use ckdiff::artifact::Artifact;
    ///
    /// let dir = "tests/data/demo";
    /// let (lhs, rhs) = Artifact::open_both(format!("{dir}/model.ckpt"), format!("{dir}/nothing"), 0);
    /// assert!(lhs.is_ok() && rhs.is_err());
    /// ```
    pub fn open_both(
        lhs: impl AsRef<Path>,
        rhs: impl AsRef<Path>,
        threads: usize,
    ) -> (Result<Self>, Result<Self>) {
        let whole = |path: &Path| Self::open(path).and_then(Self::with_meta_graph);
        let (lhs, rhs) = (lhs.as_ref(), rhs.as_ref());
        threads::both(threads, || whole(lhs), || whole(rhs))
    }

    /// Reads tensors of the checkpoint into memory, as long as they take at most `most_bytes` together; see [`Checkpoint::hold`].
    pub(crate) fn hold(&mut self, most_bytes: u64, threads: usize) {
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.hold(most_bytes, threads);
        }
    }

    /// The artifact.
    ///
    /// # Errors
    /// If a part could not be read.
    fn complete(self) -> Result<Self> {
        match self.failed_parts.first() {
            Some((_, error)) => Err(error.clone()),
            None => Ok(self),
        }
    }

    /// Opens a SavedModel: its graphs, its variables if it has any, and its other files.
    fn saved_model(found: &Sniffed, graphs: &Sniffed) -> Result<Self> {
        let (path, graphs) = (found.path(), message(graphs)?);
        let mut failed_parts = Vec::new();
        let mut files = Files::of_saved_model(path, &mut failed_parts);
        let checkpoint = variables(path).unwrap_or_else(|error| {
            failed_parts.push((SavedModelPart::Variables, error));
            None
        });
        let of_variables = checkpoint.as_ref().map(Checkpoint::files).unwrap_or_default();
        files.unread = UnreadFiles::of_saved_model(path, graphs.path(), of_variables);
        Ok(Self { path: path.to_path_buf(), checkpoint, files, failed_parts, ..Self::from(graphs) })
    }

    /// Also opens the meta graph of a checkpoint, if it has one: `P.meta` for `P.index`.
    ///
    /// # Errors
    /// If the meta graph cannot be read.
    pub fn with_meta_graph(mut self) -> Result<Self> {
        if self.message.is_none()
            && let Some(meta) = self.checkpoint.as_ref().and_then(Checkpoint::find_meta_graph)
        {
            self.message = Some(message(&meta)?);
        }
        Ok(self)
    }
}

/// Opens the variables of a SavedModel, if it has any. A graph without variables is saved without the directory, or with an empty one.
///
/// # Errors
/// If a part of the variables exists, and they cannot be read.
fn variables(model: &Path) -> Result<Option<Checkpoint>> {
    let prefix = layout::variables_path(model);
    let directory = Probe::new(&model.join(layout::VARIABLES));
    if directory.is_no_directory() {
        return Err(match directory.open() {
            Ok(_) => Error::unexpected("path", "a file", "a directory").in_file(directory.path()),
            Err(error) => error,
        });
    }
    let found = Sniffed::of_path(&prefix);
    match found.kind() {
        FileKind::Missing if !has_content(&prefix) => return Ok(None),
        // Such as the model itself, if `variables` is a link to it.
        FileKind::Directory | FileKind::StateDirectory | FileKind::SavedModel(_) => {
            let expected = "the prefix of a checkpoint";
            return Err(Error::unexpected("path", "a directory", expected).in_file(&prefix));
        }
        _ => {}
    }
    Checkpoint::of(found, &Limits::default()).map(Some)
}

impl From<Checkpoint> for Artifact<'static> {
    fn from(checkpoint: Checkpoint) -> Self {
        Self {
            path: checkpoint.path().to_path_buf(),
            kind: ArtifactKind::Checkpoint,
            format: checkpoint.format().name,
            checkpoint: Some(checkpoint),
            message: None,
            files: Files::default(),
            failed_parts: Vec::new(),
        }
    }
}

impl<'s> From<Document<'s>> for Artifact<'s> {
    fn from(document: Document<'s>) -> Self {
        Self {
            path: document.path().to_path_buf(),
            kind: document.kind(),
            format: document.form().name(),
            checkpoint: None,
            message: Some(document),
            files: Files::default(),
            failed_parts: Vec::new(),
        }
    }
}
