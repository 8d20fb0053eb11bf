//! Differences counted by their power of two, in flat tables.

use super::super::Histogram;
use super::super::close::{Pair, exponent};

/// Biased exponents of an `f64`.
const EXPONENTS: usize = 1 << 11;
/// Bits of the significand of an `f64`.
const SIGNIFICAND: usize = 52;
const BIAS: i32 = 1023;

/// Differences that are taken at once; a 16-bit counter holds as many.
pub(super) const MOST: usize = 1 << 10;
/// Bins that are counted one after the other; where there are more, differences are.
const FEW: u16 = 32;

/// Counts of differences; what a [`Histogram`] is made of.
#[derive(Debug, Clone)]
pub(crate) struct Bins {
    /// Magnitudes by biased exponent; that of infinity is for differences that overflowed, 0 is for no difference and
    /// counts nothing. Empty until there is a difference.
    abs: Vec<u64>,
    /// Subnormal magnitudes by significant bits less one.
    subnormal: [u64; SIGNIFICAND],
    /// Distances in representable values by significant bits; 0 counts nothing.
    ulp: [u64; 65],
}

impl Default for Bins {
    fn default() -> Self {
        Self { abs: Vec::new(), subnormal: [0; SIGNIFICAND], ulp: [0; 65] }
    }
}

impl Bins {
    /// Counts `n` differences of `2^power` and more, up to the next power; 1024 is for those beyond `f64`.
    pub(crate) fn add_abs(&mut self, power: i32, n: u64) {
        match u16::try_from(power.saturating_add(BIAS)) {
            Ok(biased @ 1..) => add_at(self.exponents(), biased, n),
            _ => {
                let bits = power.saturating_add(BIAS + 51);
                add_at(&mut self.subnormal, u16::try_from(bits).unwrap_or(u16::MAX), n);
            }
        }
    }

    /// Counts `n` distances of `2^power` and more representable values, up to the next power.
    pub(crate) fn add_ulp(&mut self, power: u32, n: u64) {
        add_at(&mut self.ulp, u16::try_from(power.saturating_add(1)).unwrap_or(u16::MAX), n);
    }

    /// Takes in what an accelerator counted.
    pub(crate) fn add(&mut self, histogram: &Histogram) {
        histogram.abs.iter().for_each(|(&power, &n)| self.add_abs(power, n));
        histogram.ulp.iter().for_each(|(&power, &n)| self.add_ulp(power.cast_unsigned(), n));
    }

    /// Counts the difference of a pair, as the definition has it.
    pub(crate) fn count(&mut self, pair: &Pair) {
        if pair.is_finite() && pair.gap > 0.0 {
            self.add_abs(if pair.gap.is_finite() { exponent(pair.gap) } else { BIAS + 1 }, 1);
        }
        if let Some(ulps @ 1..) = pair.ulps {
            self.add_ulp(ulps.ilog2(), 1);
        }
    }

    /// Counts [`MOST`] differences or less, none of which is subnormal.
    #[inline(always)]
    pub(super) fn count_gaps(&mut self, gaps: &[f64]) {
        let table = self.exponents();
        count(gaps, |gap| (gap.to_bits() >> SIGNIFICAND) as u16, |at, n| add_at(table, at, n));
    }

    /// Counts [`MOST`] distances in representable values or less.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a u64 has 64 bits")]
    pub(super) fn count_ulps<U: Copy + Into<u64>>(&mut self, ulps: &[U]) {
        let table = &mut self.ulp;
        let bits = |ulps: U| (u64::BITS - ulps.into().leading_zeros()) as u16;
        count(ulps, bits, |at, n| add_at(table, at, n));
    }

    fn exponents(&mut self) -> &mut [u64] {
        if self.abs.is_empty() {
            self.abs = vec![0; EXPONENTS];
        }
        &mut self.abs
    }

    /// Takes in what was counted elsewhere.
    pub(crate) fn append(&mut self, later: &Self) {
        if self.abs.is_empty() {
            self.abs.clone_from(&later.abs);
        } else {
            add(&mut self.abs, &later.abs);
        }
        add(&mut self.subnormal, &later.subnormal);
        add(&mut self.ulp, &later.ulp);
    }

    /// The bins that are not empty.
    pub(crate) fn histogram(&self) -> Histogram {
        let subnormal = (-BIAS - 51..).zip(self.subnormal);
        let normal = (1 - BIAS..).zip(self.abs.iter().copied().skip(1));
        let ulp = (0..).zip(self.ulp.iter().copied().skip(1));
        let filled = |&(_, n): &(i32, u64)| n > 0;
        Histogram {
            abs: subnormal.chain(normal).filter(filled).collect(),
            ulp: ulp.filter(filled).collect(),
        }
    }
}

/// Counts numbers by their bin: bin after bin where there are few, since comparing with one is what vectors do well, and
/// number after number where there are many.
#[inline(always)]
fn count<T: Copy>(numbers: &[T], bin: impl Fn(T) -> u16, mut add: impl FnMut(u16, u64)) {
    let mut bins = [0u16; MOST];
    let (mut least, mut most) = (u16::MAX, 0);
    for (at, &number) in bins.iter_mut().zip(numbers) {
        *at = bin(number);
        // Bin 0, which counts nothing, is not the least.
        least = least.min(at.wrapping_sub(1));
        most = most.max(*at);
    }
    let bins = bins.get(..numbers.len()).unwrap_or_default();
    let least = least.wrapping_add(1);
    if most.saturating_sub(least) < FEW {
        for bin in least..=most {
            let n = bins.iter().fold(0u16, |n, &at| n + u16::from(at == bin));
            add(bin, n.into());
        }
    } else {
        bins.iter().for_each(|&bin| add(bin, 1));
    }
}

fn add_at(table: &mut [u64], at: u16, n: u64) {
    if let Some(count) = table.get_mut(usize::from(at)) {
        *count += n;
    }
}

fn add(ours: &mut [u64], theirs: &[u64]) {
    for (ours, theirs) in ours.iter_mut().zip(theirs) {
        *ours += theirs;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::close::Value;
    use super::*;

    fn pair(gap: f64, ulps: u64) -> Pair {
        let value = Value::real(1.0);
        Pair { differs: gap > 0.0, lhs: value, rhs: value, gap, size: 1.0, ulps: Some(ulps) }
    }

    #[test]
    fn every_difference_has_the_bin_of_its_power_of_two() {
        for (gap, power) in [
            (5e-324, -1074),
            (f64::MIN_POSITIVE.next_down(), -1023),
            (f64::MIN_POSITIVE, -1022),
            (0.75, -1),
            (1.0, 0),
            (f64::MAX, 1023),
            (f64::INFINITY, 1024),
        ] {
            let mut bins = Bins::default();
            bins.count(&pair(gap, 0));
            bins.add_abs(power, 2);
            let expected = Histogram { abs: [(power, 3)].into(), ulp: [].into() };
            assert_eq!(bins.histogram(), expected, "{gap}");
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
    fn many_at_once_are_each_by_itself() {
        let near: Vec<_> = (0..700u32).map(|i| (f64::from(i % 9), u64::from(i % 5))).collect();
        let far = [(0.0, 0), (1e-300, 1), (1.5, u64::MAX), (f64::MAX, 1 << 63), (0.5, 4)];
        for pairs in [near.as_slice(), &far, &[(0.0, 0); 20], &[]] {
            let (mut together, mut apart) = (Bins::default(), Bins::default());
            let (gaps, ulps): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            together.count_gaps(&gaps);
            together.count_ulps(&ulps);
            for &(gap, ulps) in pairs {
                let mut one = Bins::default();
                one.count(&pair(gap, ulps));
                apart.append(&one);
            }
            assert_eq!(together.histogram(), apart.histogram(), "{pairs:?}");
        }
    }
}
