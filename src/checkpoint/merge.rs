//! Merges V2 checkpoints into one without reading their content, as TensorFlow's `MergeV2Checkpoints` does at the end of a sharded
//! save.

use std::path::Path;

use super::{Format, publish, state_file};
use crate::error::{Error, Result};
use crate::files::Existing;
use crate::formats::{MergedPart, prepare_merge};
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;

/// What happens to the parts after the merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// The parts stay. The merged checkpoint shares their data by links, or has copies if the system has no links.
    Keep,
    /// The parts are removed, with their directories if those are then empty.
    Remove,
}

/// Merges V2 checkpoints into one with the shards of all of them. A tensor may have slices in several parts.
///
/// ```no_run
/// use ckdiff::checkpoint::{Existing, Parts, merge};
///
/// let parts = ["model.ckpt_temp/part-00000-of-00002", "model.ckpt_temp/part-00001-of-00002"];
/// merge(&parts, "model.ckpt".as_ref(), Existing::Refuse, Parts::Remove)?;
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// If a part is not a V2 checkpoint, is damaged, or has another byte order than the first; two parts have the same tensor, or
/// slices of it that overlap or differ in dtype or whole shape; a file can neither be linked nor copied; or an existing
/// checkpoint may not be replaced. Nothing is changed then.
pub fn merge(
    parts: &[impl AsRef<Path>],
    path: &Path,
    existing: Existing,
    after: Parts,
) -> Result<()> {
    if parts.is_empty() {
        return Err(Error::usage("there is nothing to merge"));
    }
    publish::check_place(path, Format::of(CheckpointFormatVersion::V2)?, existing)?;
    let (files, parts) = prepare_merge(parts, path)?;
    publish::publish(path, existing, files, &state_file::sibling_of(path))?;
    if after == Parts::Remove {
        parts.iter().try_for_each(MergedPart::remove)?;
    }
    Ok(())
}
