//! Compares two artifacts: their tensors, messages and files.

mod artifacts;
mod change;
mod change_group;
#[doc(hidden)]
pub mod constant;
mod criteria;
mod embedded;
mod explain;
mod files;
mod finding;
mod frozen;
mod full_names;
mod graph;
mod graph_globs;
mod ignore;
mod join;
mod listed;
mod message;
mod model;
mod name_filter;
mod non_finite;
mod object_graphs;
mod op_counts;
mod options;
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

#[doc(hidden)]
pub use self::{
    change::{BoundaryChange, Detail, NodeGroup},
    criteria::Bound,
    graph_globs::{GlobTarget, GraphGlob},
    ignore::path_glob,
    listed::ListedTensors,
    message::{Keyed, MessageOptions, PathPattern, messages},
    name_filter::{Globs, escaped_glob, glob_names, name_glob},
    outcome::{Coverage, Damage, LeftOut, Rename, RoleCounts},
    rename_rule::StatedRename,
    stated_at::StatedAt,
    text_view::{ChangedPart, Hunk, Line, LineTag, TextDiff, TextView},
    unused::{UnusedPattern, closest_name},
};
pub use change::{Change, ChangeKind, Weight};
pub use change_group::{ChangeGroup, Grouping};
pub use criteria::Criteria;
pub(crate) use embedded::object_graph as embedded_object_graph;
pub use finding::Finding;
pub(crate) use graph::{is_internal, stem};
pub use ignore::Ignore;
pub use message::Lists;
pub use name_filter::NameFilter;
pub(crate) use object_graphs::described_tensors;
pub use options::{DiffOptions, Only};
pub use outcome::{ChangeCounts, Diff, Status, StatusCounts, TensorDiff, Verdict};
pub use path::{Path, Step};
pub(crate) use path_text::PathReader;
pub use reported::ReportedChange;
pub use roles::TensorRole;
pub use side::Side;
pub use tensor_rules::TensorRules;

use crate::artifact::Artifact;
use crate::error::Result;
use crate::progress::Progress;

/// Compares two artifacts; `lhs` is the baseline.
///
/// An unreadable tensor is reported with its error, and the others are still compared.
///
/// # Errors
/// If the artifacts have no part in common, when the filters leave nothing to compare, or when the renames
/// map two tensors to one name.
///
/// # Examples
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{DiffOptions, Status, Verdict, diff};
/// use ckdiff::progress::Silent;
///
/// let lhs = Artifact::open("tests/data/retrain/baseline.ckpt")?;
/// let rhs = Artifact::open("tests/data/retrain/retrained.ckpt")?;
/// let diff = diff(&lhs, &rhs, &DiffOptions::default(), &Silent)?;
/// assert_eq!(diff.verdict(), Verdict::Different);
/// for tensor in diff.tensors.iter().filter(|tensor| tensor.status == Status::Different) {
///     let comparison = tensor.comparison.as_ref().expect("both sides were read");
///     println!("{}: {} of {} elements", tensor.name, comparison.mismatched, comparison.elements);
/// }
/// # Ok::<(), ckdiff::Error>(())
/// ```
pub fn diff(
    lhs: &Artifact<'_>,
    rhs: &Artifact<'_>,
    options: &DiffOptions,
    progress: &dyn Progress,
) -> Result<Diff> {
    artifacts::compare(lhs, rhs, options, progress)
}
