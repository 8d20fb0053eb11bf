//! Statistics of a cell that do not depend on the order of its pairs: integers and maxima. All pairs are finite; those that are
//! not have been replaced by zeros.
#![expect(
    clippy::indexing_slicing,
    reason = "loops over arrays of LANES elements; written with iterators they do not vectorize"
)]

use pulp::Arch;

use crate::compare::close::Rule;
use crate::compare::counts::Counts;
use crate::compare::grid::{CELL_LEN, LANES};
use crate::compare::pair::Pair;
use crate::compare::tally::{Extremes, Tally, Worst};
use crate::tensor::{Number, Scalar};

use super::blocks::{Blocks, Buffer};
use super::byte_values;
use super::excluded::Excluded;
use super::narrow::{FoundValues, NarrowElements, NarrowValues, narrow_threshold, or_least};
use super::pairs;

/// The statistics of a cell; all zero where all pairs are equal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CellCounts {
    /// Pairs of unequal bits.
    pub(super) differing: u64,
    /// Pairs outside the tolerance.
    pub(super) outside: u64,
    /// Differing pairs whose lhs is 0.
    pub(super) zero_lhs: u64,
    /// Differing pairs of equal values, whose zeros have different signs.
    pub(super) zero_sign: u64,
    /// Pairs of 0 and another number.
    pub(super) from_zero: u64,
    max_ulp: u64,
    /// An upper bound of the differences; negative if no pair is finite.
    pub(super) max_abs: f64,
    /// Whether a relative difference may be larger than all before.
    exceeds: bool,
    /// Counted apart.
    pub(super) excluded: Excluded,
}

impl CellCounts {
    /// Collects the statistics that are decided by the bits.
    pub(super) fn add_bits<T: Number>(&mut self, blocks: Blocks<'_, T>) {
        let found = Arch::new().dispatch(Bits(blocks));
        self.differing = found.differing;
        self.zero_lhs = found.zero_lhs;
        self.zero_sign = found.zero_sign;
        self.from_zero = found.zero_lhs - found.zero_sign;
        self.max_ulp = found.max_ulp;
    }

    /// Collects the statistics that are decided by the values, after those of the bits.
    pub(super) fn add_values<T: Number, W: Number>(
        &mut self,
        (blocks, wide): (Blocks<'_, T>, Blocks<'_, W>),
        elements: &NarrowElements,
        rule: &Rule,
        extremes: &Extremes,
    ) {
        let tolerance = rule.absolute;
        let threshold = extremes.relative_threshold();
        let arch = Arch::new();
        let narrow = || {
            let kernel = NarrowValues::new(wide.cast()?, elements, tolerance, threshold)?;
            arch.dispatch(kernel)
        };
        let found = byte_values::find(blocks, elements, tolerance, extremes)
            .or_else(narrow)
            .unwrap_or_else(|| arch.dispatch(Values { blocks: wide, tolerance, threshold }));
        self.outside = found.outside;
        self.max_abs = found.max_abs;
        // Every pair of 0 and another number exceeds the threshold, and has no relative difference.
        self.exceeds = found.exceeding > self.from_zero;
    }
}

/// Counts what is decided by the bits.
struct Bits<'a, T>(Blocks<'a, T>);

impl<T: Number> pulp::NullaryFnOnce for Bits<'_, T> {
    type Output = CellCounts;

    #[inline(always)]
    fn call(self) -> CellCounts {
        let (mut differing, mut zero_lhs) = (T::Count::default(), T::Count::default());
        for (x, y) in self.0.pairs() {
            let differs = x.differs(y);
            differing = differing + T::Count::from(differs);
            zero_lhs = zero_lhs + T::Count::from(differs & x.is_zero());
        }
        // In a loop of its own, since counters and distances may have different widths.
        let max_ulp = self.0.pairs().fold(T::Ulps::default(), |most, (x, y)| most.max(x.ulps(y)));
        let zero_lhs = zero_lhs.into();
        CellCounts {
            differing: differing.into(),
            zero_lhs,
            zero_sign: if T::FLOAT && zero_lhs > 0 { zero_signs(self.0) } else { 0 },
            max_ulp: max_ulp.into(),
            ..CellCounts::default()
        }
    }
}

/// Pairs of zeros with different signs.
#[inline(always)]
fn zero_signs<T: Number>(blocks: Blocks<'_, T>) -> u64 {
    let of_pair = |(x, y): (T, T)| T::Count::from(x.differs(y) & x.is_zero() & y.is_zero());
    blocks.pairs().fold(T::Count::default(), |n, pair| n + of_pair(pair)).into()
}

/// Counts in `f64`, as defined.
struct Values<'a, W> {
    blocks: Blocks<'a, W>,
    tolerance: Option<(f64, f64)>,
    threshold: f64,
}

impl<W: Number> pulp::NullaryFnOnce for Values<'_, W> {
    type Output = FoundValues;

    #[inline(always)]
    fn call(self) -> FoundValues {
        let Self { blocks, tolerance, threshold } = self;
        let mut outside = [0u64; LANES];
        let mut exceeding = [0u64; LANES];
        let mut max_abs = [0.0f64; LANES];
        // Without a tolerance, nothing is outside.
        let (atol, rtol) = tolerance.unwrap_or((f64::MAX, 0.0));
        for (lhs, rhs) in blocks.iter() {
            for i in 0..LANES {
                let (abs_diff, magnitude) = (rhs[i].abs_diff(lhs[i]), lhs[i].to_f64().abs());
                outside[i] += u64::from(abs_diff > atol + rtol * magnitude);
                exceeding[i] += u64::from(abs_diff >= exceeded(threshold * magnitude));
                max_abs[i] = if abs_diff > max_abs[i] { abs_diff } else { max_abs[i] };
            }
        }
        FoundValues {
            outside: outside.iter().sum(),
            exceeding: exceeding.iter().sum(),
            max_abs: max_abs.into_iter().fold(0.0, f64::max),
        }
    }
}

/// A difference that exceeds this product; no difference of 0 does. The product may be subnormal, and rounded up to the difference.
#[inline(always)]
fn exceeded(product: f64) -> f64 {
    const LEAST: f64 = f64::from_bits(1);
    if product > LEAST { product } else { LEAST }
}

/// Takes the statistics of a cell into the tally. Positions and maxima are searched for only where there may be new ones: `pair`
/// returns the pair at an index, and `scalars` its values.
pub(super) fn settle<W: Number>(
    wide: Blocks<'_, W>,
    counts: &CellCounts,
    has_nonzero: bool,
    tally: &mut Tally,
    pair: impl Fn(usize) -> Option<Pair>,
    scalars: impl Fn(usize) -> (Scalar, Scalar),
) {
    let start = tally.position;
    let &CellCounts { differing, outside, zero_lhs, zero_sign, from_zero, .. } = counts;
    let mismatched = if tally.rule.absolute.is_some() { outside } else { differing };
    let earlier = tally.counts.mismatched;
    counts.excluded.add_to(tally);
    let counted = Counts { differing, mismatched, zero_lhs, zero_sign, ..Counts::default() };
    tally.counts.merge(&counted, 1);
    let extremes = &mut tally.extremes;
    if tally.counts.mismatched > earlier && extremes.first.is_none_or(|first| first >= start) {
        let rule = tally.rule;
        let mut pairs = (0..).map_while(&pair);
        if let Some(first) = pairs.position(|pair| !rule.is_close(&pair)) {
            extremes.mismatch_at(start + first as u64);
        }
    }
    extremes.max_ulp = extremes.max_ulp.max(counts.max_ulp);
    extremes.zeros(has_nonzero, from_zero > 0);
    if counts.exceeds {
        record_relative(wide, extremes);
    }
    let most = extremes.worst.map_or(-1.0, |(most, _)| most);
    if counts.max_abs > most
        && let Some((index, abs_diff)) = find_worst(wide, most, pair)
    {
        let (lhs, rhs) = scalars(index);
        let position = start + index as u64;
        extremes.worst_at(abs_diff, Worst { position, lhs, rhs });
    }
}

/// Finds the first pair with the largest difference, if that is above `most`.
fn find_worst<W: Number>(
    wide: Blocks<'_, W>,
    mut most: f64,
    pair: impl Fn(usize) -> Option<Pair>,
) -> Option<(usize, f64)> {
    let mut flags = [0; CELL_LEN];
    flag(wide, &mut flags, move |x, y| y.abs_diff(x) > most);
    let mut worst = None;
    for (index, x, y) in wide.flagged(&flags) {
        let abs_diff = y.abs_diff(x);
        // Zeros stand for pairs that are not finite, and for those beyond the end.
        if abs_diff > most && pair(index).is_some_and(|pair| pair.is_finite()) {
            (worst, most) = (Some((index, abs_diff)), abs_diff);
        }
    }
    worst
}

/// More pairs than this are divided as vectors.
const MANY: u16 = 64;

/// Records the relative differences of finite pairs whose lhs is not 0.
fn record_relative<W: Number>(blocks: Blocks<'_, W>, extremes: &mut Extremes) {
    let threshold = extremes.relative_threshold();
    let mut flags = [0; CELL_LEN];
    match blocks.cast() {
        Some(narrow) => {
            let threshold = narrow_threshold(threshold);
            flag(narrow, &mut flags, move |x: f32, y: f32| {
                ((y - x).abs() >= or_least(threshold * x.abs())) & (x != 0.0)
            });
        }
        None => flag(blocks, &mut flags, move |x: W, y| {
            let magnitude = x.to_f64().abs();
            (y.abs_diff(x) >= exceeded(threshold * magnitude)) & (magnitude > 0.0)
        }),
    }
    // Where few values are representable, the maximum occurs again and again, and only a quotient distinguishes it from a larger one.
    if flags.iter().map(|&flag| u16::from(flag)).sum::<u16>() > MANY {
        let (max_rel, rtol) = (extremes.max_rel.unwrap_or(-1.0), extremes.rtol);
        flag(blocks, &mut flags, move |x: W, y| {
            let (abs_diff, magnitude) = (y.abs_diff(x), x.to_f64().abs());
            ((abs_diff / magnitude > max_rel) | (abs_diff > rtol * magnitude)) & (magnitude > 0.0)
        });
    }
    for (_, x, y) in blocks.flagged(&flags) {
        let magnitude = x.to_f64().abs();
        if x.to_f64().is_finite() & y.to_f64().is_finite() {
            extremes.relative(y.abs_diff(x), magnitude);
        }
    }
}

/// Flags the pairs that meet a condition.
fn flag<W: Number>(blocks: Blocks<'_, W>, flags: &mut [u8], condition: impl Fn(W, W) -> bool) {
    Arch::new().dispatch(Flag { blocks, flags, condition });
}

struct Flag<'a, W, F> {
    blocks: Blocks<'a, W>,
    flags: &'a mut [u8],
    condition: F,
}

impl<W: Number, F: Fn(W, W) -> bool> pulp::NullaryFnOnce for Flag<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((x, y), flag) in self.blocks.pairs().zip(self.flags) {
            *flag = u8::from((self.condition)(x, y));
        }
    }
}

impl<'a, W: Number> Blocks<'a, W> {
    /// The pairs with a flag, and their indices.
    fn flagged(self, flags: &[u8; CELL_LEN]) -> impl Iterator<Item = (usize, W, W)> {
        let groups = flags.as_chunks::<LANES>().0.iter().zip(self.iter()).enumerate();
        let flagged = groups.filter(|(_, (flags, _))| u128::from_le_bytes(**flags) != 0);
        flagged.flat_map(|(block, (flags, (lhs, rhs)))| {
            let pairs = lhs.iter().zip(rhs).zip(flags).zip(block * LANES..);
            pairs.filter(|((_, flag), _)| **flag != 0).map(|(((&x, &y), _), index)| (index, x, y))
        })
    }
}

/// Records the relative differences of the finite pairs of two slices of one length.
pub(super) fn relative<T: Number>(lhs: &[T], rhs: &[T], extremes: &mut Extremes) {
    let any = |condition: fn(T, T) -> bool| {
        let is_finite = |x: T| x.to_f64().is_finite();
        pairs::of((lhs, rhs)).any(|(x, y)| condition(x, y) && is_finite(x) && is_finite(y))
    };
    let has_nonzero = extremes.max_rel.is_none() && any(|x, _| !x.is_zero());
    let has_from_zero = extremes.rtol.is_finite() && any(|x, y| x.is_zero() && !y.is_zero());
    extremes.zeros(has_nonzero, has_from_zero);
    let (mut whole, mut wide) = (Buffer::default(), Buffer::default());
    for (lhs, rhs) in lhs.chunks(CELL_LEN).zip(rhs.chunks(CELL_LEN)) {
        let blocks = Blocks::new(lhs, rhs, &mut whole);
        match blocks.exact() {
            Some(exact) => record_relative(exact, extremes),
            None => record_relative(blocks.widen(&mut wide), extremes),
        }
    }
}
