//! Aggregates over a comparison, for every format of reports: how far the tensors moved together, by role and by scope; the
//! order of changes; folded rows; the buckets of histograms; the tolerances that would pass, and suggested renames.
//!
//! This module does no output; [`report`](crate::report) does.

mod buckets;
mod distribution;
mod finite;
mod fold;
mod movement;
mod rename_rule;
mod scope;
mod section;
mod tolerance;

pub(crate) use buckets::step_of;
pub use buckets::{Bucket, Buckets, Scale};
pub use distribution::distribution;
pub use finite::without_finite_difference;
pub use fold::{Fold, fold};
pub(crate) use movement::Norms;
pub use movement::{Movement, RoleMovement, movement, role_movements, weights};
pub use rename_rule::{RenameRule, rename_rules};
pub(crate) use scope::scopes_of_names;
pub use scope::{ScopeMovement, scopes};
pub use section::{Section, SectionKind, SortKey, descending, has_new_non_finite, sections};
pub use tolerance::{Passing, only_bits_differ, passing};
