//! The buckets of histograms that are drawn: how many, between which borders, with what counts.
//!
//! A picture has room for few bars, so neighboring bins share one. Each format draws the same buckets.

use std::collections::BTreeMap;

use crate::compare::ValueHistogram;

/// How the borders of buckets follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// At equal distances.
    Linear,
    /// At powers of two, those of negative numbers before those of positive ones.
    Powers,
}

/// A histogram for a picture. The buckets are in ascending order, and no number is in two of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Buckets {
    /// How the borders follow each other.
    pub scale: Scale,
    /// The buckets, at least one.
    pub buckets: Vec<Bucket>,
}

/// The numbers from `low` up to `high`. A number that is a border is in the bucket that is further from 0; one for zeros has two equal
/// borders.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    /// The least number.
    pub low: f64,
    /// The number above; infinity for numbers beyond `f64`.
    pub high: f64,
    /// How many numbers there are, by side.
    pub counts: Vec<u64>,
}

/// The scale is linear if no magnitude is larger than this multiple of their median. Normally distributed values stay below it.
const LINEAR_SPREAD: f64 = 16.0;

/// The fewest bins that are drawn; fewer are easier to read as numbers.
const FEWEST: usize = 8;

/// A bin with its borders and its count.
type Bin = (f64, f64, u64);

impl Buckets {
    /// At most `most` buckets of the differences of a [`Histogram`](crate::compare::Histogram), which are counted by power of two;
    /// `None` without differences.
    ///
    /// ```
    /// use ckdiff::summary::Buckets;
    ///
    /// let buckets = Buckets::of_differences(&[(-3, 5), (-1, 7), (0, 1)].into(), 2).unwrap();
    /// let shown: Vec<_> = buckets.buckets.iter().map(|b| (b.low, b.high, b.counts[0])).collect();
    /// assert_eq!(shown, [(0.125, 0.5, 5), (0.5, 2.0, 8)]);
    /// ```
    pub fn of_differences(bins: &BTreeMap<i32, u64>, most: usize) -> Option<Self> {
        let ((&first, _), (&last, _)) = (bins.first_key_value()?, bins.last_key_value()?);
        let step = step_of(first, last, most);
        let mut buckets = powers(first, last, step, 1);
        for (&power, &count) in bins {
            add(&mut buckets, 0, (power - first) / step, count);
        }
        Some(Self { scale: Scale::Powers, buckets })
    }

    /// At most `most` buckets (and at least 3) of the values of one side, or of several in the same buckets; `None` if there are no
    /// values.
    ///
    /// The scale is linear, unless the magnitudes spread so far that most values would share a bucket. No bin is divided, so the counts
    /// are exact, and there may be fewer buckets than `most`: a bucket of a linear scale is at least as wide as the widest bin.
    ///
    /// ```
    /// use ckdiff::compare::ValueHistogram;
    /// use ckdiff::summary::{Buckets, Scale};
    ///
    /// let values: ValueHistogram = [-1.0, -0.5, 0.0, 0.5, 1.0, 1.1].into_iter().collect();
    /// let buckets = Buckets::of_values(&[&values], 5).unwrap();
    /// assert_eq!(buckets.scale, Scale::Linear);
    /// assert_eq!(buckets.buckets.iter().map(|bucket| bucket.counts[0]).sum::<u64>(), 6);
    /// ```
    pub fn of_values(sides: &[&ValueHistogram], most: usize) -> Option<Self> {
        let bins: Vec<Vec<Bin>> = sides.iter().map(|side| side.bins().collect()).collect();
        let all = || bins.iter().flatten();
        let low = all().map(|bin| bin.0).reduce(f64::min)?;
        let high = all().map(|bin| bin.1).reduce(f64::max)?;
        let largest = high.max(-low);
        let spread = sides.iter().filter_map(|side| side.nonzero_median());
        let is_linear =
            spread.reduce(f64::min).is_none_or(|median| median * LINEAR_SPREAD >= largest);
        Some(match is_linear && (high - low).is_finite() {
            true => Self { scale: Scale::Linear, buckets: linear(&bins, (low, high), most.max(3)) },
            false => Self { scale: Scale::Powers, buckets: signed_powers(sides, most.max(3)) },
        })
    }

    /// Whether the values of any side are in enough bins for a picture of them.
    ///
    /// ```
    /// use ckdiff::compare::ValueHistogram;
    /// use ckdiff::summary::Buckets;
    ///
    /// let flags: ValueHistogram = [0.0, 1.0, 1.0, 0.0].into_iter().collect();
    /// let powers: ValueHistogram = (0..8).map(|power| 2f64.powi(power)).collect();
    /// assert!(!Buckets::are_enough(&[&flags]) && Buckets::are_enough(&[&flags, &powers]));
    /// ```
    pub fn are_enough(sides: &[&ValueHistogram]) -> bool {
        sides.iter().any(|side| side.bins().count() >= FEWEST)
    }

    /// The largest count of a bucket on any side.
    pub fn largest(&self) -> u64 {
        self.buckets.iter().flat_map(|bucket| &bucket.counts).copied().max().unwrap_or_default()
    }
}

/// How many powers share a bucket, if `most` buckets have all from `first` to `last`.
pub(crate) fn step_of(first: i32, last: i32, most: usize) -> i32 {
    let most = i32::try_from(most).unwrap_or(i32::MAX).max(1);
    ((last - first) / most + 1).max(1)
}

/// Empty buckets from `2^first` up, each of `step` powers, until `2^last` is in one.
fn powers(first: i32, last: i32, step: i32, sides: usize) -> Vec<Bucket> {
    let count = (last - first) / step + 1;
    let border = |at: i32| f64::from(first + at * step).exp2();
    let bucket = |at| Bucket { low: border(at), high: border(at + 1), counts: vec![0; sides] };
    (0..count).map(bucket).collect()
}

fn add(buckets: &mut [Bucket], side: usize, at: i32, count: u64) {
    let bucket = usize::try_from(at).ok().and_then(|at| buckets.get_mut(at));
    if let Some(sum) = bucket.and_then(|bucket| bucket.counts.get_mut(side)) {
        *sum += count;
    }
}

/// Buckets of equal width from a multiple of it to another; one, if all values are 0.
///
/// The width is that of the widest bin, or twice, four times … as much. It is a power of two, and the borders of all bins are multiples of
/// their own widths, which are powers of two as well. So every bin is in one bucket, and the counts are exact.
fn linear(bins: &[Vec<Bin>], (low, high): (f64, f64), most: usize) -> Vec<Bucket> {
    let all = || bins.iter().flatten();
    // The last bin of `f64` ends below a power of two.
    let widest = all().map(|bin| bin.1 - bin.0).fold(0.0, f64::max).log2().round().exp2();
    if widest == 0.0 {
        let counts = bins.iter().map(|bins| bins.iter().map(|bin| bin.2).sum()).collect();
        return vec![Bucket { low, high, counts }];
    }
    let number = |width: f64| (high / width).ceil() - (low / width).floor();
    let mut width = widest;
    while number(width) > most as f64 {
        width *= 2.0;
    }
    let first = (low / width).floor();
    let position = |border: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "at most `most`, or 3")]
        let position = ((border / width).floor() - first) as i32;
        position
    };
    let border = |at: i32| (first + f64::from(at)) * width;
    let empty = |at| Bucket { low: border(at), high: border(at + 1), counts: vec![0; bins.len()] };
    let last = position(high.next_down()).max(0);
    let mut buckets: Vec<_> = (0..=last).map(empty).collect();
    for (side, bins) in bins.iter().enumerate() {
        for &(from, _, count) in bins {
            add(&mut buckets, side, position(from).min(last), count);
        }
    }
    buckets
}

/// Buckets of powers of two: of negative values, of zeros if there are any, and of positive values.
fn signed_powers(sides: &[&ValueHistogram], most: usize) -> Vec<Bucket> {
    let zeros: Vec<u64> = sides.iter().map(|side| side.zeros()).collect();
    let has_zeros = zeros.iter().any(|&count| count > 0);
    let of_sign = |is_negative: bool| {
        let power = |bin: i16| i32::from(bin).div_euclid(4);
        let bins = |side: usize, of: &ValueHistogram| {
            let bins = of.quarters(is_negative).iter();
            bins.map(|&(bin, count)| (side, power(bin), count)).collect::<Vec<_>>()
        };
        sides.iter().enumerate().flat_map(|(side, of)| bins(side, of)).collect::<Vec<_>>()
    };
    let signs = [of_sign(true), of_sign(false)];
    let range = |bins: &[(usize, i32, u64)]| {
        let powers = || bins.iter().map(|bin| bin.1);
        powers().min().zip(powers().max())
    };
    let ranges: Vec<_> = signs.iter().filter_map(|bins| range(bins)).collect();
    let (first, last) = (
        ranges.iter().map(|range| range.0).min().unwrap_or_default(),
        ranges.iter().map(|range| range.1).max().unwrap_or_default(),
    );
    // Both signs have the same borders, so that they mirror each other.
    let step = step_of(first, last, (most - usize::from(has_zeros)) / ranges.len().max(1));
    let [negative, positive] = signs.map(|bins| {
        let mut buckets = match bins.is_empty() {
            true => Vec::new(),
            false => powers(first, last, step, sides.len()),
        };
        bins.iter()
            .for_each(|&(side, power, n)| add(&mut buckets, side, (power - first) / step, n));
        buckets
    });
    let mirrored = |of: Bucket| Bucket { low: -of.high, high: -of.low, counts: of.counts };
    let zeros = has_zeros.then_some(Bucket { low: 0.0, high: 0.0, counts: zeros });
    let mut all: Vec<_> =
        negative.into_iter().rev().map(mirrored).chain(zeros).chain(positive).collect();
    let is_empty = |bucket: &Bucket| bucket.counts.iter().all(|&count| count == 0);
    while all.pop_if(|last| is_empty(last)).is_some() {}
    let start = all.iter().take_while(|bucket| is_empty(bucket)).count();
    all.split_off(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_lost_or_counted_twice() {
        let narrow: ValueHistogram = (-500..800).map(|n| f64::from(n) / 700.0).collect();
        let wide: ValueHistogram = (-60..90).map(|n| 10f64.powi(n) * f64::from(n)).collect();
        let zeros: ValueHistogram = [0.0; 7].into_iter().collect();
        for sides in [[&narrow, &wide], [&narrow, &narrow], [&zeros, &narrow], [&zeros, &zeros]] {
            for most in [0, 3, 8, 48, 1000] {
                let found = Buckets::of_values(&sides, most).unwrap();
                assert!(found.buckets.len() <= most.max(3), "{found:?}");
                for (side, values) in sides.iter().enumerate() {
                    let counts = found.buckets.iter().map(|bucket| bucket.counts[side]);
                    assert_eq!(counts.sum::<u64>(), values.count(), "{found:?}");
                }
                let borders = found.buckets.windows(2).all(|pair| pair[0].high <= pair[1].low);
                assert!(borders, "{found:?}");
            }
        }
        assert_eq!(Buckets::of_values(&[&ValueHistogram::default()], 8), None);
        assert_eq!(Buckets::of_differences(&BTreeMap::new(), 8), None);
    }

    #[test]
    fn every_bucket_has_the_number_of_its_values() {
        let sets: [Vec<f64>; 6] = [
            (0..1000).map(|n| 1.0 + f64::from(n) * 3.5e-5).collect(),
            (-300..900).map(|n| f64::from(n) / 700.0 + 1e-9).collect(),
            (-128..128).map(f64::from).collect(),
            (-90..-10).map(|n| f64::from(n) * 1e300).collect(),
            vec![0.0, 0.0, 3e-310, 5e-310, -2e-310],
            vec![f64::MAX, 1.6e308, 1e308],
        ];
        for values in sets {
            let histogram: ValueHistogram = values.iter().copied().collect();
            for most in [3, 8, 48] {
                let found = Buckets::of_values(&[&histogram], most).unwrap();
                assert!(found.buckets.len() <= most, "{found:?}");
                for bucket in &found.buckets {
                    let is_in = |value: &f64| match bucket {
                        Bucket { low, high, .. } if *high <= 0.0 && low < high => {
                            (*low < *value) & (*value <= *high) & (*value != 0.0)
                        }
                        Bucket { low, high, .. } if low < high => (*low..*high).contains(value),
                        _ => *value == 0.0,
                    };
                    let count = values.iter().filter(|value| is_in(value)).count() as u64;
                    assert_eq!(bucket.counts, [count], "{bucket:?} of {found:?}");
                }
            }
        }
    }

    #[test]
    fn values_of_many_magnitudes_are_on_a_scale_of_powers() {
        let values: ValueHistogram = [-1e-3, 0.0, 1e-9, 1e-3, 0.75].into_iter().collect();
        let found = Buckets::of_values(&[&values], 9).unwrap();
        assert_eq!(found.scale, Scale::Powers);
        let counts: Vec<u64> = found.buckets.iter().map(|bucket| bucket.counts[0]).collect();
        assert_eq!(counts, [1, 0, 0, 1, 1, 0, 1, 1]);
        assert_eq!((found.buckets[3].low, found.buckets[3].high), (0.0, 0.0));
        let mirrored = (-found.buckets[4].high, -found.buckets[4].low);
        assert_eq!((found.buckets[2].low, found.buckets[2].high), mirrored);
        let one = [1.0].into_iter().collect();
        let found = Buckets::of_values(&[&one], 3).unwrap();
        assert_eq!(found.buckets, [Bucket { low: 1.0, high: 1.25, counts: vec![1] }]);
    }
}
