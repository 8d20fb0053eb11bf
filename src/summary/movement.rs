//! How far tensors moved together.

use serde::Serialize;

use super::section::has_new_non_finite;
use crate::diff::{Diff, TensorDiff, TensorRole};
use crate::serial;

/// How many tensors changed, and how far they moved together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Movement {
    /// The number of changed tensors.
    pub changed: u64,
    /// The number of all tensors.
    pub total: u64,
    /// The number of tensors with new NaN or infinities.
    pub non_finite: u64,
    /// `‖rhs - lhs‖ / ‖lhs‖` over all finite elements of the tensors whose values were compared: 0 when both norms are 0, infinite
    /// when only lhs is 0; `None` if no numbers were compared, or the norms are outside the range of `f64`.
    #[serde(serialize_with = "serial::optional_float")]
    pub rel_l2: Option<f64>,
}

/// The movement of the tensors of one role or of none; of all tensors if they share one role.
///
/// The state of an optimizer moves without its scalars, such as powers and rates, which would outweigh it. Counters do not move:
/// a norm of counts means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RoleMovement {
    /// The role; `None` for all tensors if this movement is the only one, else for those without a role.
    pub role: Option<TensorRole>,
    /// The movement.
    #[serde(flatten)]
    pub movement: Movement,
}

/// The movement of some tensors together.
pub fn movement<'a>(tensors: impl IntoIterator<Item = &'a TensorDiff>) -> Movement {
    let mut movement = Movement::default();
    let mut norms = Norms::default();
    for tensor in tensors {
        movement.total += 1;
        movement.changed += u64::from(tensor.is_changed());
        movement.non_finite += u64::from(has_new_non_finite(tensor));
        let comparison = tensor.comparison.as_deref();
        let of_tensor = comparison.and_then(|found| Some((found.diff_norm?, found.norm?.lhs)));
        if let Some((diff, lhs)) = of_tensor {
            norms.add(diff, lhs, comparison.and_then(|found| found.rel_l2));
        }
    }
    movement.rel_l2 = norms.rel_l2();
    movement
}

/// The norms of tensors, of the differences and of lhs, from which their common movement follows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Norms {
    sums: Option<(f64, f64)>,
    /// The movement of the only tensor so far.
    only: Option<f64>,
}

impl Norms {
    /// Adds a tensor: the norm of the difference, that of lhs, and its own movement.
    pub(crate) fn add(&mut self, diff: f64, lhs: f64, rel_l2: Option<f64>) {
        self.only = rel_l2.filter(|_| self.sums.is_none());
        let (all_diff, all_lhs) = self.sums.unwrap_or_default();
        // Squares of norms could leave the range of f64.
        self.sums = Some((all_diff.hypot(diff), all_lhs.hypot(lhs)));
    }

    /// The movement of all together; see [`Movement::rel_l2`].
    pub(crate) fn rel_l2(&self) -> Option<f64> {
        let of_all = self.sums.map(|(diff, lhs)| if diff == 0.0 { 0.0 } else { diff / lhs });
        let is_from_zero = self.sums.is_some_and(|(_, lhs)| lhs == 0.0);
        self.only.or(of_all).filter(|moved| moved.is_finite() || is_from_zero)
    }
}

/// The movement by role, the weights first, and last that of tensors without a role if one of them changed. If all tensors share
/// a role, the only element covers all.
pub fn role_movements(diff: &Diff) -> Vec<RoleMovement> {
    let roles = diff.roles();
    if roles.is_empty() {
        return vec![RoleMovement { role: None, movement: movement(&diff.tensors) }];
    }
    let of = |role| {
        let tensors = || diff.tensors.iter().filter(move |tensor| tensor.role == role);
        let mut of_role = movement(tensors());
        let is_scalar =
            |tensor: &&TensorDiff| tensor.lhs.as_ref().is_some_and(|l| l.shape.rank() == 0);
        match role {
            Some(TensorRole::Counter) => of_role.rel_l2 = None,
            Some(TensorRole::Optimizer) if !tensors().all(|tensor| is_scalar(&tensor)) => {
                of_role.rel_l2 = movement(tensors().filter(|tensor| !is_scalar(tensor))).rel_l2;
            }
            _ => {}
        }
        RoleMovement { role, movement: of_role }
    };
    let others = Some(of(None)).filter(|of| of.movement.changed > 0);
    roles.iter().map(|counts| of(Some(counts.role))).chain(others).collect()
}

/// The weights; all tensors, where they have no different roles.
pub fn weights(diff: &Diff) -> Vec<&TensorDiff> {
    let has_roles = !diff.roles().is_empty();
    let is_weight = |tensor: &&TensorDiff| !has_roles || tensor.role == Some(TensorRole::Weight);
    diff.tensors.iter().filter(is_weight).collect()
}
