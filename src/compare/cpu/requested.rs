//! Optional statistics over finite pairs, collected only on request: further tolerances, ulps as a tolerance, the histogram.
//!
//! A cell is cut into groups that fit the first-level cache. Differences, magnitudes and ulps of a group are computed once, for all
//! tolerances.

use std::mem;

use pulp::Arch;

use crate::compare::close::Rule;
use crate::compare::grid::LANES;
use crate::compare::histogram::{Bins, GROUP};
use crate::compare::tally::{Further, Tally};
use crate::tensor::Number;

use super::blocks::Blocks;
use super::counts::CellCounts;
use super::ladder::{CountOutside, Ladder};
use super::narrow::NarrowOperands;

/// Blocks in a group.
const BLOCKS: usize = GROUP / LANES;

/// Collects the optional statistics over a cell of finite pairs.
pub(super) struct Optional<'a, T: Number, W> {
    pub(super) blocks: Blocks<'a, T>,
    /// The same in the type of the computation.
    pub(super) wide: Blocks<'a, W>,
    pub(super) requested: &'a mut Requested<T>,
    pub(super) counts: &'a mut CellCounts,
    pub(super) tally: &'a mut Tally,
}

impl<T: Number, W: Number> Optional<'_, T, W> {
    pub(super) fn collect(self) {
        Arch::new().dispatch(self);
    }
}

impl<T: Number, W: Number> pulp::NullaryFnOnce for Optional<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { blocks, wide, requested: Requested { operands, ladder }, counts, tally } = self;
        let by_ulps = |rule: &Rule| rule.ulp.is_some();
        let any_by_ulps = tally.further.iter().any(|further| by_ulps(&further.rule));
        if by_ulps(&tally.rule) {
            counts.outside = 0;
        }
        for further in &mut tally.further {
            if further.rule.absolute.is_none() {
                further.mismatched += counts.differing;
            }
        }
        let any_in_ladder = !ladder.is_empty();
        let needs_wide = by_ulps(&tally.rule) || any_by_ulps || tally.bins.is_some();
        for (blocks, wide) in blocks.groups(BLOCKS).zip(wide.groups(BLOCKS)) {
            let narrow = match wide.cast::<f32>() {
                Some(wide) if any_in_ladder => operands.narrow.fill(wide),
                _ => false,
            };
            let filled = needs_wide || any_in_ladder && !narrow;
            if filled {
                operands.fill_abs_diffs(wide);
            }
            if T::HAS_ULPS && needs_wide {
                operands.fill_ulps(blocks);
            }
            if by_ulps(&tally.rule) {
                counts.outside += operands.outside(&tally.rule);
            }
            if any_by_ulps {
                for further in tally.further.iter_mut().filter(|further| by_ulps(&further.rule)) {
                    further.mismatched += operands.outside(&further.rule);
                }
            }
            ladder.count(&mut tally.further, &mut GroupOfPairs { wide, operands, narrow, filled });
            if let Some(bins) = &mut tally.bins {
                operands.count(bins);
            }
        }
    }
}

/// A group of pairs whose operands were taken.
struct GroupOfPairs<'a, T: Number, W> {
    wide: Blocks<'a, W>,
    operands: &'a mut Operands<T>,
    /// Whether the narrow operands were taken.
    narrow: bool,
    /// Whether the operands in `f64` were taken.
    filled: bool,
}

impl<T: Number, W: Number> CountOutside for GroupOfPairs<'_, T, W> {
    #[inline(always)]
    fn count(&mut self, atol: f64, rtol: f64) -> u64 {
        if self.narrow
            && let Some(outside) = self.operands.narrow.outside(atol, rtol)
        {
            return outside;
        }
        if !mem::replace(&mut self.filled, true) {
            self.operands.fill_abs_diffs(self.wide);
        }
        self.operands.outside_absolute(atol, rtol)
    }
}

/// What the optional statistics keep from cell to cell.
pub(super) struct Requested<T: Number> {
    operands: Operands<T>,
    ladder: Ladder,
}

impl<T: Number> Requested<T> {
    pub(super) fn new(further: &[Further]) -> Box<Self> {
        Box::new(Self { operands: Operands::new(), ladder: Ladder::new(further) })
    }
}

/// The operands of tolerances for some pairs; aligned, so that no vector crosses a cache line.
#[repr(align(64))]
struct Operands<T: Number> {
    abs_diffs: [f64; GROUP],
    magnitudes: [f64; GROUP],
    ulps: [T::Ulps; GROUP],
    len: usize,
    narrow: NarrowOperands,
}

impl<T: Number> Operands<T> {
    fn new() -> Self {
        Self {
            abs_diffs: [0.0; GROUP],
            magnitudes: [0.0; GROUP],
            ulps: [T::Ulps::default(); GROUP],
            len: 0,
            narrow: NarrowOperands::new(),
        }
    }

    #[inline(always)]
    fn fill_abs_diffs<W: Number>(&mut self, wide: Blocks<'_, W>) {
        self.len = wide.lhs.as_flattened().len();
        for ((x, y), (abs_diff, magnitude)) in
            wide.pairs().zip(self.abs_diffs.iter_mut().zip(&mut self.magnitudes))
        {
            *abs_diff = y.abs_diff(x);
            *magnitude = x.to_f64().abs();
        }
    }

    #[inline(always)]
    fn fill_ulps(&mut self, blocks: Blocks<'_, T>) {
        for ((x, y), ulps) in blocks.pairs().zip(&mut self.ulps) {
            *ulps = x.ulps(y);
        }
    }

    #[inline(always)]
    fn abs_diffs(&self) -> &[f64] {
        self.abs_diffs.get(..self.len).unwrap_or_default()
    }

    #[inline(always)]
    fn magnitudes(&self) -> &[f64] {
        self.magnitudes.get(..self.len).unwrap_or_default()
    }

    /// Distances in representable values; empty where the type has none.
    #[inline(always)]
    fn ulps(&self) -> &[T::Ulps] {
        self.ulps.get(..if T::HAS_ULPS { self.len } else { 0 }).unwrap_or_default()
    }

    /// The number of pairs outside a tolerance.
    #[inline(always)]
    fn outside(&self, rule: &Rule) -> u64 {
        let (atol, rtol) = rule.absolute.unwrap_or_default();
        let pairs = self.abs_diffs().iter().zip(self.magnitudes());
        match rule.ulp {
            Some(most) if T::HAS_ULPS => {
                // A distance that the type cannot represent is larger than every distance of two elements.
                let Ok(most) = T::Ulps::try_from(most) else { return 0 };
                let outside = |((&abs_diff, &magnitude), &ulps): ((&f64, &f64), &T::Ulps)| {
                    u64::from((abs_diff > atol + rtol * magnitude) & (ulps > most))
                };
                pairs.zip(self.ulps()).map(outside).sum()
            }
            _ => self.outside_absolute(atol, rtol),
        }
    }

    #[inline(always)]
    fn outside_absolute(&self, atol: f64, rtol: f64) -> u64 {
        let pairs = self.abs_diffs().iter().zip(self.magnitudes());
        let outside =
            |(&abs_diff, &magnitude): (&f64, &f64)| u64::from(abs_diff > atol + rtol * magnitude);
        pairs.map(outside).sum()
    }

    #[inline(always)]
    fn count(&self, bins: &mut Bins) {
        let is_subnormal = |abs_diff: f64| (abs_diff > 0.0) & (abs_diff < f64::MIN_POSITIVE);
        let subnormal = |n, &abs_diff: &f64| n + u64::from(is_subnormal(abs_diff));
        if T::WIDE && self.abs_diffs().iter().fold(0, subnormal) > 0 {
            self.abs_diffs().iter().for_each(|&abs_diff| bins.count_abs_diff(abs_diff));
        } else {
            bins.count_abs_diffs(self.abs_diffs());
        }
        bins.count_ulps(self.ulps());
    }
}
