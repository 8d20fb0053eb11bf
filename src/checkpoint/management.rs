//! The functions of TensorFlow's `checkpoint_management`: existence, modification times and removal of checkpoints.
//!
//! Names are literal. TensorFlow takes them for patterns, so that a `*` in a name would remove other files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{FORMATS, Format};
use crate::error::{Error, Result};
use crate::formats::shard_name::{self, with_suffix, without_numbers};

/// Whether a checkpoint exists, as TensorFlow's `checkpoint_exists`: the index of a V2 checkpoint, a V1 file, or a shard of
/// `P-?????-of-00002`.
pub fn exists(checkpoint: &Path) -> bool {
    identifying_file(checkpoint).is_some()
}

/// The modification times of checkpoints, as TensorFlow's `get_checkpoint_mtimes`; `None` for a checkpoint that does not exist,
/// which TensorFlow omits.
pub fn mtimes<'p>(checkpoints: impl IntoIterator<Item = &'p Path>) -> Vec<Option<SystemTime>> {
    let mtime = |path: &Path| fs::metadata(identifying_file(path)?).ok()?.modified().ok();
    checkpoints.into_iter().map(mtime).collect()
}

/// The file whose existence shows that a checkpoint exists.
fn identifying_file(checkpoint: &Path) -> Option<PathBuf> {
    FORMATS.iter().find_map(|format| (format.marker)(checkpoint))
}

/// The suffix of a meta graph, unless a saver has another one.
pub const META_GRAPH_SUFFIX: &str = "meta";

/// The path of a checkpoint's meta graph, as TensorFlow's `meta_graph_filename`: without the numbers of a shard, with `suffix` as
/// its extension.
///
/// ```
/// use std::path::Path;
/// use ckdiff::checkpoint::meta_graph_filename;
///
/// assert_eq!(meta_graph_filename("m-7".as_ref(), "meta"), Path::new("m-7.meta"));
/// assert_eq!(meta_graph_filename("m-?????-of-00002".as_ref(), "meta"), Path::new("m.meta"));
/// ```
pub fn meta_graph_filename(checkpoint: &Path, suffix: &str) -> PathBuf {
    with_suffix(&without_numbers(checkpoint), &format!(".{suffix}"))
}

/// The name of one of `count` shards, as TensorFlow's `sharded_filename` and its op `ShardedFilename`.
///
/// ```
/// use std::path::Path;
/// use ckdiff::checkpoint::{sharded_filename, sharded_filespec};
///
/// assert_eq!(sharded_filename("m".as_ref(), 0, 2), Path::new("m-00000-of-00002"));
/// assert_eq!(sharded_filespec("m".as_ref(), 2), Path::new("m-?????-of-00002"));
/// ```
pub fn sharded_filename(prefix: &Path, shard: u32, count: u32) -> PathBuf {
    shard_name::shard(prefix, shard, count)
}

/// The name of all shards of a V1 checkpoint, which opens it, as TensorFlow's op `ShardedFilespec`.
pub fn sharded_filespec(prefix: &Path, count: u32) -> PathBuf {
    shard_name::all_shards(prefix, count)
}

/// Removes a checkpoint of this format and its meta graph, as TensorFlow's `remove_checkpoint`. Missing files are no error.
///
/// # Errors
/// If a file cannot be removed; the others are still removed.
pub fn remove(checkpoint: &Path, format: &Format, meta_graph_suffix: &str) -> Result<()> {
    let mut files = vec![meta_graph_filename(checkpoint, meta_graph_suffix)];
    let mut of_checkpoint = (format.files)(checkpoint);
    // The index first, so that the rest is not taken for a checkpoint.
    of_checkpoint.reverse();
    files.append(&mut of_checkpoint);
    let mut outcome = Ok(());
    for file in files.iter().filter(|file| file.symlink_metadata().is_ok()) {
        if let Err(error) = fs::remove_file(file) {
            outcome = outcome.and(Err(Error::io("remove", error).in_file(file)));
        }
    }
    outcome
}
