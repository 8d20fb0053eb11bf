//! Checkpoints: named tensors, each with a [`TensorSource`](crate::tensor::TensorSource) for its content.
//!
//! Each format is a folder and a line of [`FORMATS`]; everything else is common to all formats. Damage to one tensor is the error
//! of its [`Entry`], and the other tensors can still be read; other damage is in [`Checkpoint::damage`].

mod backup;
mod builder;
mod content;
mod contents;
mod elements;
mod file_kind;
mod format;
mod formats;
mod framing;
mod management;
mod merge;
mod overlap;
mod partitioned;
mod piece;
mod probe;
mod proto;
mod publish;
mod ranges;
mod reader;
mod refusal;
mod safetensors;
mod shard_name;
mod shards;
mod slice_key;
mod sniff;
mod state;
mod state_file;
mod v1;
mod v2;

pub use builder::CheckpointBuilder;
pub(crate) use content::SAVED_MODEL_FILES;
pub use contents::Entry;
use contents::{Contents, Metadata};
pub use file_kind::{FileKind, Unsupported};
pub use format::{Format, Role};
pub use formats::FORMATS;
pub use management::{exists, meta_graph_filename, mtimes, remove};
pub use merge::{Parts, merge};
pub(crate) use partitioned::{Partitioned, StoredSlice};
pub(crate) use probe::HEAD;
pub(crate) use publish::{check_folder, publish as publish_files};
pub use reader::Checkpoint;
pub use shard_name::ShardName;
pub use sniff::Sniffed;
pub use state::{CheckpointState, StateOptions};
pub(crate) use state_file::file_name as state_file_name;
pub(crate) use v2::{MergedPart, prepare_merge};

pub use crate::files::Existing;
