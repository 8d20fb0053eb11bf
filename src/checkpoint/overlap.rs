//! Whether slices of a tensor overlap.

use crate::error::{Error, Result};
use crate::tensor::Slice;

/// Checks that no two of these slices of one tensor have an element in common.
///
/// # Errors
/// When two do; the error names them.
pub(super) fn check(slices: &[Slice]) -> Result<()> {
    let mut sorted: Vec<&Slice> = slices.iter().filter(|s| s.shape().elements() > 0).collect();
    sorted.sort_by_key(|slice| slice.extents());
    // Those that reach behind the start of the one at hand, along the first dimension.
    let mut open: Vec<&Slice> = Vec::new();
    for slice in sorted {
        let start = slice.extents().first().map_or(0, |&(start, _)| start);
        open.retain(|s| s.extents().first().is_none_or(|&(first, len)| first + len > start));
        if let Some(other) = open.iter().find(|other| overlap(other, slice)) {
            let found = format!("{slice}, and another {other}");
            return Err(Error::unexpected("slice", found, "slices may not overlap"));
        }
        open.push(slice);
    }
    Ok(())
}

fn overlap(a: &Slice, b: &Slice) -> bool {
    let mut extents = a.extents().iter().zip(b.extents());
    extents.all(|(&(a, a_len), &(b, b_len))| a < b + b_len && b < a + a_len)
}
