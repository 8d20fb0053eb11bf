//! Differences counted by their power of two: the histogram that is reported, and the tables that count it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};

use super::pair::{Pair, exponent};
use crate::error::Result;
use crate::serial::{Json, Object, Read};

/// Exponents whose counters are allocated together. The differences of a tensor are rarely in more than two such tables.
const TABLE: u16 = 1 << 6;
/// Tables for all biased exponents of an `f64`.
const TABLES: usize = (1 << 11) / TABLE as usize;
/// Bits of the significand of an `f64`.
const SIGNIFICAND: usize = 52;
const BIAS: i32 = 1023;

/// The power of two of the smallest difference.
pub(super) const LEAST_POWER: i32 = -BIAS - 51;
/// The power of differences beyond `f64`.
pub(super) const MOST_POWER: i32 = BIAS + 1;

/// Differences in a group; as many as a 16-bit counter can count.
pub(super) const GROUP: usize = 1 << 10;
/// Bytes that are compared at once; a group has at most 255 times as many, since they are counted in bytes.
const AT_ONCE: usize = 64;
/// The maximum number of bins that a batch is compared with one by one; with more, each difference is added to its bin.
const FEW: u16 = 32;

/// How many pairs differ by how much, in powers of two. Pairs of equal values are not counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Histogram {
    /// By `floor(log2(|rhs - lhs|))`, over pairs of two finite elements.
    #[serde(serialize_with = "bins")]
    pub abs: BTreeMap<i32, u64>,
    /// By `floor(log2(ulps))`, for floats of one dtype.
    #[serde(serialize_with = "bins")]
    pub ulp: BTreeMap<i32, u64>,
}

fn bins<S: Serializer>(bins: &BTreeMap<i32, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Bin {
        log2: i32,
        count: u64,
    }
    serializer.collect_seq(bins.iter().map(|(&log2, &count)| Bin { log2, count }))
}

impl<'r> Read<'r> for Histogram {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        let bins = |key, powers: RangeInclusive<i32>| {
            object.with(key, |json| {
                let mut bins = BTreeMap::new();
                json.each(|item| {
                    let bin = Object::read(item)?;
                    let power = bin.with("log2", |json| {
                        let power = Some(i32::read(json)?).filter(|power| powers.contains(power));
                        let (least, most) = (powers.start(), powers.end());
                        power.ok_or_else(|| json.unexpected(format_args!("{least} to {most}")))
                    })?;
                    bins.insert(power, bin.get("count")?);
                    Ok(())
                })?;
                Ok(bins)
            })
        };
        Ok(Self { abs: bins("abs", LEAST_POWER..=MOST_POWER)?, ulp: bins("ulp", 0..=63)? })
    }
}

/// The counters of some neighboring exponents.
type Table = Box<[u64; TABLE as usize]>;

/// Counts of differences, from which a [`Histogram`] is made.
#[derive(Debug, Clone)]
pub(super) struct Bins {
    /// Magnitudes by biased exponent. The exponent of infinity counts differences that overflowed; exponent 0, which stands for no
    /// difference, is not counted. A table is allocated for its first difference.
    abs: [Option<Table>; TABLES],
    /// Subnormal magnitudes by significant bits less one.
    subnormal: [u64; SIGNIFICAND],
    /// Distances in representable values by significant bits; 0 is not counted.
    ulp: [u64; 65],
}

impl Default for Bins {
    fn default() -> Self {
        Self { abs: [const { None }; TABLES], subnormal: [0; SIGNIFICAND], ulp: [0; 65] }
    }
}

impl Bins {
    /// Counts `n` differences from `2^power` up to the next power; 1024 is the power of differences beyond `f64`.
    pub(super) fn add_abs(&mut self, power: i32, n: u64) {
        match u16::try_from(power.saturating_add(BIAS)) {
            Ok(biased @ 1..) => add_exponent(&mut self.abs, biased, n),
            _ => {
                let bits = power.saturating_sub(LEAST_POWER);
                add_at(&mut self.subnormal, u16::try_from(bits).unwrap_or(u16::MAX), n);
            }
        }
    }

    /// Counts `n` distances from `2^power` representable values up to the next power.
    pub(super) fn add_ulp(&mut self, power: u32, n: u64) {
        add_at(&mut self.ulp, u16::try_from(power.saturating_add(1)).unwrap_or(u16::MAX), n);
    }

    /// Adds the counts of a histogram.
    pub(super) fn add(&mut self, histogram: &Histogram) {
        histogram.abs.iter().for_each(|(&power, &n)| self.add_abs(power, n));
        histogram.ulp.iter().for_each(|(&power, &n)| self.add_ulp(power.cast_unsigned(), n));
    }

    /// Counts the difference of a pair, as defined.
    pub(super) fn count(&mut self, pair: &Pair) {
        if pair.is_finite() {
            self.count_abs_diff(pair.abs_diff);
        }
        if let Some(ulps @ 1..) = pair.ulps {
            self.add_ulp(ulps.ilog2(), 1);
        }
    }

    /// Counts a difference.
    pub(super) fn count_abs_diff(&mut self, abs_diff: f64) {
        if abs_diff > 0.0 {
            self.add_abs(if abs_diff.is_finite() { exponent(abs_diff) } else { MOST_POWER }, 1);
        }
    }

    /// Counts at most [`GROUP`] differences, none of which is subnormal.
    #[inline(always)]
    pub(super) fn count_abs_diffs(&mut self, abs_diffs: &[f64]) {
        let exponent = |abs_diff: f64| (abs_diff.to_bits() >> SIGNIFICAND) as u16;
        count(abs_diffs, exponent, |at, n| add_exponent(&mut self.abs, at, n));
    }

    /// Counts at most [`GROUP`] distances in representable values.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a u64 has 64 bits")]
    pub(super) fn count_ulps<U: Copy + Into<u64>>(&mut self, ulps: &[U]) {
        let table = &mut self.ulp;
        let bits = |ulps: U| (u64::BITS - ulps.into().leading_zeros()) as u16;
        count(ulps, bits, |at, n| add_at(table, at, n));
    }

    /// Adds the counts of other differences, `times` over.
    pub(super) fn merge(&mut self, other: &Self, times: u64) {
        for (ours, theirs) in self.abs.iter_mut().zip(&other.abs) {
            if let Some(theirs) = theirs {
                add(ours.get_or_insert_with(new_table).as_mut_slice(), theirs.as_slice(), times);
            }
        }
        add(&mut self.subnormal, &other.subnormal, times);
        add(&mut self.ulp, &other.ulp, times);
    }

    /// The bins that are not empty.
    pub(super) fn histogram(&self) -> Histogram {
        let subnormal = (LEAST_POWER..).zip(self.subnormal);
        let tables = (-BIAS..).step_by(TABLE.into()).zip(&self.abs);
        let tables = tables.filter_map(|(least, table)| Some((least, table.as_deref()?)));
        let normal = tables.flat_map(|(least, table)| (least..).zip(*table));
        let ulp = (0..).zip(self.ulp.iter().copied().skip(1));
        let filled = |&(_, n): &(i32, u64)| n > 0;
        Histogram {
            abs: subnormal.chain(normal).filter(filled).collect(),
            ulp: ulp.filter(filled).collect(),
        }
    }
}

/// Counts numbers by their bin. Where there are few bins, all numbers are compared with one bin after the other, which
/// vectorizes; where there are many, each number is added to its bin.
#[inline(always)]
fn count<T: Copy>(numbers: &[T], bin: impl Fn(T) -> u16, mut add: impl FnMut(u16, u64)) {
    const { assert!(GROUP / AT_ONCE <= u8::MAX as usize && GROUP.is_multiple_of(AT_ONCE)) };
    let mut bins = [0u16; GROUP];
    let (mut least, mut most) = (u16::MAX, 0);
    for (at, &number) in bins.iter_mut().zip(numbers) {
        *at = bin(number);
        // Bin 0 is not counted; as the least bin it wraps around to the greatest.
        least = least.min(at.wrapping_sub(1));
        most = most.max(*at);
    }
    let least = least.wrapping_add(1);
    if most.saturating_sub(least) < FEW {
        // As bytes, of which a vector has twice as many. Bin 0, which is not counted, is beyond the few, unless there is no other.
        let mut few = [0u8; GROUP];
        for (few, bin) in few.iter_mut().zip(bins) {
            *few = u8::try_from(bin.wrapping_sub(least)).unwrap_or(u8::MAX);
        }
        for (bin, number) in (least..=most).zip(0u8..) {
            let mut counts = [0u8; AT_ONCE];
            for some in few.as_chunks::<AT_ONCE>().0 {
                for (n, &at) in counts.iter_mut().zip(some) {
                    *n += u8::from(at == number);
                }
            }
            add(bin, counts.iter().map(|&n| u64::from(n)).sum());
        }
    } else {
        let bins = bins.get(..numbers.len()).unwrap_or_default();
        bins.iter().for_each(|&bin| add(bin, 1));
    }
}

fn new_table() -> Table {
    Box::new([0; TABLE as usize])
}

/// Adds to the counter of a biased exponent; 0 is not counted.
fn add_exponent(tables: &mut [Option<Table>], biased: u16, n: u64) {
    if biased > 0
        && let Some(table) = tables.get_mut(usize::from(biased / TABLE))
    {
        add_at(table.get_or_insert_with(new_table).as_mut_slice(), biased % TABLE, n);
    }
}

fn add_at(table: &mut [u64], at: u16, n: u64) {
    if let Some(count) = table.get_mut(usize::from(at)) {
        *count += n;
    }
}

fn add(ours: &mut [u64], theirs: &[u64], times: u64) {
    for (ours, theirs) in ours.iter_mut().zip(theirs) {
        *ours += theirs * times;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::pair::Value;

    fn pair(abs_diff: f64, ulps: u64) -> Pair {
        let value = Value::real(1.0);
        Pair {
            differs: abs_diff > 0.0,
            lhs: value,
            rhs: value,
            diff: Value::real(abs_diff),
            abs_diff,
            lhs_magnitude: 1.0,
            ulps: Some(ulps),
        }
    }

    #[test]
    fn every_difference_has_the_bin_of_its_power_of_two() {
        for (abs_diff, power) in [
            (5e-324, -1074),
            (f64::MIN_POSITIVE.next_down(), -1023),
            (f64::MIN_POSITIVE, -1022),
            (0.75, -1),
            (1.0, 0),
            (f64::MAX, 1023),
            (f64::INFINITY, 1024),
        ] {
            let mut bins = Bins::default();
            bins.count(&pair(abs_diff, 0));
            bins.add_abs(power, 2);
            let expected = Histogram { abs: [(power, 3)].into(), ulp: [].into() };
            assert_eq!(bins.histogram(), expected, "{abs_diff}");
        }
        for (ulps, power) in [(1, 0), (3, 1), (u64::MAX, 63)] {
            let mut bins = Bins::default();
            bins.count(&pair(0.0, ulps));
            bins.add_ulp(power, 2);
            let expected = Histogram { abs: [].into(), ulp: [(power.cast_signed(), 3)].into() };
            assert_eq!(bins.histogram(), expected, "{ulps}");
        }
    }

    #[test]
    fn a_batch_is_counted_as_its_differences_are() {
        let near: Vec<_> = (0..700u32).map(|i| (f64::from(i % 9), u64::from(i % 5))).collect();
        let far = [(0.0, 0), (1e-300, 1), (1.5, u64::MAX), (f64::MAX, 1 << 63), (0.5, 4)];
        for pairs in [near.as_slice(), &far, &[(0.0, 0); 20], &[]] {
            let (mut together, mut apart) = (Bins::default(), Bins::default());
            let (abs_diffs, ulps): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            together.count_abs_diffs(&abs_diffs);
            together.count_ulps(&ulps);
            for &(abs_diff, ulps) in pairs {
                let mut one = Bins::default();
                one.count(&pair(abs_diff, ulps));
                apart.merge(&one, 1);
            }
            assert_eq!(together.histogram(), apart.histogram(), "{pairs:?}");
        }
    }
}
