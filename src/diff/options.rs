//! The options of a comparison.

use std::sync::Arc;

use super::{Criteria, Grouping, Ignore, ListedTensors, Lists, NameFilter, TensorRules};
use crate::compare;

/// The options of a comparison.
#[derive(Debug, Clone, Default)]
pub struct DiffOptions {
    /// The tolerance, and the statistics that are computed.
    pub compare: compare::CompareOptions,
    /// The device that compares tensors. Constants of graphs are always compared on the CPU.
    pub device: compare::Device,
    /// What makes a tensor close, besides the tolerance in `compare`.
    pub criteria: Criteria,
    /// Rules that choose the tolerance of each tensor, in place of the one in `compare` and of those in `criteria`.
    pub rules: Option<Arc<dyn TensorRules>>,
    /// Filters and renames of tensors.
    pub names: NameFilter,
    /// The tensors whose mismatches are listed.
    pub listed: ListedTensors,
    /// Whether to count where the mismatches of each tensor lie, for which it is read a second time.
    pub mismatch_map: bool,
    /// Restricts the comparison to tensors or to messages.
    pub only: Only,
    /// Repeated fields that are compared as sets or by keys. Fields inside nodes and tensors are not affected.
    pub lists: Lists,
    /// Changes that are left out of the result.
    pub ignore: Ignore,
    /// Whether equal edits, and what follows from them, are reported together.
    pub grouping: Grouping,
    /// Whether cosmetic changes make the verdict `Different`.
    pub strict: bool,
    /// Whether a pattern that matches nothing is an error. Patterns of names are checked before any tensor is read.
    pub deny_unused: bool,
}

/// Restricts a comparison to a part of the artifacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Only {
    /// Everything that both sides have.
    #[default]
    Everything,
    /// Only the tensors of checkpoints.
    Tensors,
    /// Only messages (graphs, signatures, savers) and the files of SavedModels.
    Graph,
}
