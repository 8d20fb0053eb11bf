//! The file names of a V1 checkpoint: any name for a single file; `P-00000-of-00002` and so on for shards, which
//! `P-?????-of-00002` names together.
//!
//! Names are literal, except for the `?????` that TensorFlow itself writes for the number of a shard; `P-?????-of-?????`, which its
//! readers accept too, names the only checkpoint `P` in shards.

use std::path::{Path, PathBuf};

use super::super::format::FileRole;
use super::super::shard_name::{ShardName, all_shards, of_all_shards, of_any_count, shards_of};
use crate::magic;
use crate::probe::Probe;

/// The path of the checkpoint: the file itself, or `P-?????-of-00002` for this path or one of its shards.
pub(super) fn locate(probe: &Probe) -> Option<PathBuf> {
    let path = probe.path();
    if let Some(all) = of_any_count(path).filter(|_| !probe.exists()) {
        return Some(all);
    }
    let shard = ShardName::written(probe.file_name(), 0);
    // A file name may contain question marks.
    let shard = shard.filter(|shard| shard.number.is_some() || !probe.exists());
    let Some(shard) = shard else {
        return probe.is_table().then(|| path.to_path_buf());
    };
    let all = all_shards(&path.with_file_name(shard.stem), shard.count);
    let is_one =
        if probe.exists() { magic::may_be_checkpoint_file(probe) } else { !files(&all).is_empty() };
    is_one.then_some(all)
}

/// Every table can be read, since it has its own list of tensors.
pub(super) fn role(probe: &Probe) -> Option<FileRole> {
    probe.is_table().then_some(FileRole::Readable)
}

/// The shards that `P-?????-of-00002` names, and the file of this name.
pub(super) fn files(path: &Path) -> Vec<PathBuf> {
    let mut files = match of_all_shards(path) {
        Some((stem, shards)) => {
            let shards = shards_of(&stem, 0, "").into_iter().filter(|(count, _)| *count == shards);
            shards.map(|(_, file)| file).collect()
        }
        None => Vec::new(),
    };
    files.extend(path.is_file().then(|| path.to_path_buf()));
    files
}

/// The file of this name, or its first shard.
pub(super) fn marker(path: &Path) -> Option<PathBuf> {
    let first = |path: &Path| files(path).into_iter().next();
    let file = path.is_file().then(|| path.to_path_buf());
    // Only here and where a checkpoint is read: the files of another name are never replaced or removed.
    file.or_else(|| first(path)).or_else(|| first(&of_any_count(path)?))
}

/// `P` for `P-00000-of-00002`.
pub(super) fn prefix(name: &str) -> Option<&str> {
    Some(ShardName::written(name, 0)?.stem)
}

/// `P-?????-of-00002` for the name of the first shard. Single files are not listed, since they may have any name.
pub(super) fn open_name(name: &str) -> Option<String> {
    let shard = ShardName::written(name, 0).filter(|shard| shard.number == Some(0))?;
    let is_own = !shard.stem.is_empty() && !shard.stem.ends_with(".data");
    is_own.then(|| all_shards(shard.stem.as_ref(), shard.count).to_string_lossy().into_owned())
}

/// The path that opens a checkpoint with this number of shards.
pub(super) fn open_path(path: &Path, shards: usize) -> PathBuf {
    match u32::try_from(shards) {
        Ok(1) | Err(_) => path.to_path_buf(),
        Ok(count) => all_shards(path, count),
    }
}
