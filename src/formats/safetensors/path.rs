//! The file names of a safetensors checkpoint: `M.safetensors`, or the index `M.safetensors.index.json` and shards such as
//! `M-00001-of-00002.safetensors`.

use std::path::{Path, PathBuf};

use super::super::format::FileRole;
use super::super::shard_name::{ShardName, shard, shards_of, with_suffix};
use super::header;
use crate::files::names_in;
use crate::magic;
use crate::probe::Probe;

/// The end of a file name with tensors.
pub(super) const FILE: &str = ".safetensors";

/// The end of the name of an index.
const INDEX: &str = ".safetensors.index.json";

/// The names of models in Hugging Face's libraries, which take precedence in a directory.
const MODELS: [&str; 2] = ["model.safetensors", "model.safetensors.index.json"];

/// The file or index that a path names: for a shard its index, for a directory the model in it.
pub(super) fn locate(probe: &Probe) -> Option<PathBuf> {
    let path = probe.path();
    if probe.is_directory() {
        return in_directory(probe);
    }
    let index = index_of(probe.file_name()).map(|index| path.with_file_name(index));
    if let Some(index) = index.filter(|index| probe.at(index).is_no_directory()) {
        return Some(index);
    }
    role(probe).map(|_| path.to_path_buf())
}

/// Whether a file is an index or has tensors.
pub(super) fn role(probe: &Probe) -> Option<FileRole> {
    if !probe.exists() || probe.is_directory() {
        None
    } else if is_index(probe.path()) {
        Some(FileRole::TextIndex)
    } else if header::is_likely(probe) {
        Some(FileRole::Readable)
    } else {
        // The start of the file may be damaged.
        let is_named = probe.file_name().ends_with(FILE) && magic::may_be_checkpoint_file(probe);
        is_named.then_some(FileRole::Readable)
    }
}

/// The shards of an index, and the file of this name.
pub(super) fn files(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if is_index(path) {
        files.extend(shards_of(&stem(path), 1, FILE).into_iter().map(|(_, file)| file));
    }
    files.extend(marker(path));
    files
}

/// The file or index of this name.
pub(super) fn marker(path: &Path) -> Option<PathBuf> {
    path.is_file().then(|| path.to_path_buf())
}

/// The name itself, unless it is that of a shard.
pub(super) fn open_name(name: &str) -> Option<String> {
    let is_one = name.ends_with(INDEX) || name.ends_with(FILE) && index_of(name).is_none();
    is_one.then(|| name.to_owned())
}

/// The path that opens a checkpoint with this number of shards.
pub(super) fn open_path(path: &Path, shards: usize) -> PathBuf {
    with_suffix(&stem(path), if shards > 1 { INDEX } else { FILE })
}

/// The path of shard `number`, counted from 1, of `count`.
pub(super) fn shard_of(path: &Path, number: u32, count: u32) -> PathBuf {
    match count {
        1 => open_path(path, 1),
        _ => with_suffix(&shard(&stem(path), number, count), FILE),
    }
}

/// Whether the path is the name of an index.
pub(super) fn is_index(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(INDEX.as_bytes()))
}

/// The path without the endings of this format.
fn stem(path: &Path) -> PathBuf {
    let mut stem = path.to_path_buf();
    if is_index(path) {
        stem.set_extension("");
        stem.set_extension("");
    }
    match stem.extension() {
        Some(extension) if extension == "safetensors" => stem.with_extension(""),
        _ => stem,
    }
}

/// The name of the index of a shard.
fn index_of(name: &str) -> Option<String> {
    let shard = ShardName::written(name.strip_suffix(FILE)?, 1)?;
    shard.number.map(|_| format!("{}{INDEX}", shard.stem))
}

/// The model in a directory: a file with a usual name, or else the only checkpoint.
fn in_directory(probe: &Probe) -> Option<PathBuf> {
    let directory = probe.path();
    let mut usual = MODELS.map(|name| directory.join(name)).into_iter();
    usual.find(|path| probe.at(path).is_no_directory()).or_else(|| {
        let mut found = names_in(directory).filter_map(|name| open_name(&name));
        let only = found.next()?;
        found.next().is_none().then(|| directory.join(only))
    })
}
