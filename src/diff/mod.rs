//! Artifact against artifact: which tensors meet, and what came of it.

mod change;
pub mod constant;
mod files;
mod fit;
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
use crate::checkpoint::Checkpoint;
use crate::compare;
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;
use model::Common;
use object_graphs::ObjectGraphs;

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// When values are close.
    pub compare: compare::Options,
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
    let tensors = lhs.checkpoint().zip(rhs.checkpoint()).filter(|_| options.only != Only::Graph);
    let messages = lhs.message().zip(rhs.message()).filter(|_| options.only != Only::Tensors);
    let messages = messages.map(|(l, r)| Common::of(l.message(), r.message())).transpose()?;
    if tensors.is_none() && messages.is_none() {
        return Err(nothing_in_common(lhs, rhs, options.only));
    }
    let mut diff = Diff::new(lhs, rhs, options);
    let objects = tensors.map(|(l, r)| ObjectGraphs::of(l, r));
    let are_two = objects.as_ref().is_some_and(ObjectGraphs::are_two);
    model::check_lists(&options.lists, messages.as_ref(), are_two)?;
    if let Some((l, r)) = tensors {
        let counterparts = objects.as_ref().map(|objects| objects.counterparts(l, r));
        let counterparts = counterparts.unwrap_or_default();
        diff.tensors = tensors::compare(l, r, &counterparts, options, progress)?;
        if diff.tensors.is_empty() && !options.names.takes_all() {
            return Err(ErrorKind::Usage("the filters leave no tensor to compare".into()).into());
        }
        if let Some(objects) = &objects {
            objects.assign_roles(l, r, &mut diff.tensors);
        }
        diff.tensors.sort_by(|a, b| (&a.name, &a.renamed_from).cmp(&(&b.name, &b.renamed_from)));
        diff.renames = proposals::renames(l, r, &diff.tensors, &options.compare, progress);
        let damage = |side, checkpoint: &Checkpoint| {
            let errors = checkpoint.damage().to_vec();
            errors.into_iter().map(move |error| Damage { side, error })
        };
        diff.damage = damage(SideOf::Lhs, l).chain(damage(SideOf::Rhs, r)).collect();
    }
    if let Some(common) = messages {
        let found = model::compare(&common, options);
        diff.changes = found.changes;
        let of_fields = found.findings.into_iter().map(|(path, problem)| Finding {
            side: None,
            path: path.to_string(),
            problem,
        });
        diff.findings = found.of_graphs.into_iter().chain(of_fields).collect();
        if tensors.is_some() {
            diff.findings.extend(fit::findings(lhs, rhs)?);
        }
        files::compare(lhs.files(), rhs.files(), options, &mut diff)?;
    }
    if let Some(objects) = objects {
        objects.compare(options, &mut diff);
    }
    options.ignore.apply(&mut diff);
    Ok(diff)
}

/// Why two artifacts cannot be compared.
fn nothing_in_common(lhs: &Artifact<'_>, rhs: &Artifact<'_>, only: Only) -> Error {
    let part = match only {
        Only::Everything => "part",
        Only::Tensors => "tensors",
        Only::Graph => "graph",
    };
    let (l, r) = (lhs.kind(), rhs.kind());
    ErrorKind::Usage(format!(
        "lhs is a {l}, rhs is a {r}: they have no {part} in common to compare"
    ))
    .into()
}
