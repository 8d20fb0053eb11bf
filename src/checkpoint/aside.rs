//! A checkpoint kept under another name while another one takes its place.
//!
//! Files of fixed names cannot be exchanged all at once, so between two of them there would be no checkpoint, or half of each.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::management::meta_graph_filename;
use super::path;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{Complete, Existing, Publication};

/// What is put behind the name of a checkpoint that is kept. No other program calls a checkpoint so, and what is left behind
/// by a crash is known by it.
const SUFFIX: &str = ".ckdiff-previous";

/// A checkpoint under another name than its own.
pub(super) struct Aside {
    path: PathBuf,
    /// Where each file is, and where it is as well; that which makes the others count is the last.
    files: Vec<(PathBuf, PathBuf)>,
}

/// Links the files of the checkpoint `path`, and its meta graph, to names beside; `None` where there are none. Nothing is copied
/// where the system knows links.
///
/// # Errors
/// When the system can neither link nor copy.
pub(super) fn set_aside(path: &Path) -> Result<Option<Aside>> {
    let found = path::files_of(path);
    if found.is_empty() {
        return Ok(None);
    }
    let (stem, shards) = stem(path);
    let name = free_name(&stem, shards);
    let meta = |stem: &Path| meta_graph_filename(stem, "meta");
    let mut publication = Publication::new(Existing::Refuse);
    let mut aside = Aside { path: path::sharded(&name, shards), files: Vec::new() };
    for file in found {
        let there = renamed(&file, &stem, &name)?;
        publication.add(Complete::link(&file, &there)?);
        aside.files.push((file, there));
    }
    // The last to come and the first to go, so that it is never there alone and a name seems free.
    if meta(&stem).is_file() {
        publication.add(Complete::link(&meta(&stem), &meta(&name))?);
    }
    publication.publish()?;
    Ok(Some(aside))
}

/// Removes every checkpoint that is kept of `path`, which nobody needs any more.
pub(super) fn clear(path: &Path) -> Result<()> {
    let (stem, shards) = stem(path);
    let files = |name: &PathBuf| path::files_of(&path::sharded(name, shards));
    let kept: Vec<PathBuf> = names(&stem).take_while(|name| !files(name).is_empty()).collect();
    // From the last, so that after a crash there is none behind a name that is free.
    for name in kept.iter().rev() {
        let mut files = files(name);
        files.push(meta_graph_filename(name, "meta"));
        for file in files.iter().rev().filter(|file| file.is_file()) {
            fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
        }
    }
    Ok(())
}

/// Whether `kept` is what `path` is called while it is kept.
pub(super) fn is_of(kept: &Path, path: &Path) -> bool {
    let (stem, kept) = (stem(path).0, stem(kept).0);
    let suffix = suffix(&kept, &stem);
    suffix.is_some_and(|suffix| suffix.starts_with(SUFFIX.as_bytes()))
}

impl Aside {
    /// What it is called.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Has it where it was as well.
    ///
    /// # Errors
    /// When a file can be neither linked nor copied, or not moved; the error says where it is.
    pub(super) fn restore(&self) -> Result<()> {
        let restored = || {
            let mut publication = Publication::new(Existing::Replace);
            for (place, there) in &self.files {
                publication.add(Complete::link(there, place)?);
            }
            publication.publish()
        };
        restored().map_err(|error| {
            let kind = format!(
                "the old checkpoint could not be moved back; it is {}",
                self.path.display()
            );
            error.with_kind(ErrorKind::NotFound(kind))
        })
    }
}

/// What the names of a checkpoint's files start with, and how many shards of V1 they are.
fn stem(path: &Path) -> (PathBuf, usize) {
    match path::pattern(path) {
        Some((stem, count)) => (stem, count as usize),
        None => (path.to_path_buf(), 1),
    }
}

/// What checkpoints are called while they are kept.
fn names(stem: &Path) -> impl Iterator<Item = PathBuf> {
    let more = (2u64..).map(|n| format!("{SUFFIX}-{n}"));
    let suffixes = std::iter::once(SUFFIX.to_owned()).chain(more);
    suffixes.map(|suffix| path::with_suffix(stem, &suffix))
}

/// A name that no checkpoint has.
fn free_name(stem: &Path, shards: usize) -> PathBuf {
    let is_free = |name: &PathBuf| path::files_of(&path::sharded(name, shards)).is_empty();
    names(stem).find(is_free).unwrap_or_else(|| path::with_suffix(stem, SUFFIX))
}

/// The name of `file`, a file of a checkpoint whose files' names start with `stem`, when they start with `name`.
fn renamed(file: &Path, stem: &Path, name: &Path) -> Result<PathBuf> {
    let found = suffix(file, stem).and_then(|suffix| str::from_utf8(suffix).ok());
    let suffix = found.ok_or_else(|| {
        let allowed = format!("the names of its files start with {}", stem.display());
        Error::unexpected("file of a checkpoint", file.display(), allowed)
    })?;
    let mut renamed = OsString::from(name);
    renamed.push(suffix);
    Ok(renamed.into())
}

/// What stands behind the name of `stem` in that of `file`.
fn suffix<'f>(file: &'f Path, stem: &Path) -> Option<&'f [u8]> {
    file.file_name()?.as_encoded_bytes().strip_prefix(stem.file_name()?.as_encoded_bytes())
}
