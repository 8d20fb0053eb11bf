//! What is counted over finite pairs only when it is asked for: further tolerances, ulps as a tolerance, the histogram.
//!
//! A stretch is cut into batches, small enough that gaps, sizes and ulps of each are computed once and lie in the
//! first-level cache while one tolerance after the other goes over them.

use std::hint::black_box;

use crate::tensor::Number;

use super::super::close::Rule;
use super::super::grid::LANES;
use super::super::tally::Tally;
use super::bins::MOST;
use super::counts::Counts;
use super::lanes::Blocks;

/// Elements in a batch.
const BATCH: usize = MOST;
const BLOCKS: usize = BATCH / LANES;

/// Counts what is asked for over a stretch of finite pairs, none of which has a subnormal difference or one that is no
/// `f64`.
pub(super) struct Asked<'a, T: Number> {
    pub(super) blocks: Blocks<'a, T>,
    /// The same in the type to compute with.
    pub(super) wide: Blocks<'a, T::Wide>,
    pub(super) batch: &'a mut Batch<T>,
    pub(super) counts: &'a mut Counts,
    pub(super) tally: &'a mut Tally,
}

impl<T: Number> pulp::NullaryFnOnce for Asked<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { blocks, wide, batch, counts, tally } = self;
        if tally.rule.ulp.is_some() {
            counts.outside = 0;
        }
        let by_ulps = tally.further.iter().any(|(_, rule, _)| rule.ulp.is_some());
        let ulps = T::FLOAT && (by_ulps || tally.rule.ulp.is_some() || tally.bins.is_some());
        for (blocks, wide) in blocks.groups(BLOCKS).zip(wide.groups(BLOCKS)) {
            batch.fill_gaps(wide);
            if ulps {
                batch.fill_ulps(blocks);
            }
            if tally.rule.ulp.is_some() {
                counts.outside += batch.outside(&tally.rule);
            }
            for (_, rule, mismatched) in &mut tally.further {
                *mismatched += match rule.absolute {
                    Some(_) => batch.outside(rule),
                    None => differing(blocks),
                };
            }
            if let Some(bins) = &mut tally.bins {
                bins.count_gaps(batch.gaps());
                bins.count_ulps(batch.ulps());
            }
        }
    }
}

/// What decides over some pairs; aligned, so that no vector lies in two cache lines.
#[repr(align(64))]
pub(super) struct Batch<T: Number> {
    gaps: [f64; BATCH],
    sizes: [f64; BATCH],
    ulps: [T::Ulps; BATCH],
    len: usize,
}

impl<T: Number> Batch<T> {
    pub(super) fn new() -> Self {
        let ulps = [T::Ulps::default(); BATCH];
        Self { gaps: [0.0; BATCH], sizes: [0.0; BATCH], ulps, len: 0 }
    }

    #[inline(always)]
    fn fill_gaps(&mut self, wide: Blocks<'_, T::Wide>) {
        self.len = wide.lhs.as_flattened().len();
        for ((x, y), (gap, size)) in wide.pairs().zip(self.gaps.iter_mut().zip(&mut self.sizes)) {
            *gap = y.minus(x).abs();
            *size = x.to_f64().abs();
        }
    }

    #[inline(always)]
    fn fill_ulps(&mut self, blocks: Blocks<'_, T>) {
        for ((x, y), ulps) in blocks.pairs().zip(&mut self.ulps) {
            *ulps = x.ulps(y);
        }
    }

    #[inline(always)]
    fn gaps(&self) -> &[f64] {
        self.gaps.get(..self.len).unwrap_or_default()
    }

    #[inline(always)]
    fn sizes(&self) -> &[f64] {
        self.sizes.get(..self.len).unwrap_or_default()
    }

    /// Distances in representable values; none where the type has no such thing.
    #[inline(always)]
    fn ulps(&self) -> &[T::Ulps] {
        self.ulps.get(..if T::FLOAT { self.len } else { 0 }).unwrap_or_default()
    }

    /// How many pairs are outside a tolerance.
    #[inline(always)]
    fn outside(&self, rule: &Rule) -> u64 {
        let (atol, rtol) = rule.absolute.unwrap_or_default();
        let pairs = self.gaps().iter().zip(self.sizes());
        match rule.ulp {
            Some(most) if T::FLOAT => {
                // No distance is larger than one that the type of distances cannot hold.
                let Ok(most) = T::Ulps::try_from(most) else { return 0 };
                let outside = |((&gap, &size), &ulps): ((&f64, &f64), &T::Ulps)| {
                    u64::from((gap > atol + rtol * size) & (ulps > most))
                };
                pairs.zip(self.ulps()).map(outside).sum()
            }
            _ => {
                // Of a one that it knows, the compiler makes two operations instead of an addition under a mask.
                let one = black_box(1);
                pairs.map(|(&gap, &size)| if gap > atol + rtol * size { one } else { 0 }).sum()
            }
        }
    }
}

/// How many pairs have unequal bits.
#[inline(always)]
fn differing<T: Number>(blocks: Blocks<'_, T>) -> u64 {
    blocks.pairs().map(|(x, y)| u64::from(x.differs(y))).sum()
}
