//! The formats of checkpoints: each is a directory and a line of [`FORMATS`]; everything else is common to all of them.
//!
//! [`registry`] says what a format consists of. The files beside it are shared by several formats: names of shards, slices of
//! tensors, messages of TensorFlow.

mod contents;
mod format;
mod memory;
mod overlap;
mod partitioned;
mod partitioned_sections;
mod proto;
mod ranges;
mod registry;
mod safetensors;
pub(crate) mod shard_name;
mod shards;
mod slice_key;
mod stored_tensor;
mod v1;
mod v2;

pub use contents::Entry;
pub(crate) use contents::{Contents, Metadata};
pub use format::Format;
pub(crate) use format::{FileRole, Merge, Merged};
pub(crate) use memory::MEMORY;
pub(crate) use overlap::check as check_overlap;
pub(crate) use partitioned::{Partitioned, StoredSlice};
pub use registry::FORMATS;
pub(crate) use registry::{
    checkpoints_in, claimed_by, files_of, has_content, locate, may_be_checkpoint,
};
pub(crate) use stored_tensor::{Shard, StoredTensor, shard_count};
