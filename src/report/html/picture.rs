//! The numbers of pictures in a compact form, which the script draws.

use serde::Serialize;

use crate::compare::{Comparison, Sides, Stretch, ValueHistogram};
use crate::report::human::number;
use crate::summary::{Buckets, Scale, step_of, without_finite_difference};

/// The bars of a histogram of differences, and of one of values.
const DIFFERENCES: usize = 24;
const VALUES: usize = 24;

/// Counts of differences by powers of two.
#[derive(Debug, Serialize)]
pub(super) struct Counted {
    /// The power of the first bar, and powers per bar.
    p: (i32, i32),
    /// The count of each bar.
    c: Vec<u64>,
    /// The number of elements without a finite difference, which are in no bar.
    #[serde(skip_serializing_if = "is_zero")]
    n: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Counted {
    /// `None` without differences; without a bar, if none is finite.
    pub(super) fn new(found: &Comparison) -> Option<Self> {
        let bins = &found.histogram.as_ref()?.abs;
        let n = without_finite_difference(found);
        let Some(Buckets { buckets, .. }) = Buckets::of_differences(bins, DIFFERENCES) else {
            return (n > 0).then_some(Self { p: (0, 1), c: Vec::new(), n });
        };
        let (first, last) = (bins.first_key_value()?.0, bins.last_key_value()?.0);
        let counts = buckets.iter().filter_map(|bucket| bucket.counts.first().copied());
        Some(Self { p: (*first, step_of(*first, *last, DIFFERENCES)), c: counts.collect(), n })
    }
}

/// The values of both sides.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Values {
    /// Counts.
    Drawn(Signed),
    /// The number of buckets, if there are too few for a picture.
    Few(usize),
}

/// Counts of the values of both sides.
#[derive(Debug, Serialize)]
pub(super) struct Signed {
    /// The borders of the bars; of bars at equal distances only the first and the last.
    b: Vec<String>,
    /// The counts of each side.
    c: [Vec<u64>; 2],
}

impl Values {
    /// `None` without values.
    pub(super) fn new(Sides { lhs, rhs }: &Sides<ValueHistogram>) -> Option<Self> {
        let sides = [lhs, rhs];
        let found = Buckets::of_values(&sides, VALUES)?;
        Some(match Buckets::are_enough(&sides) {
            true => Self::Drawn(Signed::new(found)),
            false => Self::Few(found.buckets.len()),
        })
    }
}

impl Signed {
    fn new(Buckets { scale, buckets }: Buckets) -> Self {
        let side = |at: usize| {
            let count = |counts: &Vec<u64>| counts.get(at).copied().unwrap_or_default();
            buckets.iter().map(|bucket| count(&bucket.counts)).collect()
        };
        let last = buckets.last().map(|bucket| bucket.high);
        let lows = buckets.iter().map(|bucket| bucket.low);
        let borders = match scale {
            // The borders between them are calculated from these.
            Scale::Linear => lows.take(1).chain(last).map(number::exact).collect(),
            Scale::Powers => lows.chain(last).map(number::short).collect(),
        };
        Self { b: borders, c: [side(0), side(1)] }
    }
}

/// Where mismatches lie, over ranges of positions or of indices of the first axis.
#[derive(Debug, Serialize)]
pub(super) struct Strip {
    /// The number of positions or indices.
    s: u64,
    /// The number of ranges; range `i` starts at `floor(i * s / n)`.
    n: usize,
    /// Elements per position or index.
    e: u64,
    /// The number of mismatches of each range; left out if every element mismatches.
    #[serde(skip_serializing_if = "Option::is_none")]
    m: Option<Vec<u64>>,
    /// The largest difference of each range, on a scale of logarithms from the least to the most of them: a letter of
    /// [`LEVELS`], [`NON_FINITE`], or a blank for no difference.
    #[serde(skip_serializing_if = "String::is_empty")]
    x: String,
    /// The ends of that scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    l: Option<(f64, f64)>,
}

/// The letters of the levels, the least first.
const LEVELS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The mark of a range whose mismatches have no finite difference.
const NON_FINITE: char = '!';

impl Strip {
    /// `None` if there are fewer than two ranges; `per_index` is the number of elements of an index, and `is_float` whether elements
    /// may be NaN or infinite.
    pub(super) fn new(stretches: &[Stretch], per_index: u64, is_float: bool) -> Option<Self> {
        let [_, .., last] = stretches else { return None };
        let are_all = stretches.iter().all(|of| of.mismatched == of.elements);
        let largest = || stretches.iter().filter_map(|of| of.max_abs).filter(|&max| max > 0.0);
        let scale = largest().reduce(f64::min).zip(largest().reduce(f64::max));
        let letter = |of: &Stretch| match of.max_abs {
            None if is_float && of.mismatched > 0 => NON_FINITE,
            max_abs => level(max_abs, scale),
        };
        let letters: String = stretches.iter().map(letter).collect();
        Some(Self {
            s: last.end,
            n: stretches.len(),
            e: per_index,
            m: (!are_all).then(|| stretches.iter().map(|of| of.mismatched).collect()),
            x: if letters.trim().is_empty() { String::new() } else { letters },
            l: scale.map(|(least, most)| (rounded(least), rounded(most))),
        })
    }
}

impl Strip {
    /// The ranges alone, for a strip that has the same content as another one.
    pub(super) fn without_content(self) -> Self {
        Self { m: None, x: String::new(), l: None, ..self }
    }
}

fn level(value: Option<f64>, scale: Option<(f64, f64)>) -> char {
    let (Some(value), Some((least, most))) = (value.filter(|&value| value > 0.0), scale) else {
        return ' ';
    };
    let (low, high) = (least.ln(), most.ln());
    let share = if high > low { (value.ln() - low) / (high - low) } else { 1.0 };
    let last = LEVELS.len() - 1;
    // From 0 to the last, since the share is from 0 to 1.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
    let at = (share * last as f64).round() as usize;
    LEVELS.get(at.min(last)).map_or(' ', |&letter| char::from(letter))
}

/// A number with few digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
