//! The changed tensors in the order of importance.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::diff::{Diff, Status, TensorDiff, TensorRole};
use crate::serial::named_enum;
use crate::tensor::Name;

/// A kind of change, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// Unreadable tensors.
    Unreadable,
    /// Another shape or dtype.
    Type,
    /// New NaN or infinities.
    NonFinite,
    /// Only in lhs.
    Removed,
    /// Only in rhs.
    Added,
    /// Other values.
    Values,
}

/// The tensors with one kind of change and one role.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// The kind of change.
    pub kind: SectionKind,
    /// The role; `None` if all tensors have the same.
    pub role: Option<TensorRole>,
    /// The tensors, in the order of the sort key.
    pub tensors: Vec<&'a TensorDiff>,
}

named_enum! {
    /// What the tensors of a section are sorted by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SortKey {
        /// `‖rhs - lhs‖ / ‖lhs‖`, the largest first; the share of changed elements of tensors without numbers.
        #[default]
        RelL2 = "rel-l2",
        /// The largest difference, the largest first.
        MaxAbs = "max-abs",
        /// The largest relative difference, the largest first.
        MaxRel = "max-rel",
        /// The share of changed elements, the largest first.
        Changed = "changed",
        /// The name.
        Name = "name",
    }
}

impl SectionKind {
    fn of(tensor: &TensorDiff) -> Option<Self> {
        match tensor.status {
            Status::Identical | Status::Uncompared | Status::Close => None,
            Status::Error => Some(Self::Unreadable),
            Status::Shape | Status::Dtype => Some(Self::Type),
            Status::Removed => Some(Self::Removed),
            Status::Added => Some(Self::Added),
            Status::Different if has_new_non_finite(tensor) => Some(Self::NonFinite),
            Status::Different => Some(Self::Values),
        }
    }
}

/// Whether a tensor has new NaN or infinities, as [`TensorDiff::new_non_finite`] defines them.
pub fn has_new_non_finite(tensor: &TensorDiff) -> bool {
    tensor.new_non_finite().is_some()
}

/// The changed tensors by kind of change and role, the most important first, without those for which a rename is suggested.
pub fn sections(diff: &Diff, key: SortKey) -> Vec<Section<'_>> {
    let has_roles = !diff.roles().is_empty();
    let from: BTreeSet<&Name> = diff.renames.iter().map(|rename| &rename.from).collect();
    let to: BTreeSet<&Name> = diff.renames.iter().map(|rename| &rename.to).collect();
    let is_renamed = |tensor: &TensorDiff| match tensor.status {
        Status::Removed => from.contains(&tensor.name),
        Status::Added => to.contains(&tensor.name),
        _ => false,
    };
    let changed = diff.tensors.iter().filter(|tensor| !is_renamed(tensor));
    let mut changed: Vec<_> = changed
        .filter_map(|tensor| {
            let group = (SectionKind::of(tensor)?, tensor.role.filter(|_| has_roles));
            Some((group, value(tensor, key), tensor))
        })
        .collect();
    // Changed shapes come before changed dtypes. A stable sort keeps the order of the names.
    let is_dtype = |tensor: &TensorDiff| tensor.status == Status::Dtype;
    changed.sort_by(|(a, x, of_a), (b, y, of_b)| {
        let order = a.cmp(b).then(is_dtype(of_a).cmp(&is_dtype(of_b)));
        order.then_with(|| descending(*x, *y))
    });
    let sections = changed.chunk_by(|(a, ..), (b, ..)| a == b).filter_map(|group| {
        let &((kind, role), ..) = group.first()?;
        let tensors = group.iter().map(|(.., tensor)| *tensor).collect();
        Some(Section { kind, role, tensors })
    });
    sections.collect()
}

/// What a tensor is sorted by.
fn value(tensor: &TensorDiff, key: SortKey) -> Option<f64> {
    let comparison = tensor.comparison.as_deref()?;
    let share = || comparison.mismatched as f64 / comparison.elements.max(1) as f64;
    match key {
        SortKey::RelL2 => comparison.rel_l2.or_else(|| Some(share())),
        SortKey::MaxAbs => comparison.max_abs,
        SortKey::MaxRel => comparison.max_rel,
        SortKey::Changed => Some(share()),
        SortKey::Name => None,
    }
}

/// The order of two numbers, the larger first, and a missing one last.
pub fn descending(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}
