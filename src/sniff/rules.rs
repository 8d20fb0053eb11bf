//! The rules by which a path gets its kind.

use super::{FileKind, STATE_FILE, layout, scheme};
use crate::formats::{FORMATS, FileRole, checkpoints_in, locate};
use crate::magic::{self, HeadKind, Unsupported};
use crate::probe::Probe;

/// The scope of a lookup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// As the name of an artifact, which may have several files.
    Path,
    /// As one file, without its siblings.
    File,
    /// As the content of a pipe, which has no siblings either.
    Stream,
}

type Rule = fn(&Probe) -> Option<FileKind>;

/// The rules in the order in which they are tried, and the lookups to which they apply.
const RULES: &[(&[Lookup], Rule)] = &[
    (&[Lookup::Path, Lookup::File], |probe| probe.unknown().map(FileKind::Unreadable)),
    (&[Lookup::Path], saved_model),
    (&[Lookup::Path], checkpoint),
    (&[Lookup::Path], |probe| has_state_file(probe).then_some(FileKind::StateDirectory)),
    (&[Lookup::Path], model_directory),
    (&[Lookup::Path], only_checkpoint),
    (&[Lookup::Path], |probe| probe.is_directory().then_some(FileKind::Directory)),
    (&[Lookup::Path], |probe| is_remote(probe).then_some(FileKind::Remote)),
    (&[Lookup::Path, Lookup::File], |probe| (!probe.exists()).then_some(FileKind::Missing)),
    (&[Lookup::Path, Lookup::File], |probe| is_open_stream(probe).then_some(FileKind::Stream)),
    (&[Lookup::Path, Lookup::File], |probe| probe.open().err().map(FileKind::Unreadable)),
    (&[Lookup::Path, Lookup::File, Lookup::Stream], chunked_graphs),
    // The content of a shard may begin like a file of any other kind.
    (&[Lookup::File, Lookup::Stream], lfs_pointer),
    (&[Lookup::File, Lookup::Stream], single_file),
];

/// The kind of a path: by the first rule that applies, or by the content of the file.
pub(super) fn kind(probe: &Probe, lookup: Lookup) -> FileKind {
    let mut rules = RULES.iter().filter(|(lookups, _)| lookups.contains(&lookup));
    rules.find_map(|(_, rule)| rule(probe)).unwrap_or_else(|| HeadKind::of(probe).into())
}

fn saved_model(probe: &Probe) -> Option<FileKind> {
    let inside = |name: &str| probe.at(&probe.path().join(name));
    if !probe.is_directory() {
        return None;
    }
    let mut files = layout::GRAPHS.iter().map(|name| inside(name));
    match files.find(|file| file.exists()) {
        Some(file) => Some(FileKind::SavedModel(file.path().to_path_buf())),
        None => chunked_graphs(&inside(layout::CHUNKED)),
    }
}

/// The file with the graphs of a SavedModel in chunks.
fn chunked_graphs(probe: &Probe) -> Option<FileKind> {
    let is_one = probe.file_name() == layout::CHUNKED && probe.exists();
    let kind = Unsupported::Format {
        name: "a SavedModel in chunks (saved_model.cpb)",
        instead: "load it in TensorFlow, and save it without chunks",
    };
    is_one.then_some(FileKind::Unsupported(kind))
}

/// A checkpoint whose files are named by the path itself.
fn checkpoint(probe: &Probe) -> Option<FileKind> {
    let found = locate(probe)?;
    (!found.is_inside).then_some(FileKind::Checkpoint { format: found.format, located: found.path })
}

fn has_state_file(probe: &Probe) -> bool {
    probe.is_directory() && probe.at(&probe.path().join(STATE_FILE)).is_no_directory()
}

/// Whether the path is a pipe or a device that the process has open. All others are refused: they may never end.
fn is_open_stream(probe: &Probe) -> bool {
    probe.is_stream() && probe.is_descriptor()
}

fn is_remote(probe: &Probe) -> bool {
    !probe.exists() && scheme(probe.path()).is_some()
}

/// A directory whose checkpoint has a usual name.
fn model_directory(probe: &Probe) -> Option<FileKind> {
    let found = locate(probe)?;
    Some(FileKind::Checkpoint { format: found.format, located: found.path })
}

/// A directory with one checkpoint and no state file.
fn only_checkpoint(probe: &Probe) -> Option<FileKind> {
    let names = if probe.is_directory() { checkpoints_in(probe.path()) } else { Vec::new() };
    match names.as_slice() {
        [only] => checkpoint(&probe.at(&probe.path().join(only))),
        _ => None,
    }
}

/// The pointer that Git LFS keeps under the name of the file itself.
fn lfs_pointer(probe: &Probe) -> Option<FileKind> {
    let kind = magic::unsupported(probe)?;
    (kind == Unsupported::LfsPointer).then_some(FileKind::Unsupported(kind))
}

/// A file of a checkpoint, without its siblings.
fn single_file(probe: &Probe) -> Option<FileKind> {
    FORMATS.iter().find_map(|format| {
        Some(match (format.role)(probe)? {
            FileRole::Content => FileKind::ShardFile(format),
            FileRole::Readable => FileKind::CheckpointFile(format),
            FileRole::TextIndex => FileKind::TextIndex(format),
        })
    })
}
