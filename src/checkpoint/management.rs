//! What TensorFlow's `checkpoint_management` does with the files of a checkpoint: whether they are there, since when, and
//! removing them.
//!
//! Names are taken as they are. TensorFlow takes them for patterns, so that `*` in one would remove others.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::shard_name::{with_suffix, without_numbers};
use super::{Format, v1};
use crate::error::{Error, Result};

/// Whether there is a checkpoint of this path, as TensorFlow's `checkpoint_exists`: the index of a V2 one, a V1 file, or a shard
/// of `P-?????-of-00002`.
pub fn exists(checkpoint: &Path) -> bool {
    identifying_file(checkpoint).is_some()
}

/// When each of these checkpoints was written last, as TensorFlow's `get_checkpoint_mtimes`; `None` where there is none, which
/// TensorFlow leaves out.
pub fn mtimes<'p>(checkpoints: impl IntoIterator<Item = &'p Path>) -> Vec<Option<SystemTime>> {
    let mtime = |path: &Path| fs::metadata(identifying_file(path)?).ok()?.modified().ok();
    checkpoints.into_iter().map(mtime).collect()
}

/// The file by which a checkpoint is known to be there.
fn identifying_file(checkpoint: &Path) -> Option<PathBuf> {
    let index = with_suffix(checkpoint, ".index");
    if index.is_file() {
        return Some(index);
    }
    if checkpoint.is_file() {
        return Some(checkpoint.to_path_buf());
    }
    (v1::FORMAT.files)(checkpoint).into_iter().next()
}

/// The file that a checkpoint's meta graph is in, as TensorFlow's `meta_graph_filename`: without what numbers a shard, and with
/// `suffix` behind a dot.
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

/// Removes a checkpoint of this format, and its meta graph: what TensorFlow's `remove_checkpoint` removes, and no file
/// besides. What is not there is no error.
///
/// # Errors
/// When a file cannot be removed; the others are still removed.
pub fn remove(checkpoint: &Path, format: &Format, meta_graph_suffix: &str) -> Result<()> {
    let mut files = vec![meta_graph_filename(checkpoint, meta_graph_suffix)];
    let mut of_checkpoint = (format.files)(checkpoint);
    // The index first: without it, what is left is no checkpoint.
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
