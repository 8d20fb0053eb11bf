//! What can be compared: a path is opened, and what is inside decides what it is.

mod document;
mod files;
mod known_fields;
mod message_type;
mod recognize;

use std::path::{Path, PathBuf};

pub use crate::message::Form;
pub use document::{Document, ReadOptions};
pub use files::{Asset, Files};
pub use message_type::message_type;

use crate::bytes::Limits;
use crate::checkpoint::Checkpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::saved_model;
use crate::schema::Schema;
use crate::threads;

/// Anything that ckdiff compares: what a path turned out to hold, by its parts.
///
/// ```
/// use ckdiff::artifact::Artifact;
///
/// let checkpoint = Artifact::open("tests/data/demo/model.ckpt")?.with_meta_graph()?;
/// assert_eq!(checkpoint.kind(), "checkpoint");
/// assert!(checkpoint.checkpoint().is_some() && checkpoint.message().is_some());
/// # Ok::<(), ckdiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Artifact<'s> {
    path: PathBuf,
    kind: &'s str,
    format: &'static str,
    checkpoint: Option<Checkpoint>,
    message: Option<Document<'s>>,
    files: Files,
    unread: Vec<(Part, Error)>,
}

/// A part of the directory of a SavedModel beside its graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The checkpoint of its variables.
    Variables,
    /// The folders of its assets.
    Files,
    /// Its hashes.
    Fingerprint,
}

impl Artifact<'static> {
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
        let artifact = Self::readable(path.as_ref(), limits)?;
        match artifact.unread.first() {
            Some((_, error)) => Err(error.clone()),
            None => Ok(artifact),
        }
    }

    /// Opens what `path` names; of the directory of a SavedModel as much as can be read, if that is at least its graphs.
    /// [`unread`](Self::unread) has the rest.
    ///
    /// ```
    /// # use ckdiff::artifact::Artifact;
    /// let module = Artifact::open_readable("tests/data/saved_models/module")?;
    /// assert!(module.message().is_some() && module.unread().is_empty());
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// As [`open`](Self::open), but for parts of a SavedModel beside its graphs.
    pub fn open_readable(path: impl AsRef<Path>) -> Result<Self> {
        Self::readable(path.as_ref(), &Limits::default())
    }

    fn readable(path: &Path, limits: &Limits) -> Result<Self> {
        if let Some(graphs) = saved_model::file_in(path) {
            return Self::saved_model(path, &graphs, limits);
        }
        match Checkpoint::open_with(path, limits) {
            Ok(checkpoint) => Ok(checkpoint.into()),
            Err(error) if is_no_table(&error, path) => match message(path) {
                // A file that is neither is told of as a checkpoint.
                Err(other) if matches!(other.kind(), ErrorKind::Unsupported(_)) => Err(error),
                other => other.map(Self::from),
            },
            Err(error) => Err(error),
        }
    }

    /// Opens two, each with the meta graph beside it, on as many threads (0 for one per core).
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

    /// Reads the one file at `path`, whatever lies beside it: a checkpoint of one file, a V2 index without its data, or
    /// a message. Errors and reports call it `name`, which also helps to find out what it is.
    ///
    /// ```
    /// # use ckdiff::artifact::Artifact;
    /// let index = Artifact::open_file("tests/data/demo/model.ckpt.index", "saved/model.ckpt.index")?;
    /// assert_eq!((index.kind(), index.format()), ("checkpoint", "V2"));
    /// # Ok::<(), ckdiff::Error>(())
    /// ```
    /// # Errors
    /// When it cannot be read, or is nothing that ckdiff reads.
    pub fn open_file(path: impl AsRef<Path>, name: impl AsRef<Path>) -> Result<Self> {
        let (path, name) = (path.as_ref(), name.as_ref());
        if let Some(checkpoint) = Checkpoint::open_file(path, name)? {
            return Ok(checkpoint.into());
        }
        let fail = |source| Error::io("open", source).in_file(name);
        let file = std::fs::File::open(path).map_err(fail)?;
        let document = Document::read(file, name, Schema::tensorflow(), &ReadOptions::default())?;
        Ok(document.into())
    }

    /// The SavedModel in a directory: its graphs, its variables where it has any, and its other files, as far as they can
    /// be read.
    fn saved_model(path: &Path, graphs: &Path, limits: &Limits) -> Result<Self> {
        let graphs = message(graphs)?;
        let variables = path.join("variables").join("variables");
        let has_variables = variables.with_extension("index").is_file();
        let checkpoint = has_variables.then(|| Checkpoint::open_with(&variables, limits));
        let mut unread = Vec::new();
        let files = Files::of_saved_model(path, &mut unread);
        let checkpoint = checkpoint.transpose().unwrap_or_else(|error| {
            unread.push((Part::Variables, error));
            None
        });
        Ok(Self { path: path.to_path_buf(), checkpoint, files, unread, ..Self::from(graphs) })
    }

    /// Opens the meta graph beside a checkpoint too, where there is one: `P.meta` beside `P.index`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn with_meta_graph(mut self) -> Result<Self> {
        if self.message.is_none()
            && let Some(meta) = self.checkpoint.as_ref().and_then(Checkpoint::meta_graph)
        {
            self.message = Some(message(&meta)?);
        }
        Ok(self)
    }
}

impl<'s> Artifact<'s> {
    /// As the user gave it; of a directory with a state file, the checkpoint that this names.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is, as reports call it: `checkpoint`, `meta graph`, `SavedModel`.
    pub fn kind(&self) -> &'s str {
        self.kind
    }

    /// Its format, as in `V2`, or the form of its message.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Its tensors: those of a checkpoint, or the variables of a SavedModel.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.checkpoint.as_ref()
    }

    /// Its message: a meta graph, a graph, a saver; of a SavedModel its graphs.
    pub fn message(&self) -> Option<&Document<'s>> {
        self.message.as_ref()
    }

    /// The other files of a SavedModel.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The parts of a SavedModel that cannot be read, and why: none unless it was opened by
    /// [`open_readable`](Artifact::open_readable).
    pub fn unread(&self) -> &[(Part, Error)] {
        &self.unread
    }

    /// The tensors that it has.
    ///
    /// # Errors
    /// When it has none; `what` says what was wanted of them, as in "verified".
    pub fn tensors(&self, what: &str) -> Result<&Checkpoint> {
        self.checkpoint.as_ref().ok_or_else(|| {
            let article = if self.kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            let kind =
                format!("this is {article} {}; so far, only checkpoints are {what}", self.kind);
            Error::from(ErrorKind::Unsupported(kind)).in_file(&self.path)
        })
    }
}

impl From<Checkpoint> for Artifact<'static> {
    fn from(checkpoint: Checkpoint) -> Self {
        Self {
            path: checkpoint.path().to_path_buf(),
            kind: "checkpoint",
            format: checkpoint.format().name(),
            checkpoint: Some(checkpoint),
            message: None,
            files: Files::default(),
            unread: Vec::new(),
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
            unread: Vec::new(),
        }
    }
}

fn message(path: &Path) -> Result<Document<'static>> {
    Document::open(path, Schema::tensorflow(), &ReadOptions::default())
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
