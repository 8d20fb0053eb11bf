//! The results of the shaders, word by word; `shaders/compare.wgsl` and `shaders/histogram.wgsl` write them.

use std::collections::BTreeMap;

use super::super::counts::Counts;
use super::super::tile::{Counted, TILE, TILE_U32, Tile};
use super::super::{Histogram, Options};
use super::kernels::MAX_FURTHER;

/// Words of a tile.
const TILE_WORDS: usize = Counts::LEN + 9;
/// Bins of `|rhs - lhs|`, from 2^-1074 on.
const ABS_BINS: usize = 2099;
/// Bins of ulps.
const ULP_BINS: usize = 64;
/// Words that prove how many tiles each kernel has counted.
const PROOFS: usize = 3;

/// The positions of the parts of the results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) elements: usize,
    further: usize,
    histogram: bool,
}

impl Layout {
    pub(super) fn new(elements: usize, options: &Options) -> Self {
        Self { elements, further: options.further.len(), histogram: options.histogram }
    }

    /// The largest results of a batch of this many bytes, whose elements have at least one byte each.
    pub(super) fn largest(bytes: usize) -> Self {
        Self { elements: bytes, further: MAX_FURTHER, histogram: true }
    }

    pub(super) fn tiles(self) -> usize {
        self.elements.div_ceil(TILE)
    }

    /// The position of the counts of further tolerances.
    pub(super) fn further_at(self) -> usize {
        self.tiles() * TILE_WORDS
    }

    /// The position of the bins.
    pub(super) fn bins_at(self) -> usize {
        self.further_at() + self.further
    }

    /// The position of the proofs.
    pub(super) fn proofs_at(self) -> usize {
        self.bins_at() + if self.histogram { ABS_BINS + ULP_BINS } else { 0 }
    }

    pub(super) fn words(self) -> usize {
        self.proofs_at() + PROOFS
    }

    /// The results in these words; `None` without the proof that every tile was counted for this `serial`.
    pub(super) fn read(self, words: &[u32], serial: u32) -> Option<Counted> {
        let (counts, proofs) = words.split_at_checked(self.proofs_at())?;
        let (tiles, rest) = counts.split_at_checked(self.further_at())?;
        let (further, bins) = rest.split_at_checked(self.further)?;
        let all = serial.wrapping_mul(u32::try_from(self.tiles()).ok()?);
        let ran = [true, self.further > 0, self.histogram];
        if proofs != ran.map(|ran| if ran { all } else { 0 }) {
            return None;
        }
        Some(Counted {
            tiles: tiles.chunks_exact(TILE_WORDS).map(tile).collect::<Option<_>>()?,
            further: further.iter().map(|&n| n.into()).collect(),
            histogram: if self.histogram { Some(histogram(bins)?) } else { None },
        })
    }
}

fn tile(words: &[u32]) -> Option<Tile> {
    let (counts, rest) = words.split_first_chunk()?;
    let &[nonzero_lhs, from_zero, first, relative, worst, diff_low, diff_high, ulp_low, ulp_high] =
        rest
    else {
        return None;
    };
    // Indices are counted back from the end of a whole tile, so that 0 stands for none.
    let index = |rank: u32| TILE_U32.checked_sub(rank).filter(|_| rank > 0);
    let abs_diff = f64::from_bits(wide(diff_low, diff_high));
    Some(Tile {
        counts: Counts::from_words(*counts),
        nonzero_lhs,
        from_zero,
        first: index(first),
        worst: index(worst).map(|index| (index, abs_diff)),
        max_ulp: wide(ulp_low, ulp_high),
        relative_bound: relative_bound(relative),
    })
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Decodes a bound: 14 bits of exponent, offset by 8192, and 17 of fraction. Outside the range of `f64`, the next number above.
fn relative_bound(key: u32) -> f64 {
    if key == 0 {
        return 0.0;
    }
    let exponent = i64::from(key >> 17) - 8192;
    let fraction = u64::from(key & 0x1_ffff) << 35;
    match exponent {
        1024.. => f64::INFINITY,
        -1022..1024 => f64::from_bits((exponent + 1023).cast_unsigned() << 52 | fraction),
        _ => f64::MIN_POSITIVE,
    }
}

fn histogram(bins: &[u32]) -> Option<Histogram> {
    let (abs, ulp) = bins.split_at_checked(ABS_BINS)?;
    let counts = |bins: &[u32], from: i32| -> BTreeMap<i32, u64> {
        let counted = (from..).zip(bins).filter(|&(_, &count)| count > 0);
        counted.map(|(bin, &count)| (bin, count.into())).collect()
    };
    Some(Histogram { abs: counts(abs, -1074), ulp: counts(ulp, 0) })
}
