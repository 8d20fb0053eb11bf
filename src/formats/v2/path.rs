//! The file names of a V2 checkpoint: `P.index`, `P.data-00000-of-00002` and so on.
//!
//! Names are literal: `*` and `[` are ordinary characters.

use std::path::{Path, PathBuf};

use super::super::format::FileRole;
use super::super::shard_name::{ShardName, shards_of, with_suffix};
use super::index;
use crate::magic;
use crate::probe::Probe;

/// The path of the index.
pub(super) fn index_of(prefix: &Path) -> PathBuf {
    with_suffix(prefix, ".index")
}

/// The prefix of the checkpoint with this index or shard. It may have no name: `sub/` is that of `sub/.index`.
pub(super) fn prefix_of(file: &Path) -> PathBuf {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // Only an extension after a name is one to `Path`.
    match name.rsplit_once('.') {
        Some((prefix, _)) => file.with_file_name(prefix),
        None => file.with_extension(""),
    }
}

/// The extension of a file name. Unlike in [`Path`], it may be all of the name: `.index`.
fn extension_of(path: &Path) -> Option<&str> {
    let whole = || path.file_name()?.to_str()?.strip_prefix('.');
    path.extension().map_or_else(whole, |extension| extension.to_str())
}

/// The path of shards, without their numbers.
pub(super) fn data_of(prefix: &Path) -> PathBuf {
    with_suffix(prefix, ".data")
}

/// The prefix of the checkpoint that a path names: the prefix itself, its index, or one of its shards.
pub(super) fn locate(probe: &Probe) -> Option<PathBuf> {
    let path = probe.path();
    if probe.at(&index_of(path)).exists() {
        return Some(path.to_path_buf());
    }
    let extension = extension_of(path)?;
    let prefix = prefix_of(path);
    let is_one = if extension == "index" {
        probe.exists() && magic::may_be_checkpoint_file(probe)
    } else {
        is_data_extension(extension)?;
        probe.exists() || probe.at(&index_of(&prefix)).exists()
    };
    is_one.then_some(prefix)
}

/// Whether a file is an index or a shard.
pub(super) fn role(probe: &Probe) -> Option<FileRole> {
    let extension = extension_of(probe.path()).unwrap_or_default();
    if is_data_extension(extension).is_some() {
        return Some(FileRole::Content);
    }
    let is_index = if extension == "index" {
        magic::may_be_checkpoint_file(probe)
    } else {
        probe.table().is_some_and(index::is_index)
    };
    is_index.then_some(FileRole::Readable)
}

/// The shards with this prefix, then the index.
pub(super) fn files(prefix: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        shards_of(&data_of(prefix), 0, "").into_iter().map(|(_, file)| file).collect();
    files.sort();
    files.extend(marker(prefix));
    files
}

/// The shards whose count the index states, then the index.
pub(super) fn claimed(prefix: &Path) -> Vec<PathBuf> {
    let Some(index) = marker(prefix) else { return Vec::new() };
    let count = Probe::new(&index).open().ok().and_then(index::shard_count);
    let shards = shards_of(&data_of(prefix), 0, "").into_iter();
    let own = shards.filter(|(of, _)| Some(*of) == count).map(|(_, file)| file);
    own.chain([index]).collect()
}

/// The index.
pub(super) fn marker(prefix: &Path) -> Option<PathBuf> {
    let index = index_of(prefix);
    index.is_file().then_some(index)
}

/// `P` for `P.index` and `P.data-00000-of-00002`.
pub(super) fn prefix(name: &str) -> Option<&str> {
    let data = |name| ShardName::written(name, 0)?.stem.strip_suffix(".data");
    name.strip_suffix(".index").or_else(|| data(name))
}

/// The prefix, for the name of an index.
pub(super) fn open_name(name: &str) -> Option<String> {
    name.strip_suffix(".index").map(str::to_owned)
}

/// Whether the extension is that of a shard, such as `data-00000-of-00002`.
fn is_data_extension(extension: &str) -> Option<()> {
    let shard = ShardName::written(extension, 0)?;
    (shard.stem == "data").then_some(())
}
