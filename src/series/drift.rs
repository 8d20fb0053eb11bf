//! What is kept of the comparison of two checkpoints: how far each tensor moved, and what is new in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Judged;
use crate::compare::Sides;
use crate::diff::{Diff, LeftOut, Status, TensorDiff, TensorRole, UnusedPattern};
use crate::summary::{RoleMovement, role_movements};
use crate::tensor::Name;

/// The comparison of two checkpoints of a series, without the statistics that a series does not need.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Drift {
    /// The movement by role, the weights first.
    pub roles: Vec<RoleMovement>,
    /// Every tensor of either side that the filters select, by name.
    pub tensors: Vec<TensorDrift>,
    /// The tensors that the filters leave out.
    pub left_out: LeftOut,
    /// Patterns of the filters, and rules, that match nothing.
    pub unused: Vec<UnusedPattern>,
    /// Why a rule is broken, if one is.
    pub broken: Option<String>,
}

/// The movement of one tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorDrift {
    /// The tensor.
    pub tensor: Arc<Tensor>,
    /// What happened to it.
    pub change: Change,
    /// How far it moved; `None` if no numbers were compared, or it has no finite element.
    pub moved: Option<Moved>,
    /// Its NaN and infinite elements; `None` for types that have none, and where no values were compared.
    pub non_finite: Option<NonFinite>,
}

/// What is known of a tensor of a series.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tensor {
    /// The name in the later checkpoint.
    pub name: Name,
    /// The name that reports show.
    pub shown: String,
    /// The role in the model.
    pub role: Option<TensorRole>,
    /// Whether it has one element.
    pub is_scalar: bool,
}

crate::serial::named_enum! {
    /// What happened to a tensor from one checkpoint to another.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Change {
        /// All bits are equal.
        Same = "same",
        /// Other values.
        Moved = "moved",
        /// Only in the later one.
        Added = "added",
        /// Only in the earlier one.
        Removed = "removed",
        /// Another dtype or shape.
        Retyped = "retyped",
        /// Unreadable in one of them.
        Error = "error",
    }
}

/// How far a tensor moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// `‖rhs - lhs‖ / ‖lhs‖`; infinite if only lhs is 0.
    pub rel_l2: f64,
    /// `‖rhs - lhs‖`.
    pub diff: f64,
    /// `‖lhs‖`.
    pub lhs: f64,
}

/// The NaN and infinite elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NonFinite {
    /// NaN elements of each side.
    pub nan: Sides<u64>,
    /// Infinite elements of the later side.
    pub inf: u64,
    /// Whether there are NaN where the earlier side has numbers, or more infinities than there.
    pub is_new: bool,
}

/// The tensors of a series, each once, since every comparison has nearly the same.
pub(super) type Tensors = BTreeSet<Arc<Tensor>>;

impl Drift {
    /// What a series keeps of a comparison.
    pub(super) fn of(diff: &Diff, judged: Judged, tensors: &mut Tensors) -> Self {
        Self {
            roles: role_movements(diff),
            tensors: diff.tensors.iter().map(|of| TensorDrift::of(of, tensors)).collect(),
            left_out: diff.left_out,
            unused: diff.unused.iter().cloned().chain(judged.unused).collect(),
            broken: judged.broken,
        }
    }

    /// The number of tensors with this change.
    pub fn count(&self, change: Change) -> u64 {
        self.tensors.iter().filter(|of| of.change == change).count() as u64
    }

    /// The tensors with new NaN or infinities.
    pub fn new_non_finite(&self) -> impl Iterator<Item = &TensorDrift> {
        self.tensors.iter().filter(|of| of.non_finite.is_some_and(|found| found.is_new))
    }

    /// Whether the two have no tensor in common: they are checkpoints of different models.
    pub fn is_of_another_model(&self) -> bool {
        let is_alone = |of: &TensorDrift| matches!(of.change, Change::Added | Change::Removed);
        !self.tensors.is_empty() && self.tensors.iter().all(is_alone)
    }
}

impl TensorDrift {
    fn of(diff: &TensorDiff, tensors: &mut Tensors) -> Self {
        let facts = diff.rhs.as_ref().or(diff.lhs.as_ref());
        let tensor = Tensor {
            name: diff.name.clone(),
            shown: diff.shown_name(),
            role: diff.role,
            is_scalar: facts.is_some_and(|facts| facts.shape.elements() == 1),
        };
        let comparison = diff.comparison.as_deref();
        let moved = comparison.and_then(|found| {
            let (rel_l2, diff, norm) = (found.rel_l2?, found.diff_norm?, found.norm?);
            Some(Moved { rel_l2, diff, lhs: norm.lhs })
        });
        let non_finite = diff.non_finite_counts().map(|found| NonFinite {
            nan: Sides { lhs: found.lhs.nan, rhs: found.rhs.nan },
            inf: found.rhs.inf,
            is_new: diff.new_non_finite().is_some(),
        });
        Self { tensor: shared(tensor, tensors), change: Change::of(diff.status), moved, non_finite }
    }
}

/// The shared copy of a tensor.
pub(super) fn shared(tensor: Tensor, tensors: &mut Tensors) -> Arc<Tensor> {
    if let Some(known) = tensors.get(&tensor) {
        return Arc::clone(known);
    }
    let new = Arc::new(tensor);
    tensors.insert(Arc::clone(&new));
    new
}

impl Change {
    fn of(status: Status) -> Self {
        match status {
            Status::Identical | Status::Uncompared => Self::Same,
            Status::Close | Status::Different => Self::Moved,
            Status::Added => Self::Added,
            Status::Removed => Self::Removed,
            Status::Dtype | Status::Shape => Self::Retyped,
            Status::Error => Self::Error,
        }
    }
}
