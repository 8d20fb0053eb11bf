//! Checks whether slices of a tensor overlap.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::tensor::Slice;

/// Checks that no two slices of a tensor have an element in common.
///
/// # Errors
/// If two slices overlap; the error names them.
pub(crate) fn check(slices: &[Slice]) -> Result<()> {
    let mut sorted: Vec<&Slice> = slices.iter().filter(|s| s.shape().elements() > 0).collect();
    let along = most_cut(&sorted);
    let extent = |slice: &Slice| slice.extents().get(along).copied().unwrap_or((0, 1));
    sorted.sort_by_key(|slice| extent(slice));
    // The slices that end after the start of the current one.
    let mut open: Vec<&Slice> = Vec::new();
    for slice in sorted {
        let (start, _) = extent(slice);
        open.retain(|slice| extent(slice).0 + extent(slice).1 > start);
        if let Some(other) = open.iter().find(|other| overlap(other, slice)) {
            let found = format!("{slice} and {other}");
            return Err(Error::unexpected("slices", found, "slices that do not overlap"));
        }
        open.push(slice);
    }
    Ok(())
}

/// The dimension with the most distinct starts of slices, along which the fewest slices have to be compared.
fn most_cut(slices: &[&Slice]) -> usize {
    let rank = slices.first().map_or(0, |slice| slice.extents().len());
    let starts = |dim: &usize| {
        let starts = slices.iter().filter_map(|slice| slice.extents().get(*dim));
        starts.map(|&(start, _)| start).collect::<BTreeSet<_>>().len()
    };
    (0..rank).max_by_key(starts).unwrap_or(0)
}

fn overlap(a: &Slice, b: &Slice) -> bool {
    let mut extents = a.extents().iter().zip(b.extents());
    extents.all(|(&(a, a_len), &(b, b_len))| a < b + b_len && b < a + a_len)
}
