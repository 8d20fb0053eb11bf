//! Explains why a path is not opened as a checkpoint: by its kind, or with checkpoints of a similar name.

use std::path::Path;

use crate::error::Error;
use crate::files::directory_of;
use crate::formats::{checkpoints_in, has_content};
use crate::magic;
use crate::message::Form;
use crate::probe::Probe;
use crate::suggestion;

use super::{FileKind, layout, state_file};

/// Why a path of this kind is not opened as a checkpoint.
pub(super) fn no_checkpoint(probe: &Probe, kind: &FileKind) -> Error {
    let path = probe.path();
    let error = match kind {
        FileKind::Unreadable(error) => return error.clone(),
        FileKind::Stream => Error::unexpected("path", "a pipe or a device", "a regular file"),
        FileKind::Checkpoint { format, .. }
        | FileKind::CheckpointFile(format)
        | FileKind::TextIndex(format) => {
            Error::unsupported(format!("this is a {format} checkpoint"))
        }
        FileKind::ShardFile(format) => Error::unsupported(format!(
            "this is a data file of a {format} checkpoint, which cannot be read without the index"
        )),
        FileKind::SavedModel(_) => {
            Error::unsupported("this is a SavedModel; its checkpoint is variables/variables in it")
        }
        FileKind::StateDirectory | FileKind::Directory => Error::not_found(no_state_file(path)),
        FileKind::Message(Form::Binary) if layout::GRAPHS.contains(&probe.file_name()) => {
            Error::unsupported(
                "this is a SavedModel's graph; its checkpoint is variables/variables",
            )
        }
        FileKind::Unsupported(kind) => Error::unsupported(kind.to_string()),
        FileKind::Message(Form::Binary) => {
            Error::unsupported("this is not a checkpoint of a known format; it may be truncated")
        }
        FileKind::Message(_) | FileKind::PlainText => {
            Error::unsupported(match state_file::latest(probe) {
                Some(latest) => format!(
                    "this is the state file of a directory of checkpoints; the latest is {latest}"
                ),
                None => magic::TEXT.into(),
            })
        }
        FileKind::Remote => Error::unsupported(remote_path(path)),
        FileKind::Missing => Error::not_found(nothing_at(path)),
    };
    error.in_file(path)
}

/// The scheme of a path on another machine, such as `gs`.
pub(crate) fn scheme(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    text.split_once("://").map(|(scheme, _)| scheme.to_owned())
}

/// Explains that a path is on another machine.
pub(crate) fn remote_path(path: &Path) -> String {
    let scheme = scheme(path).unwrap_or_default();
    format!("{scheme}:// paths are remote; ckdiff reads local files only")
}

/// Explains that there is no checkpoint at `path`, and suggests others.
fn nothing_at(path: &Path) -> String {
    let dir = directory_of(path);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names = checkpoints_in(dir);
    let similar = suggestion::closest(name.as_bytes(), names.iter().map(String::as_bytes), 5);
    let similar: Vec<_> = similar.into_iter().map(String::from_utf8_lossy).collect();
    let hint = if !dir.is_dir() {
        format!("; there is no directory {}", dir.display())
    } else if has_content(path) {
        "; its data files exist, but the index is missing".into()
    } else if !similar.is_empty() {
        format!("; similar names: {}", similar.join(", "))
    } else {
        String::new()
    };
    format!("there is no file or checkpoint with this name{hint}")
}

/// Explains that a directory has no state file.
pub(crate) fn no_state_file(directory: &Path) -> String {
    let inside = checkpoints_inside(directory);
    format!("there is no state file `checkpoint` that names the latest checkpoint; {inside}")
}

/// Lists the checkpoints in a directory, in words.
pub(crate) fn checkpoints_inside(path: &Path) -> String {
    const SHOWN: usize = 8;
    let names = checkpoints_in(path);
    let shown = names.get(..SHOWN).unwrap_or(&names).join(", ");
    match (names.len(), names.len().saturating_sub(SHOWN)) {
        (0, _) => "the directory contains no checkpoint".into(),
        (_, 0) => format!("the directory contains {shown}"),
        (_, more) => format!("the directory contains {shown} and {more} more"),
    }
}
