//! The writer that receives the checkpoints of a run.

use crate::error::Result;
use crate::schema::tensorflow::saver_def::CheckpointFormatVersion;
use crate::tensor::Tensor;

/// A tensor to write to a checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct NamedTensor<'a> {
    /// The key.
    pub name: &'a [u8],
    /// The full shape and the slice, such as `4 2 0,2:0,2`; empty for a whole tensor.
    pub slice_spec: &'a str,
    /// The content, with the shape of the slice.
    pub tensor: &'a Tensor,
}

/// The destination of the checkpoints that the nodes of a saver write.
pub trait WriteCheckpoint {
    /// Writes these tensors, in order, to a checkpoint with the prefix `path` (V2), or to the file `path` (V1).
    ///
    /// # Errors
    /// If it cannot be written.
    fn write(
        &mut self,
        path: &str,
        tensors: &[NamedTensor<'_>],
        format: CheckpointFormatVersion,
    ) -> Result<()>;

    /// Merges several V2 checkpoints into one, and removes them.
    ///
    /// # Errors
    /// If that fails.
    fn merge(&mut self, parts: &[&str], path: &str, options: MergeOptions) -> Result<()>;
}

/// The options of `MergeV2Checkpoints`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeOptions {
    /// Whether the directories of the parts are removed.
    pub delete_old_dirs: bool,
    /// Whether parts may be missing.
    pub allow_missing_files: bool,
}
