//! Compares two artifacts: their tensors, messages and files.

mod artifacts;
mod ascending;
mod change;
mod change_group;
#[doc(hidden)]
pub mod constant;
mod counters;
mod criteria;
mod derived;
mod embedded;
mod explain;
mod files;
mod finding;
mod frozen;
mod full_names;
mod graph_globs;
mod ignore;
mod join;
mod listed;
mod matching;
mod meaning;
mod name_filter;
mod non_finite;
mod object_graphs;
mod op_counts;
mod outcome;
mod path;
mod path_text;
mod rename_rule;
mod reported;
mod restorability;
mod roles;
mod side;
mod side_tensors;
mod stated_at;
mod suggestions;
mod tensor_rules;
mod tensors;
mod text_view;
mod unmatched;
mod unused;
mod walk;

#[doc(hidden)]
pub use self::{
    change::{BoundaryChange, Detail, KerasLayer, NodeGroup, ObjectGroup},
    criteria::Bound,
    graph_globs::{GlobTarget, GraphGlob},
    ignore::path_glob,
    listed::ListedTensors,
    name_filter::{Globs, escaped_glob, glob_names, name_glob},
    outcome::{Coverage, Damage, LeftOut, Rename, RoleCounts},
    rename_rule::StatedRename,
    stated_at::StatedAt,
    text_view::{ChangedPart, Hunk, Line, LineTag, TextDiff, TextView},
    unused::{UnusedPattern, closest_name},
    walk::message::{Keyed, MessageOptions, PathPattern, messages},
};
pub use artifacts::diff;
pub use change::{Change, ChangeKind, Weight};
pub use change_group::{ChangeGroup, Grouping};
pub(crate) use counters::stem;
pub use criteria::Criteria;
pub(crate) use embedded::object_graph as embedded_object_graph;
pub use finding::Finding;
pub use ignore::Ignore;
pub(crate) use meaning::is_internal;
pub use name_filter::NameFilter;
pub(crate) use object_graphs::described_tensors;
pub use outcome::{ChangeCounts, Diff, Status, StatusCounts, TensorDiff, Verdict};
pub use path::{Path, Step};
pub(crate) use path_text::PathReader;
pub use reported::ReportedChange;
pub use roles::TensorRole;
pub use side::Side;
pub use tensor_rules::TensorRules;
pub use walk::message::Lists;

use std::sync::Arc;

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

impl DiffOptions {
    /// Whether a change makes the verdict `Different`.
    pub(crate) fn counts(&self, change: &Change) -> bool {
        self.strict || change.weight == Weight::Semantic
    }
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
