//! The plan of a restore: each tensor that the restore nodes request, and whether the checkpoint has it.

mod misfit;
mod restore_plan;
mod restores;
mod source;
mod suggestions;

pub use misfit::{MisfitKind, MisfitReason};
pub(super) use restore_plan::run_plan;
pub use restore_plan::{RestorePlan, RestoreRequest, restore_plan};
pub(crate) use restores::{Bodies, RequestedTensor, Restore};
pub(crate) use source::RestoreSource;
pub(crate) use suggestions::Suggestions;
