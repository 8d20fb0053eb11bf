//! What the shaders write, word by word: see `shaders/compare.wgsl` and `shaders/histogram.wgsl`.

use std::collections::BTreeMap;

use super::super::tile::{Counted, PLACES, TILE, Tile};
use super::super::{Histogram, Options, Sides};
use super::kernels::MOST_FURTHER;

/// Words of a tile.
const TILE_WORDS: usize = 20;
/// Bins of `|rhs - lhs|`, from 2^-1074 on.
const ABS_BINS: usize = 2099;
/// Bins of ulps.
const ULP_BINS: usize = 64;
/// Words that tell how many tiles each kernel has counted.
const PROOFS: usize = 3;

/// Where in the results what is.
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

    /// The largest that a chunk of so many bytes can have: elements have at least one.
    pub(super) fn largest(bytes: usize) -> Self {
        Self { elements: bytes, further: MOST_FURTHER, histogram: true }
    }

    pub(super) fn tiles(self) -> usize {
        self.elements.div_ceil(TILE)
    }

    /// Where the counts of the further tolerances begin.
    pub(super) fn further_at(self) -> usize {
        self.tiles() * TILE_WORDS
    }

    /// Where the bins begin.
    pub(super) fn bins_at(self) -> usize {
        self.further_at() + self.further
    }

    /// Where the proofs begin.
    pub(super) fn proofs_at(self) -> usize {
        self.bins_at() + if self.histogram { ABS_BINS + ULP_BINS } else { 0 }
    }

    pub(super) fn words(self) -> usize {
        self.proofs_at() + PROOFS
    }

    /// What the words say; `None` without the proof that every tile was counted for this `serial`.
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
    let words: &[u32; TILE_WORDS] = words.try_into().ok()?;
    let &[
        differing,
        mismatched,
        nan_lhs,
        nan_rhs,
        inf_lhs,
        inf_rhs,
        nan_new,
        zero_sign,
        nan_payload,
        zero_lhs,
        hopeless,
        nonzero_lhs,
        from_zero,
        first,
        relative,
        worst,
        gap_low,
        gap_high,
        ulp_low,
        ulp_high,
    ] = words;
    // Places are counted from the end of a whole tile, so that 0 is none.
    let place = |rank: u32| PLACES.checked_sub(rank).filter(|_| rank > 0);
    let gap = f64::from_bits(wide(gap_low, gap_high));
    Some(Tile {
        differing,
        mismatched,
        first: place(first),
        nan: Sides { lhs: nan_lhs, rhs: nan_rhs },
        inf: Sides { lhs: inf_lhs, rhs: inf_rhs },
        nan_new,
        zero_sign,
        nan_payload,
        zero_lhs,
        hopeless,
        nonzero_lhs,
        from_zero,
        worst: place(worst).map(|place| (place, gap)),
        max_ulp: wide(ulp_low, ulp_high),
        relative_bound: relative_bound(relative),
    })
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The number that a bound stands for: 14 bits of exponent, offset by 8192, and 17 of fraction. Beyond the range of `f64` the
/// next number above.
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
