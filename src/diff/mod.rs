//! Artifact against artifact: which tensors meet, and what came of it.

mod change;
mod names;
mod outcome;
mod path;
mod proposals;
mod tensors;

pub use change::{Change, ChangeKind, Detail, Nodes, Rewired, Weight};
pub use names::Names;
pub use outcome::{Counts, Damage, Diff, Facts, Rename, Side, SideOf, Status, TensorDiff, Verdict};
pub use path::{Path, Step};

use crate::artifact::Artifact;
use crate::compare;
use crate::error::{ErrorKind, Result};
use crate::progress::Progress;

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// When values are close.
    pub compare: compare::Options,
    /// Which tensors take part, under which names.
    pub names: Names,
}

/// Compares two artifacts; `lhs` is the baseline.
///
/// What cannot be read of one tensor is told for that tensor, and the others are still compared.
///
/// # Errors
/// When nothing is left to compare, or the renames map two tensors to one name.
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
    lhs: &Artifact,
    rhs: &Artifact,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Diff> {
    let (l, r) = (lhs.checkpoint("compared")?, rhs.checkpoint("compared")?);
    let side = |artifact: &Artifact, checkpoint: &crate::checkpoint::Checkpoint| Side {
        path: checkpoint.path().to_path_buf(),
        kind: artifact.kind(),
        format: checkpoint.format().name(),
        has_data: checkpoint.has_data(),
    };
    let mut tensors = tensors::compare(l, r, options, progress)?;
    if tensors.is_empty() && !options.names.takes_all() {
        return Err(ErrorKind::Usage("the filters leave no tensor to compare".into()).into());
    }
    tensors.sort_by(|a, b| (&a.name, &a.renamed_from).cmp(&(&b.name, &b.renamed_from)));
    let damage = |side, checkpoint: &crate::checkpoint::Checkpoint| {
        let errors = checkpoint.damage().to_vec();
        errors.into_iter().map(move |error| Damage { side, error })
    };
    Ok(Diff {
        lhs: side(lhs, l),
        rhs: side(rhs, r),
        options: options.compare.clone(),
        renames: proposals::renames(l, r, &tensors, &options.compare, progress),
        tensors,
        damage: damage(SideOf::Lhs, l).chain(damage(SideOf::Rhs, r)).collect(),
    })
}
