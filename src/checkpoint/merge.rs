//! Merges checkpoints into one without reading their content, as TensorFlow's `MergeV2Checkpoints` does at the end of a sharded
//! save.

use std::fs;
use std::path::{Path, PathBuf};

use super::{FORMATS, Format, publish, state_file};
use crate::error::{Error, Result};
use crate::files::{IfExists, directory_of};
use crate::formats::{Merge, Merged};
use crate::probe::Probe;

/// What happens to the parts after the merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterMerge {
    /// The parts stay. The merged checkpoint shares their data by links, or has copies if the system has no
    /// links, or a file that is replaced would lose its owner or permissions.
    KeepParts,
    /// The parts are removed, with their directories if those are then empty.
    RemoveParts,
}

/// Merges checkpoints of one format, which must be V2, into one with the shards of all of them. A tensor may have slices in several parts.
///
/// ```no_run
/// use ckdiff::checkpoint::{IfExists, AfterMerge, merge};
///
/// let parts = ["model.ckpt_temp/part-00000-of-00002", "model.ckpt_temp/part-00001-of-00002"];
/// merge(&parts, "model.ckpt".as_ref(), IfExists::Refuse, AfterMerge::RemoveParts)?;
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If a part is not a V2 checkpoint, is damaged, or has another byte order than the first; two parts have the same tensor, or
/// slices of it that overlap or differ in dtype or whole shape; a file can neither be linked nor copied; or an existing
/// checkpoint may not be replaced. Nothing is changed then.
pub fn merge(
    parts: &[impl AsRef<Path>],
    path: &Path,
    existing: IfExists,
    after: AfterMerge,
) -> Result<()> {
    let Some(first) = parts.first() else {
        return Err(Error::usage("there is nothing to merge"));
    };
    let format = format_of(first.as_ref())?;
    publish::check_target(path, format, existing)?;
    let merged = prepare(format, parts, path)?;
    publish::publish(path, existing, merged.files, &state_file::sibling_of(path))?;
    if after == AfterMerge::RemoveParts {
        merged.parts.iter().try_for_each(|files| remove(files))?;
    }
    Ok(())
}

/// The format of a part among those that can be merged; if it has none of them, the first.
fn format_of(part: &Path) -> Result<&'static Format> {
    let probe = Probe::new(part);
    let is_mergeable = |format: &&&Format| mergeable(format).is_some();
    let mut formats = FORMATS.iter().filter(is_mergeable);
    let first = formats.clone().next();
    let own = formats.find(|format| (format.locate)(&probe).is_some());
    own.or(first).copied().ok_or_else(|| Error::unsupported("no format can be merged"))
}

fn mergeable(format: &Format) -> Option<Merge> {
    format.writer.as_ref()?.merge
}

/// Writes the files of the merged checkpoint under temporary names. All parts must be in this format.
pub(crate) fn prepare(format: &Format, parts: &[impl AsRef<Path>], path: &Path) -> Result<Merged> {
    let merge = mergeable(format).ok_or_else(|| {
        Error::unsupported(format!("{format} checkpoints cannot be merged")).in_file(path)
    })?;
    let locate = |part: &Path| {
        (format.locate)(&Probe::new(part)).ok_or_else(|| {
            let kind = format!(
                "there is no {format} checkpoint; only those can be merged (save-as makes one)"
            );
            Error::not_found(kind).in_file(part)
        })
    };
    let located: Result<Vec<_>> = parts.iter().map(|part| locate(part.as_ref())).collect();
    merge(&located?, path)
}

/// Removes the files of a part in this order, and its directory if that is then empty.
pub(crate) fn remove(files: &[PathBuf]) -> Result<()> {
    for file in files.iter().filter(|file| file.exists()) {
        fs::remove_file(file).map_err(|error| Error::io("remove", error).in_file(file))?;
    }
    // A directory with other files stays.
    files.first().map(|file| fs::remove_dir(directory_of(file)));
    Ok(())
}
