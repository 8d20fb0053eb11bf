//! Checks whether slices of a tensor overlap.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::tensor::Slice;

/// The number of slices that are compared with each other rather than divided.
const FEW: usize = 32;

/// Checks that no two slices of a tensor have an element in common.
///
/// # Errors
/// If two slices overlap; the error names them.
pub(crate) fn check(slices: &[Slice]) -> Result<()> {
    let all: Vec<&Slice> = slices.iter().filter(|s| s.shape().elements() > 0).collect();
    let mut groups = vec![all];
    while let Some(group) = groups.pop() {
        match halves(&group) {
            Some(halves) => groups.extend(halves),
            None => sweep(group)?,
        }
    }
    Ok(())
}

/// Splits slices at a position in some dimension; slices across it are in both halves. `None` if there are few slices, or so many are
/// across that the split gains nothing.
fn halves<'s>(slices: &[&'s Slice]) -> Option<[Vec<&'s Slice>; 2]> {
    let rank = slices.first().filter(|_| slices.len() > FEW)?.extents().len();
    let len = slices.len();
    let cut = |dim: usize| {
        let mut starts: Vec<_> = slices.iter().map(|slice| extent(slice, dim).0).collect();
        let (_, &mut middle, _) = starts.select_nth_unstable(len / 2);
        let before = slices.iter().filter(|slice| extent(slice, dim).0 < middle).count();
        let behind = slices.iter().filter(|slice| end(slice, dim) > middle).count();
        (before.max(behind), before + behind, dim, middle)
    };
    let (larger, both, dim, middle) = (0..rank).map(cut).min()?;
    if larger > len / 4 * 3 || both > len + len / 10 {
        return None;
    }
    let side = |is_in: &dyn Fn(&Slice) -> bool| {
        slices.iter().copied().filter(|slice| is_in(slice)).collect()
    };
    let before = side(&|slice| extent(slice, dim).0 < middle);
    Some([before, side(&|slice| end(slice, dim) > middle)])
}

/// The start and the length of a slice in a dimension.
fn extent(slice: &Slice, dim: usize) -> (u64, u64) {
    slice.extents().get(dim).copied().unwrap_or((0, 1))
}

/// The end of a slice in a dimension.
fn end(slice: &Slice, dim: usize) -> u64 {
    let (start, len) = extent(slice, dim);
    start + len
}

/// Compares slices with those that start before them along one dimension.
fn sweep(mut sorted: Vec<&Slice>) -> Result<()> {
    let along = most_cut(&sorted);
    sorted.sort_by_key(|slice| extent(slice, along));
    // The slices that end after the start of the current one.
    let mut open: Vec<&Slice> = Vec::new();
    for slice in sorted {
        let (start, _) = extent(slice, along);
        open.retain(|slice| end(slice, along) > start);
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::tensor::Shape;

    fn slices(whole: &[i64], extents: &[&[(i64, i64)]]) -> Result<Vec<Slice>> {
        let whole = Shape::new(whole)?;
        extents.iter().map(|extents| Slice::new(extents, &whole)).collect()
    }

    #[test]
    fn an_overlap_is_found_wherever_it_is() -> Result<()> {
        // A grid of 20 × 20 squares of side 3, and one more square.
        let grid = (0..400).map(|at| [(at / 20 * 3, 3), (at % 20 * 3, 3)]);
        let grid: Vec<_> = grid.collect();
        let at = |extents: &[[(i64, i64); 2]]| {
            let extents: Vec<&[(i64, i64)]> = extents.iter().map(|extents| &extents[..]).collect();
            slices(&[64, 64], &extents)
        };
        assert!(check(&at(&grid)?).is_ok());
        for position in 0..60 {
            let further = [(position, 1), (position * 7 % 60, 1)];
            let mut slices = grid.clone();
            slices.insert(usize::try_from(position).unwrap_or_default(), further);
            assert!(check(&at(&slices)?).is_err(), "{position}");
        }
        assert!(check(&at(&[&grid[..], &[[(60, 4), (0, 64)]]].concat())?).is_ok());
        Ok(())
    }

    #[test]
    fn slices_in_stairs_take_time_by_their_number() -> Result<()> {
        const STEPS: i64 = 60_000;
        let start = Instant::now();
        for is_turned in [false, true] {
            let step = |at| {
                let mut step = [(at, STEPS - at), (at, 1)];
                if is_turned {
                    step.reverse();
                }
                step
            };
            let stairs: Vec<_> = (0..STEPS).map(step).collect();
            let stairs: Vec<_> = stairs.iter().map(|step| &step[..]).collect();
            check(&slices(&[STEPS, STEPS], &stairs)?)?;
        }
        // To compare every step with every other takes longer.
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        Ok(())
    }
}
