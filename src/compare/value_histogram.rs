//! The distribution of the values of one tensor: a histogram by sign, power of two and quarter of it, and what follows from it.
//!
//! ```text
//! bin b: 2^p * (1 + q/4) <= |value| < 2^p * (1 + (q + 1)/4)    b = 4p + q; p = floor(b / 4), q from 0 to 3
//! ```
//! So a bin is the exponent and the two leading fraction bits of an `f64`. The subnormal `f64`s have one power, −1023, whose bins
//! are the quarters of 2^−1022 from 0 on; subnormal numbers of every other type are normal as `f64`. Values of narrower types are
//! exact as `f64`, and integers of more than 53 bits are rounded once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Fraction bits of an `f64` below its two leading ones.
pub(super) const BELOW_QUARTER: u32 = 50;
/// The bin of the smallest magnitudes.
pub(super) const LEAST_BIN: i16 = -4 * 1023;
/// The bin of the largest finite magnitudes.
pub(super) const MOST_BIN: i16 = 4 * 1023 + 3;

/// The number of a bin, and the number of values in it, which is not 0.
pub(super) type Bin = (i16, u64);

/// How the values of one tensor are distributed: counts by sign, power of two and quarter of it. NaN and infinities are left out.
///
/// Bin `b` has the magnitudes from `2^p (1 + q/4)` up to the next quarter, where `p` is `b / 4` rounded down and `q` is the
/// remainder; the least four bins divide the subnormal `f64`s, from 0 to 2⁻¹⁰²². The JSON form has the bins that are not empty:
///
/// ```
/// use ckdiff::compare::ValueHistogram;
///
/// let values: ValueHistogram = [0.0, -0.0, 1.0, 1.2, -0.5].into_iter().collect();
/// let json = serde_json::to_string(&values)?;
/// assert_eq!(json, r#"{"zeros":2,"negative":[[-4,1]],"positive":[[0,2]]}"#);
/// assert_eq!(serde_json::from_str::<ValueHistogram>(&json)?, values);
/// assert_eq!((values.count(), values.share_of_zeros()), (5, Some(0.4)));
/// assert_eq!(values.abs_quantile(0.5), Some(0.5625));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct ValueHistogram {
    zeros: u64,
    /// In ascending order of their numbers, so of magnitudes.
    negative: Box<[Bin]>,
    positive: Box<[Bin]>,
}

impl ValueHistogram {
    /// A histogram of bins that may be in any order, but occur once each.
    pub(super) fn new(zeros: u64, negative: Vec<Bin>, positive: Vec<Bin>) -> Self {
        let [negative, positive] = [negative, positive].map(|mut bins| {
            bins.sort_unstable();
            bins.into()
        });
        Self { zeros, negative, positive }
    }

    /// The number of values, zeros included.
    pub fn count(&self) -> u64 {
        let bins = self.negative.iter().chain(&self.positive);
        self.zeros + bins.map(|(_, count)| count).sum::<u64>()
    }

    /// The number of zeros of either sign.
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// The share of zeros; `None` without values.
    pub fn share_of_zeros(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.zeros as f64 / count as f64)
    }

    /// The magnitude that this share of all magnitudes, zeros included, does not exceed: 0.5 for the median. `None` without
    /// values, or if `share` is not between 0 and 1.
    ///
    /// It is interpolated between the borders of its bin as if the values were spread evenly over it, so it is less than a quarter
    /// of itself away from the exact one.
    pub fn abs_quantile(&self, share: f64) -> Option<f64> {
        let count = self.count();
        if count == 0 || !(0.0..=1.0).contains(&share) {
            return None;
        }
        let rank = share * count as f64;
        let mut before = self.zeros;
        if before > 0 && rank <= before as f64 {
            return Some(0.0);
        }
        let bins = sum_of(&self.negative, &self.positive, 1);
        let mut most = 0.0;
        for &(bin, count) in &bins {
            let (low, high) = (border(bin), border(bin + 1).min(f64::MAX));
            let within = (rank - before as f64) / count as f64;
            if within <= 1.0 {
                return Some(low + (high - low) * within);
            }
            before += count;
            most = high;
        }
        Some(most)
    }

    /// The Kolmogorov–Smirnov distance of two distributions: the largest difference, over all values, of the shares of values up
    /// to there, between 0 and 1. Here it is the largest over the borders of bins, which is never more. `None` if a side has no
    /// values.
    pub fn ks_distance(&self, other: &Self) -> Option<f64> {
        let (ours, theirs) = (i128::from(self.count()), i128::from(other.count()));
        if ours == 0 || theirs == 0 {
            return None;
        }
        // Shares with the common denominator `ours * theirs`, so that the difference is exact.
        let ascending = |of: &Self, weight: i128| {
            of.ascending()
                .map(move |(at, count)| (at, i128::from(count) * weight))
                .collect::<Vec<_>>()
        };
        let mut steps = ascending(self, theirs);
        steps.extend(ascending(other, -ours));
        steps.sort_unstable();
        let (mut difference, mut most) = (0i128, 0u128);
        for at in steps.chunk_by(|(a, _), (b, _)| a == b) {
            difference += at.iter().map(|(_, step)| step).sum::<i128>();
            most = most.max(difference.unsigned_abs());
        }
        Some(most as f64 / (ours * theirs) as f64)
    }

    /// The bins that are not empty, in the order of their values: borders and count. Zeros are a bin between 0 and 0.
    pub fn bins(&self) -> impl Iterator<Item = (f64, f64, u64)> {
        let above = |bin: i16| border(bin + 1).min(f64::MAX);
        let negative = self.negative.iter().rev();
        let negative = negative.map(move |&(bin, count)| (-above(bin), -border(bin), count));
        let positive =
            self.positive.iter().map(move |&(bin, count)| (border(bin), above(bin), count));
        let zeros = (self.zeros > 0).then_some((0.0, 0.0, self.zeros));
        negative.chain(zeros).chain(positive)
    }

    /// The bins of negative or of positive values, in the order of their magnitudes.
    pub(crate) fn quarters(&self, is_negative: bool) -> &[(i16, u64)] {
        if is_negative { &self.negative } else { &self.positive }
    }

    /// The median of the magnitudes other than 0, as [`abs_quantile`](Self::abs_quantile) defines it.
    pub(crate) fn nonzero_median(&self) -> Option<f64> {
        let nonzero =
            Self { zeros: 0, negative: self.negative.clone(), positive: self.positive.clone() };
        nonzero.abs_quantile(0.5)
    }

    /// The bins in the order of their values, each with a number that orders them, and their counts.
    fn ascending(&self) -> impl Iterator<Item = (i32, u64)> {
        // From 1 on, so that 0 is left for the zeros.
        let rank = |bin: i16| i32::from(bin) - i32::from(LEAST_BIN) + 1;
        let negative = self.negative.iter().rev().map(move |&(bin, count)| (-rank(bin), count));
        let positive = self.positive.iter().map(move |&(bin, count)| (rank(bin), count));
        negative.chain([(0, self.zeros)]).chain(positive)
    }

    /// Adds other values, `times` over.
    pub(super) fn merge(&mut self, other: &Self, times: u64) {
        self.zeros += other.zeros * times;
        self.negative = sum_of(&self.negative, &other.negative, times).into();
        self.positive = sum_of(&self.positive, &other.positive, times).into();
    }
}

/// The least magnitude in a bin; infinity for the bin after the last.
fn border(bin: i16) -> f64 {
    let bits = u64::try_from(i32::from(bin) - i32::from(LEAST_BIN)).unwrap_or_default();
    f64::from_bits(bits << BELOW_QUARTER)
}

/// The bins of both lists, with the counts of the second taken `times` over.
fn sum_of(ours: &[Bin], theirs: &[Bin], times: u64) -> Vec<Bin> {
    let theirs = theirs.iter().map(|&(bin, count)| (bin, count * times));
    let mut bins: Vec<Bin> = ours.iter().copied().chain(theirs).filter(|(_, n)| *n > 0).collect();
    bins.sort_unstable();
    bins.dedup_by(|later, bin| {
        let same = later.0 == bin.0;
        bin.1 += if same { later.1 } else { 0 };
        same
    });
    bins
}

/// Counts values; NaN and infinities are left out.
impl FromIterator<f64> for ValueHistogram {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut zeros = 0;
        let mut bins = [BTreeMap::new(), BTreeMap::new()];
        let [negative, positive] = &mut bins;
        for value in values.into_iter().filter(|value| value.is_finite()) {
            if value == 0.0 {
                zeros += 1;
                continue;
            }
            let leading = i16::try_from(value.abs().to_bits() >> BELOW_QUARTER).unwrap_or_default();
            let of_sign = if value < 0.0 { &mut *negative } else { &mut *positive };
            *of_sign.entry(leading + LEAST_BIN).or_default() += 1;
        }
        let [negative, positive] = bins.map(|bins| bins.into_iter().collect());
        Self::new(zeros, negative, positive)
    }
}

/// A histogram as JSON has it.
#[derive(Deserialize)]
struct Unchecked {
    zeros: u64,
    negative: Box<[Bin]>,
    positive: Box<[Bin]>,
}

impl TryFrom<Unchecked> for ValueHistogram {
    type Error = Error;

    fn try_from(Unchecked { zeros, negative, positive }: Unchecked) -> Result<Self> {
        check(&negative)?;
        check(&positive)?;
        let counts = negative.iter().chain(&positive).map(|(_, count)| *count);
        let total = counts.fold(zeros, u64::saturating_add);
        // The distance of two histograms multiplies their counts.
        if i64::try_from(total).is_err() {
            return Err(Error::unexpected("values of a histogram", total, "at most 2^63 - 1"));
        }
        Ok(Self { zeros, negative, positive })
    }
}

/// Checks the order, the range and the counts of bins.
fn check(bins: &[Bin]) -> Result<()> {
    let mut least = LEAST_BIN;
    for &(bin, count) in bins {
        if !(least..=MOST_BIN).contains(&bin) {
            let expected = format!("one from {least} to {MOST_BIN}, in ascending order");
            return Err(Error::unexpected("bin of a histogram", bin, expected));
        }
        if count == 0 {
            let expected = "at least 1; bins without values are left out";
            return Err(Error::unexpected("count of a bin", count, expected));
        }
        least = bin + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> ValueHistogram {
        values.iter().copied().collect()
    }

    #[test]
    fn every_value_has_the_bin_of_its_quarter() {
        for (value, bin) in [
            (1.0, 0),
            (1.25f64.next_down(), 0),
            (1.25, 1),
            (1.75, 3),
            (2.0, 4),
            (0.5, -4),
            (f64::MAX, MOST_BIN),
            (f64::MIN_POSITIVE, -4 * 1022),
            (f64::MIN_POSITIVE.next_down(), LEAST_BIN + 3),
            (f64::MIN_POSITIVE / 4.0, LEAST_BIN + 1),
            (5e-324, LEAST_BIN),
        ] {
            assert_eq!(of(&[value]), ValueHistogram::new(0, vec![], vec![(bin, 1)]), "{value}");
            assert_eq!(of(&[-value]), ValueHistogram::new(0, vec![(bin, 1)], vec![]), "-{value}");
            assert!(border(bin) <= value && value < border(bin + 1), "{value}");
        }
    }

    #[test]
    fn merging_adds_counts_any_number_of_times() {
        let mut sum = of(&[0.0, 1.0, -2.0]);
        sum.merge(&of(&[-0.0, 1.1, 3.0]), 2);
        sum.merge(&of(&[5.0]), 0);
        assert_eq!(sum, of(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 3.0, 3.0, -2.0]));
    }
}
