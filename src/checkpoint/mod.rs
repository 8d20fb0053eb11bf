//! Checkpoints: named tensors, each with a [`TensorSource`](crate::tensor::TensorSource) for its content.
//!
//! How a checkpoint is stored is the business of its format, see [`FORMATS`]; everything here is common to all formats. Damage to
//! one tensor is the error of its [`Entry`], and the other tensors can still be read; other damage is in [`Checkpoint::damage`].

mod backup;
mod builder;
mod facts;
mod fingerprint;
mod held;
mod listing;
mod management;
mod merge;
mod publish;
mod reader;
mod state;
mod state_file;

#[doc(hidden)]
pub use self::{
    listing::{ListedTensor, Listing},
    management::META_GRAPH_SUFFIX,
};
pub use crate::files::IfExists;
#[doc(hidden)]
pub use crate::formats::FORMATS;
pub use crate::formats::{Entry, Format};
pub(crate) use crate::formats::{Partitioned, StoredSlice, has_content};
pub use builder::CheckpointBuilder;
pub use management::{
    exists, meta_graph_filename, mtimes, remove, sharded_filename, sharded_filespec,
};
pub use merge::{AfterMerge, merge};
pub(crate) use merge::{prepare as prepare_merge, remove as remove_part};
pub(crate) use publish::publish as publish_files;
pub use reader::Checkpoint;
pub use state::{CheckpointState, StateOptions};
pub(crate) use state_file::file_name as state_file_name;
