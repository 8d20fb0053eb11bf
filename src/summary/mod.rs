//! What a comparison says as a whole, for every format of reports: how far the tensors moved together, by role and by scope;
//! which changes come first; which of them can be told together; and which options would change the verdict.
//!
//! Nothing here is written; [`report`](crate::report) does that.

mod fold;
mod movement;
mod rename_rule;
mod scope;
mod section;
mod tolerance;

pub use fold::{Fold, fold};
pub use movement::{Movement, RoleMovement, movement, role_movements, weights};
pub use rename_rule::{RenameRule, rename_rules};
pub use scope::{ScopeMovement, scopes};
pub use section::{Section, SectionKind, SortKey, descending, has_new_non_finite, sections};
pub use tolerance::{Passing, only_bits_differ, passing};
