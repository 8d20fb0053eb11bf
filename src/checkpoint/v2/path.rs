//! The names of a V2 checkpoint's files: `P.index`, `P.data-00000-of-00002` and so on.
//!
//! Names are literal: `*` and `[` in them are characters, not patterns.

use std::path::{Path, PathBuf};

use super::super::format::Role;
use super::super::probe::Probe;
use super::super::shard_name::{ShardName, shards_of, with_suffix};
use super::index;

/// The file with the names.
pub(super) fn index_of(prefix: &Path) -> PathBuf {
    with_suffix(prefix, ".index")
}

/// What the names of the files with content have before their numbers.
pub(super) fn data_of(prefix: &Path) -> PathBuf {
    with_suffix(prefix, ".data")
}

/// The index of the checkpoint that a path names: its prefix, its index, or a file of its content.
pub(super) fn locate(probe: &Probe) -> Option<PathBuf> {
    let path = probe.path();
    let index = index_of(path);
    if is_there(&index) {
        return Some(index);
    }
    let extension = path.extension()?.to_str()?;
    if extension == "index" {
        let is_index = probe.exists() && (probe.is_table() || !probe.is_other());
        return is_index.then(|| path.to_path_buf());
    }
    is_data_extension(extension)?;
    let index = path.with_extension("index");
    (probe.exists() || is_there(&index)).then_some(index)
}

/// Whether a file is an index or content.
pub(super) fn role(probe: &Probe) -> Option<Role> {
    let extension = probe.path().extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default();
    if is_data_extension(extension).is_some() {
        return Some(Role::Content);
    }
    let is_index = if extension == "index" {
        probe.is_table() || !probe.is_other()
    } else {
        probe.is_table() && probe.file().is_some_and(index::is_index)
    };
    is_index.then_some(Role::Readable)
}

/// The files of the checkpoint with this prefix: content, then the index.
pub(super) fn files(prefix: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        shards_of(&data_of(prefix), 0, "").into_iter().map(|(_, file)| file).collect();
    files.sort();
    let index = index_of(prefix);
    files.extend(index.is_file().then_some(index));
    files
}

/// The prefix, for the name of an index.
pub(super) fn listed(name: &str) -> Option<String> {
    name.strip_suffix(".index").map(str::to_owned)
}

/// `data-00000-of-00002`.
fn is_data_extension(extension: &str) -> Option<()> {
    let shard = ShardName::written(extension, 0)?;
    (shard.stem == "data").then_some(())
}

/// Whether there is anything of this name, even if it cannot be opened: then reading it says why.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
