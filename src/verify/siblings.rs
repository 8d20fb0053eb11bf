//! The siblings of a checkpoint, which a shell's `P*` and `DIR/*` also match: meta graphs and state files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::checkpoint::{FORMATS, META_GRAPH_SUFFIX};
use crate::files::resolved;

/// Whether `path` has the name of a meta graph.
pub(super) fn is_meta(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(META_GRAPH_SUFFIX)) && path.is_file()
}

/// The prefixes that `paths` belong to, whether or not they have a checkpoint.
pub(super) fn prefixes(paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    paths
        .iter()
        .filter(|path| !is_meta(path))
        .flat_map(|path| [prefix(path), resolved(path)])
        .collect()
}

/// The prefix of the checkpoint that a meta graph belongs to.
pub(super) fn of_meta(path: &Path) -> PathBuf {
    resolved(&path.with_extension(""))
}

/// The prefix of the checkpoint that `path` may be a file of.
fn prefix(path: &Path) -> PathBuf {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let prefix = FORMATS.iter().find_map(|format| (format.prefix)(name)).unwrap_or(name);
    if prefix.is_empty() { resolved(path) } else { resolved(&path.with_file_name(prefix)) }
}
