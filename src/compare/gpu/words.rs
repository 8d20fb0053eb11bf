//! The results of the shaders, word by word; `shaders/compare.wgsl` and `shaders/histogram.wgsl` write them.

use std::collections::BTreeMap;

use super::super::counts::Counts;
use super::super::histogram::LEAST_POWER;
use super::super::tile::{Counted, TILE, TILE_U32, Tile};
use super::super::{CompareOptions, Histogram};
use super::constants::{ABS_BINS, MAX_FURTHER, RELATIVE_BIAS, RELATIVE_FRACTION, ULP_BINS};
use super::needs::{KERNELS, Needs};

/// Declares the words of a tile after its counts, in their order: sums, then `first` and the rest.
macro_rules! further_words {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The words of a tile after its [`Counts`].
        pub(super) struct FurtherWords {
            $($(#[$doc])* $name: u32,)*
        }

        impl FurtherWords {
            /// The names of the words, in their order.
            pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];

            fn new(words: &[u32]) -> Option<Self> {
                let &[$($name),*] = words else { return None };
                Some(Self { $($name),* })
            }
        }
    };
}

further_words! {
    nonzero_lhs,
    from_zero,
    /// Indices are stored as `TILE - index`, so that the first is the largest, and 0 stands for none.
    first,
    /// An upper bound of the relative difference.
    relative,
    /// The index of the largest difference.
    worst,
    diff_low,
    diff_high,
    ulp_low,
    ulp_high,
}

/// The words of a tile.
pub(super) const TILE_WORDS: usize = Counts::LEN + FurtherWords::NAMES.len();
/// The bins of a histogram.
const BINS: usize = ABS_BINS + ULP_BINS;

/// The positions of the parts of the results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) elements: usize,
    further: usize,
    histogram: bool,
}

impl Layout {
    pub(super) fn new(elements: usize, options: &CompareOptions) -> Self {
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
        self.bins_at() + if self.histogram { BINS } else { 0 }
    }

    pub(super) fn words(self) -> usize {
        self.proofs_at() + KERNELS
    }

    /// The results in these words; `None` without the proof that every tile was counted for this `serial`.
    pub(super) fn read(self, words: &[u32], serial: u32) -> Option<Counted> {
        let (counts, proofs) = words.split_at_checked(self.proofs_at())?;
        let (tiles, rest) = counts.split_at_checked(self.further_at())?;
        let (further, bins) = rest.split_at_checked(self.further)?;
        let all = serial.wrapping_mul(u32::try_from(self.tiles()).ok()?);
        let needs = Needs { further: self.further > 0, histogram: self.histogram };
        if proofs != needs.kernels().map(|ran| if ran { all } else { 0 }) {
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
    let words = FurtherWords::new(rest)?;
    let index = |rank: u32| TILE_U32.checked_sub(rank).filter(|_| rank > 0);
    let abs_diff = f64::from_bits(wide(words.diff_low, words.diff_high));
    Some(Tile {
        counts: Counts::from_words(*counts),
        nonzero_lhs: words.nonzero_lhs,
        from_zero: words.from_zero,
        first: index(words.first),
        worst: index(words.worst).map(|index| (index, abs_diff)),
        max_ulp: wide(words.ulp_low, words.ulp_high),
        relative_bound: relative_bound(words.relative),
    })
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Decodes a bound: an exponent, offset by `RELATIVE_BIAS`, and `RELATIVE_FRACTION` bits of fraction. Outside the range of `f64`,
/// the next number above.
fn relative_bound(key: u32) -> f64 {
    if key == 0 {
        return 0.0;
    }
    let exponent = i64::from(key >> RELATIVE_FRACTION) - i64::from(RELATIVE_BIAS);
    let fraction = u64::from(key) << (52 - RELATIVE_FRACTION) & ((1 << 52) - 1);
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
    Some(Histogram { abs: counts(abs, LEAST_POWER), ulp: counts(ulp, 0) })
}
