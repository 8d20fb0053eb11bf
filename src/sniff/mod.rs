//! Detects the file kind of a path, once, from the path and the first and last bytes of the file.
//!
//! The first rule in `rules.rs` that applies decides; formats of checkpoints take part through
//! [`FORMATS`](crate::formats::FORMATS). The content decides about other files, see [`HeadKind`].

mod file_kind;
pub(crate) mod layout;
mod refusal;
mod rules;
mod state_file;

use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::probe::Probe;

pub use crate::magic::Unsupported;
pub use file_kind::FileKind;
pub(crate) use refusal::{checkpoints_inside, no_state_file, remote_path, scheme};
use rules::Lookup;
pub(crate) use state_file::{
    STATE_FILE, STATE_FILE_BYTES, message_type as state_file_type, read as read_state_file,
};

/// A path with its kind.
#[derive(Debug)]
pub struct Sniffed {
    probe: Arc<Probe>,
    kind: FileKind,
}

impl Sniffed {
    /// Detects the kind of a path. A path may name a checkpoint that consists of several files.
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
        Self::by_rules(probe, Lookup::Path)
    }

    /// Detects the kind of the file at `path`, without its siblings. Errors call it `name`, and the file name in `name`
    /// counts where the content does not decide.
    pub fn of_file(path: impl AsRef<Path>, name: impl AsRef<Path>) -> Self {
        Self::by_rules(Arc::new(Probe::named(path.as_ref(), name.as_ref())), Lookup::File)
    }

    /// Detects the kind of a stream by its bytes, all or the first ones; only a table has its mark at the end. Errors call it `name`.
    pub(crate) fn of_stream(name: &Path, bytes: &[u8]) -> Self {
        Self::by_rules(Arc::new(Probe::of_stream(name, bytes)), Lookup::Stream)
    }

    fn by_rules(probe: Arc<Probe>, lookup: Lookup) -> Self {
        Self { kind: rules::kind(&probe, lookup), probe }
    }

    /// Detects the kind of another path, which the probe may have read already.
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
        self.probe.file_name() == STATE_FILE && state_file::latest(&self.probe).is_some()
    }

    /// Why the path is not opened as a checkpoint.
    pub(crate) fn no_checkpoint(&self) -> Error {
        refusal::no_checkpoint(&self.probe, &self.kind)
    }
}
