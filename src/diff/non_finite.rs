//! The NaN and infinities of a tensor, whether its values were compared or only read.

use std::collections::BTreeSet;

use super::{Diff, TensorDiff};
use crate::compare::{NonFiniteCounts, Sides};
use crate::tensor::Name;

impl TensorDiff {
    /// The NaN and infinities of both sides; `None` for dtypes that have none, and if they are not known.
    pub fn non_finite_counts(&self) -> Option<Sides<NonFiniteCounts>> {
        let Some(found) = self.comparison.as_deref() else {
            return self.non_finite.as_deref().copied();
        };
        let (nan, inf) = (found.nan?, found.inf?);
        let lhs = NonFiniteCounts { nan: nan.lhs, inf: inf.lhs };
        Some(Sides { lhs, rhs: NonFiniteCounts { nan: nan.rhs, inf: inf.rhs } })
    }

    /// The new NaN and infinities of rhs; `None` if there are none.
    ///
    /// If the elements were compared, NaN are new where lhs has numbers; otherwise as far as rhs has more. Infinities are new as far as
    /// rhs has more.
    pub fn new_non_finite(&self) -> Option<NonFiniteCounts> {
        let Sides { lhs, rhs } = self.non_finite_counts()?;
        let nan = match self.comparison.as_deref() {
            Some(found) => found.nan_new.unwrap_or_default(),
            None => rhs.nan.saturating_sub(lhs.nan),
        };
        let inf = rhs.inf.saturating_sub(lhs.inf);
        (nan > 0 || inf > 0).then_some(NonFiniteCounts { nan, inf })
    }
}

/// Gives the tensors of rhs that seem renamed the counts of those of lhs, to which they are equal.
pub(super) fn set_of_renamed(diff: &mut Diff) {
    let renamed: BTreeSet<&Name> = diff.renames.iter().map(|rename| &rename.to).collect();
    for tensor in &mut diff.tensors {
        if let Some(counts) =
            tensor.non_finite.as_deref_mut().filter(|_| renamed.contains(&tensor.name))
        {
            counts.lhs = counts.rhs;
        }
    }
}
