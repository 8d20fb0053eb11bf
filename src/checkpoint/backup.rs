//! A checkpoint under another name, while a new one replaces it.
//!
//! Several files cannot be exchanged at once, so without a backup there would be moments without a complete checkpoint.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::management::{META_GRAPH_SUFFIX, meta_graph_filename};
use crate::error::{Error, ErrorKind, Result};
use crate::files::{CompleteFile, IfExists, Publication, have_same_content};
use crate::formats::shard_name::{all_shards, of_all_shards, with_suffix};
use crate::formats::{claimed_by, files_of};

/// The end of a backup's name. No other program uses it, so it identifies a backup that remained after a crash.
const SUFFIX: &str = ".ckdiff-previous";

/// A checkpoint that is being replaced, under its name as a backup.
pub(super) struct Backup {
    /// The path that opens the backup; `None` if the files contain each other's names, so that renamed files are no checkpoint.
    path: Option<PathBuf>,
    /// The path of each file and of its backup. The marker comes last.
    files: Vec<(PathBuf, PathBuf)>,
    /// The backup of the meta graph, if there is one.
    meta: Option<PathBuf>,
}

impl Backup {
    /// Links the files of the checkpoint `path` and its meta graph to the names of a backup. If the system has no links, the
    /// files are copied.
    ///
    /// Returns `None` if there is no checkpoint.
    ///
    /// # Errors
    /// If the files can neither be linked nor copied.
    pub(super) fn make(path: &Path) -> Result<Option<Self>> {
        let backup = free_path(path);
        let renamed = |file: PathBuf| {
            let to = renamed(&file, &stem(path), &stem(&backup))?;
            Some((file, to))
        };
        let old = files_of(path);
        if old.is_empty() {
            return Ok(None);
        }
        let files: Option<Vec<_>> = old.iter().cloned().map(renamed).collect();
        let path_of_backup = files.is_some().then(|| backup.clone());
        let files = files.unwrap_or_else(|| beside(old));
        let mut publication = Publication::new(IfExists::Refuse);
        for (file, to) in &files {
            publication.add(CompleteFile::link(file, to)?);
        }
        // Created last and removed first, so that no meta graph is left under the name of a missing backup.
        let [meta, meta_backup] =
            [path, &backup].map(|path| meta_graph_filename(path, META_GRAPH_SUFFIX));
        let meta_backup = meta.is_file().then_some(meta_backup);
        if let Some(to) = &meta_backup {
            publication.add(CompleteFile::link(&meta, to)?);
        }
        publication.publish()?;
        Ok(Some(Self { path: path_of_backup, files, meta: meta_backup }))
    }

    /// The path that opens the backup; `None` if the backup is only a copy of the files.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Links the files to their original names again, unless they are still there: a file that could not be replaced cannot be restored
    /// either.
    ///
    /// # Errors
    /// If a file can neither be linked nor copied, or not be moved; the error has the path of the backup.
    pub(super) fn restore(&self) -> Result<()> {
        let restored = || {
            let mut publication = Publication::new(IfExists::Replace);
            for (file, backup) in &self.files {
                if !is_unchanged(file, backup) {
                    publication.add(CompleteFile::link(backup, file)?);
                }
            }
            publication.publish()
        };
        restored().map_err(|error| {
            let files: Vec<_> = self.files.iter().map(|(_, to)| to.display().to_string()).collect();
            let why =
                format!("the old checkpoint is not moved back; its files are {}", files.join(", "));
            error.clone().with_kind(match error.kind() {
                ErrorKind::Io { action, source } => {
                    let source = io::Error::new(source.kind(), format!("{source}; {why}"));
                    ErrorKind::Io { action, source }
                }
                other => ErrorKind::Unsupported(format!("{other}; {why}")),
            })
        })
    }

    /// Removes the backup, and leaves other backups.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        // The marker comes first here, so that it never lacks its data.
        let files = self.meta.into_iter().chain(self.files.into_iter().rev().map(|(_, to)| to));
        for file in files {
            fs::remove_file(&file).map_err(|error| Error::io("remove", error).in_file(&file))?;
        }
        Ok(())
    }
}

/// Whether a file has the content of its backup.
fn is_unchanged(file: &Path, backup: &Path) -> bool {
    have_same_content(file, backup).unwrap_or(false)
}

/// A free name with the same suffix next to each file.
fn beside(files: Vec<PathBuf>) -> Vec<(PathBuf, PathBuf)> {
    let named = |suffix: &str| -> Vec<(PathBuf, PathBuf)> {
        files.iter().map(|file| (file.clone(), with_suffix(file, suffix))).collect()
    };
    let is_free = |(_, to): &(PathBuf, PathBuf)| to.symlink_metadata().is_err();
    let mut names = suffixes().map(|suffix| named(&suffix));
    names.find(|named| named.iter().all(is_free)).unwrap_or_default()
}

/// Removes every backup of the checkpoint `path`.
pub(super) fn clear(path: &Path) -> Result<()> {
    let backups: Vec<PathBuf> = paths(path).take_while(|path| !files_of(path).is_empty()).collect();
    // In reverse order, so that the numbers of the backups have no gap if the program is killed.
    for backup in backups.iter().rev() {
        let mut files = files_of(backup);
        files.push(meta_graph_filename(backup, META_GRAPH_SUFFIX));
        for file in files.iter().rev().filter(|file| file.is_file()) {
            fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
        }
    }
    Ok(())
}

/// The files of the checkpoint `path` that its backups claim, which remain if a crash came after its index was removed.
pub(super) fn left_by_crash(path: &Path) -> Vec<PathBuf> {
    let backups = paths(path).take_while(|backup| !files_of(backup).is_empty());
    let left = backups.flat_map(|backup| {
        let original = |file: PathBuf| renamed(&file, &stem(&backup), &stem(path));
        claimed_by(&backup).into_iter().filter_map(original).collect::<Vec<_>>()
    });
    left.filter(|file| file.is_file()).collect()
}

/// Whether `backup` is the name of a backup of the checkpoint `path`.
pub(super) fn is_of(backup: &Path, path: &Path) -> bool {
    let (backup, path) = (stem(backup), stem(path));
    let end = end(&backup, &path);
    end.is_some_and(|end| end.starts_with(SUFFIX.as_bytes()))
}

/// The path without `-?????-of-00002`.
fn stem(path: &Path) -> PathBuf {
    of_all_shards(path).map_or_else(|| path.to_path_buf(), |(stem, _)| stem)
}

/// The names for backups of the checkpoint `path`, in the order in which they are used.
fn paths(path: &Path) -> impl Iterator<Item = PathBuf> {
    suffixes().map(|suffix| match of_all_shards(path) {
        Some((stem, shards)) => all_shards(&with_suffix(&stem, &suffix), shards),
        None => with_suffix(path, &suffix),
    })
}

fn suffixes() -> impl Iterator<Item = String> {
    let more = (2u64..).map(|n| format!("{SUFFIX}-{n}"));
    std::iter::once(SUFFIX.to_owned()).chain(more)
}

/// The first free name for a backup.
fn free_path(path: &Path) -> PathBuf {
    let is_free = |path: &PathBuf| files_of(path).is_empty();
    paths(path).find(is_free).unwrap_or_else(|| with_suffix(path, SUFFIX))
}

/// Replaces the prefix `from` in the path of `file` by `to`.
fn renamed(file: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let mut renamed = OsString::from(to);
    renamed.push(str::from_utf8(end(file, from)?).ok()?);
    Some(renamed.into())
}

/// The rest of the name of `file` after the name of `stem`.
fn end<'f>(file: &'f Path, stem: &Path) -> Option<&'f [u8]> {
    file.file_name()?.as_encoded_bytes().strip_prefix(stem.file_name()?.as_encoded_bytes())
}
