//! Artifact against artifact: which tensors meet, and what came of it.

mod artifacts;
mod change;
pub mod constant;
mod files;
mod fit;
mod frozen;
mod graph;
mod ignore;
mod message;
mod model;
mod names;
mod object_graphs;
mod outcome;
mod path;
mod proposals;
mod roles;
mod sides;
mod tensors;
mod text_view;

pub use change::{Change, ChangeKind, Detail, Nodes, Rewired, Weight};
pub use ignore::Ignore;
pub use message::{Keyed, Lists, MessageOptions, PathPattern, messages};
pub use names::Names;
pub use outcome::{Counts, Damage, Diff, Facts, Finding, Part, Rename, Side, SideOf, Status};
pub use outcome::{OfRole, TensorDiff, Verdict, Weights};
pub use path::{Path, Step};
pub use roles::Role;
pub use text_view::{Hunk, Line, Place, Tag, Text, TextView};

use crate::artifact::Artifact;
use crate::compare;
use crate::error::Result;
use crate::progress::Progress;

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// When values are close.
    pub compare: compare::Options,
    /// Where the tensors are compared. Constants of graphs are compared on the CPU.
    pub device: compare::Device,
    /// Which tensors take part, under which names.
    pub names: Names,
    /// Which part of both is compared.
    pub only: Only,
    /// Lists of their messages that are sets, or go by keys; inside nodes and tensors it says nothing.
    pub lists: Lists,
    /// Changes that are not told.
    pub ignore: Ignore,
    /// Whether cosmetic changes count too.
    pub strict: bool,
}

/// Which part of two artifacts is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Only {
    /// All that both have.
    #[default]
    Everything,
    /// The tensors of their checkpoints.
    Tensors,
    /// Their messages: graphs, signatures, savers; and the files of a SavedModel.
    Graph,
}

/// Compares two artifacts; `lhs` is the baseline.
///
/// What cannot be read of one tensor is told for that tensor, and the others are still compared.
///
/// # Errors
/// When the two have nothing in common, nothing is left to compare, or the renames map two tensors to one name.
///
/// # Examples
/// ```
/// use ckdiff::artifact::Artifact;
/// use ckdiff::diff::{Options, Status, Verdict, diff};
/// use ckdiff::progress::Silent;
///
/// let lhs = Artifact::open("tests/data/retrain/baseline.ckpt")?;
/// let rhs = Artifact::open("tests/data/retrain/retrained.ckpt")?;
/// let diff = diff(&lhs, &rhs, &Options::default(), &Silent)?;
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
    options: &Options,
    progress: &dyn Progress,
) -> Result<Diff> {
    artifacts::compare(lhs, rhs, options, progress)
}
