//! The state file of a directory, which lists its checkpoints and names the latest one.
//!
//! ```text
//! model_checkpoint_path: "model.ckpt-30"           the latest
//! all_model_checkpoint_paths: "model.ckpt-20"      those that the Saver keeps, oldest first
//! all_model_checkpoint_paths: "model.ckpt-30"
//! ```
//! The file `checkpoint` contains a `CheckpointState` in the text format. Relative paths start at its directory. Source:
//! `get_checkpoint_state` and `latest_checkpoint` of TensorFlow.

mod backup_entry;
mod read;
mod relative;
mod write;

pub(super) use backup_entry::BackupEntry;
pub use read::CheckpointState;
pub use write::StateOptions;
