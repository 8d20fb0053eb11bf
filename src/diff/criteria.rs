//! What makes a compared tensor close: the tolerance of its elements, and limits for the tensor as a whole.

use crate::compare::{Comparison, Tolerance};
use crate::error::{Error, Result};
use crate::serial::named_enum;
use crate::tensor::Name;

use super::name_filter::Globs;
use super::{Status, UnusedPattern};

/// Tolerances of some tensors, and limits for every tensor as a whole.
///
/// A tensor is close if all criteria that are given hold. Without a limit, no element may mismatch; with `max_changed`, at
/// most that share may. With `max_rel_l2` alone, elements are not judged, except that none may have become NaN or infinite.
#[derive(Debug, Clone, Default)]
pub struct Criteria {
    /// Tolerances that replace the one of all tensors; the last match counts.
    named: Vec<NamedBound>,
    /// The largest accepted `‖rhs - lhs‖ / ‖lhs‖`.
    pub max_rel_l2: Option<f64>,
    /// The largest accepted share of elements that mismatch, from 0 to 1.
    pub max_changed: Option<f64>,
}

named_enum! {
    /// A part of a tolerance.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Bound {
        /// The absolute tolerance.
        Atol = "atol",
        /// The relative tolerance.
        Rtol = "rtol",
    }
}

/// An `atol` or `rtol` of some tensors.
#[derive(Debug, Clone)]
struct NamedBound {
    bound: Bound,
    glob: String,
    names: Globs,
    value: f64,
}

impl Criteria {
    /// Sets a part of the tolerance of the tensors whose names match `glob`.
    ///
    /// # Errors
    /// If the glob is malformed, or the value is negative or not finite.
    pub fn set_bound(&mut self, bound: Bound, glob: &str, value: f64) -> Result<()> {
        Tolerance::new(Some(value), None, None).map_err(|_| {
            Error::unexpected(bound.name(), value, "a finite number that is not negative")
        })?;
        let names = Globs::new(bound.name(), &[glob.to_owned()])?;
        self.named.push(NamedBound { bound, glob: glob.to_owned(), names, value });
        Ok(())
    }

    /// Adds a part of the tolerance of some tensors that a saved report has, to be shown.
    pub(crate) fn add_saved_bound(&mut self, bound: Bound, glob: String, value: f64) {
        let names = Globs::of_report(Vec::new());
        self.named.push(NamedBound { bound, glob, names, value });
    }

    /// The tolerances of some tensors: the part, the glob and the value, in the order in which they were set.
    pub fn bounds(&self) -> impl Iterator<Item = (Bound, &str, f64)> {
        self.named.iter().map(|named| (named.bound, &*named.glob, named.value))
    }

    /// Whether tensors are judged as a whole.
    pub(super) fn has_limits(&self) -> bool {
        self.max_rel_l2.is_some() || self.max_changed.is_some()
    }

    /// The tolerance of the tensor with these names.
    pub(super) fn tolerance(&self, of_all: Tolerance, names: &[&Name]) -> Tolerance {
        let mut tolerance = of_all;
        for named in &self.named {
            if names.iter().any(|name| named.names.is_match(name)) {
                match named.bound {
                    Bound::Atol => tolerance.atol = Some(named.value),
                    Bound::Rtol => tolerance.rtol = Some(named.value),
                }
            }
        }
        tolerance
    }

    /// The globs that match no name.
    pub(super) fn unused(&self, names: &[&Name]) -> Vec<UnusedPattern> {
        let of = |named: &NamedBound| named.names.unused(named.bound.name(), names.iter().copied());
        self.named.iter().flat_map(of).collect()
    }

    /// The status of two tensors of one dtype whose elements were compared under `tolerance`.
    pub(super) fn status(&self, comparison: &Comparison, tolerance: Tolerance) -> Status {
        match comparison {
            Comparison { differing: 0, mismatched: 0, .. } => Status::Identical,
            _ if self.accept(comparison, tolerance) => Status::Close,
            _ => Status::Different,
        }
    }

    fn accept(&self, comparison: &Comparison, tolerance: Tolerance) -> bool {
        let rel_l2 = self.max_rel_l2.zip(comparison.rel_l2);
        // Without a finite tolerance that would pass, an element became NaN or infinite.
        let moved =
            rel_l2.map(|(most, found)| found <= most && comparison.passes_at.atol.is_some());
        let judges_elements = self.max_changed.is_some() || !tolerance.is_bits() || moved.is_none();
        let share = comparison.mismatched as f64 / comparison.elements.max(1) as f64;
        moved != Some(false) && (!judges_elements || share <= self.max_changed.unwrap_or(0.0))
    }
}
