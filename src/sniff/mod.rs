//! The front door: finds out what a path names, once, from the path and the first and last bytes of the file.
//!
//! The first rule in [`RULES`] that applies decides; formats of checkpoints take part through [`FORMATS`]. The content decides
//! about other files, see [`Content`].

mod file_kind;
mod refusal;

use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::formats::{FORMATS, Role, locate};
use crate::probe::Probe;
use crate::probe::content::{self, Content, SAVED_MODEL_CHUNKED, SAVED_MODEL_FILES, latest_in};

pub use crate::probe::content::Unsupported;
pub use file_kind::FileKind;
pub(crate) use refusal::{checkpoints_inside, remote_path, scheme};

/// The name of the state file of a directory, which names its checkpoints.
pub(crate) const STATE_FILE: &str = "checkpoint";

/// How a path is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    /// As the name of an artifact, which may have several files.
    Path,
    /// As one file, without its siblings.
    File,
}

type Rule = fn(&Probe) -> Option<FileKind>;

/// The rules in the order in which they are tried, and the views that they apply to.
const RULES: &[(&[View], Rule)] = &[
    (&[View::Path], saved_model),
    (&[View::Path], checkpoint),
    (&[View::Path], |probe| has_state_file(probe).then_some(FileKind::StateDirectory)),
    (&[View::Path], model_directory),
    (&[View::Path], |probe| probe.is_directory().then_some(FileKind::Directory)),
    (&[View::Path], |probe| is_remote(probe).then_some(FileKind::Remote)),
    (&[View::Path, View::File], |probe| (!probe.exists()).then_some(FileKind::Missing)),
    (&[View::Path, View::File], |probe| probe.is_stream().then_some(FileKind::Stream)),
    (&[View::Path, View::File], |probe| probe.open().err().map(FileKind::Unreadable)),
    (&[View::File], |probe| content::unsupported(probe).map(FileKind::Unsupported)),
    (&[View::File], single_file),
];

/// A path with its kind.
#[derive(Debug)]
pub struct Sniffed {
    probe: Arc<Probe>,
    kind: FileKind,
}

impl Sniffed {
    /// Finds out what a path names. A path may name a checkpoint that consists of several files.
    ///
    /// ```
    /// use ckdiff::artifact::{FileKind, Form, Sniffed};
    ///
    /// let graph = Sniffed::of_path("tests/data/graphs/frozen.pbtxt");
    /// assert!(matches!(graph.kind(), FileKind::Message(Form::Text)));
    /// let prefix = Sniffed::of_path("tests/data/demo/model.ckpt");
    /// assert!(matches!(prefix.kind(), FileKind::Checkpoint { .. }));
    /// ```
    pub fn of_path(path: impl AsRef<Path>) -> Self {
        Self::of_probe(Arc::new(Probe::new(path.as_ref())))
    }

    pub(crate) fn of_probe(probe: Arc<Probe>) -> Self {
        Self::by_rules(probe, View::Path)
    }

    /// Finds out what the file at `path` is by itself, without its siblings. Errors call it `name`, and the file name in `name`
    /// counts where the content does not decide.
    pub fn of_file(path: impl AsRef<Path>, name: impl AsRef<Path>) -> Self {
        Self::by_rules(Arc::new(Probe::named(path.as_ref(), name.as_ref())), View::File)
    }

    /// Finds out what a stream is by its first bytes. Errors call it `name`.
    pub(crate) fn of_stream(name: &Path, head: Vec<u8>) -> Self {
        let probe = Probe::of_stream(name, head);
        Self { kind: Content::of(&probe).into(), probe: Arc::new(probe) }
    }

    fn by_rules(probe: Arc<Probe>, view: View) -> Self {
        let mut rules = RULES.iter().filter(|(views, _)| views.contains(&view));
        let kind = rules.find_map(|(_, rule)| rule(&probe));
        let kind = kind.unwrap_or_else(|| Content::of(&probe).into());
        Self { probe, kind }
    }

    /// Finds out what another path names, with what is already known of it.
    pub(crate) fn at(&self, path: &Path) -> Self {
        Self::of_probe(self.probe.at(path))
    }

    pub(crate) fn probe(&self) -> &Probe {
        &self.probe
    }

    /// The path, or the name for errors.
    pub fn path(&self) -> &Path {
        self.probe.path()
    }

    /// The kind.
    pub fn kind(&self) -> &FileKind {
        &self.kind
    }

    /// Whether it is the state file of a directory of checkpoints.
    pub fn is_state_file(&self) -> bool {
        self.probe.file_name() == STATE_FILE && latest_in(self.probe.head()).is_some()
    }

    /// Why the path is not opened as a checkpoint.
    pub(crate) fn no_checkpoint(&self) -> Error {
        refusal::no_checkpoint(&self.probe, &self.kind)
    }
}

fn saved_model(probe: &Probe) -> Option<FileKind> {
    let inside = |name: &str| probe.at(&probe.path().join(name));
    if !probe.is_directory() {
        return None;
    }
    let mut files = SAVED_MODEL_FILES.iter().map(|name| inside(name));
    if let Some(file) = files.find(|file| file.is_file()) {
        return Some(FileKind::SavedModel(file.path().to_path_buf()));
    }
    let chunked = Unsupported::Format("a SavedModel in chunks (saved_model.cpb)");
    inside(SAVED_MODEL_CHUNKED).exists().then_some(FileKind::Unsupported(chunked))
}

/// A checkpoint whose files are named by the path itself.
fn checkpoint(probe: &Probe) -> Option<FileKind> {
    let (format, located) = locate(probe)?;
    let is_inside = located.parent() == Some(probe.path());
    (!is_inside).then_some(FileKind::Checkpoint { format, located })
}

fn has_state_file(probe: &Probe) -> bool {
    probe.is_directory() && probe.at(&probe.path().join(STATE_FILE)).is_file()
}

fn is_remote(probe: &Probe) -> bool {
    !probe.exists() && scheme(probe.path()).is_some()
}

/// A directory whose checkpoint has a usual name.
fn model_directory(probe: &Probe) -> Option<FileKind> {
    let (format, located) = locate(probe)?;
    Some(FileKind::Checkpoint { format, located })
}

/// A file of a checkpoint, without its siblings.
fn single_file(probe: &Probe) -> Option<FileKind> {
    FORMATS.iter().find_map(|format| {
        Some(match (format.role)(probe)? {
            Role::Content => FileKind::Content(format),
            Role::Readable => FileKind::CheckpointFile(format),
        })
    })
}
