//! Ties: pairs whose relative difference equals the largest so far.
//!
//! Where few values are representable, the maximum occurs again in every cell. To see that nothing changes, each such pair would
//! have to be divided. But for numbers of 8 significant bits or less, two relative differences are equal or clearly apart:
//!
//! ```text
//! integers of p bits:  q = |y - x| / |x| is a fraction of numbers below 2^p, so two of them are apart by q / 2^(2p) at least
//! floats of p bits:    q = |v - 1| with v = y / x = b 2^s / a, where a, b < 2^p
//!     q from 0 to 3/4, or from 5/4 to 2^(19 - 2p):  |v| >= 1/4, so two of them are apart by q / 2^19.4 at least,
//!     and differences are exact in f64
//! ```
//! So pairs are compared with a threshold between the maximum and the next larger relative difference.

use crate::compare::tally::Extremes;
use crate::tensor::{Encoding, Number, power_of_two};

/// The largest number of significant bits.
const MOST_BITS: u32 = 8;
/// Bits of the significand of an `f64`, without the implicit one.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;

/// Whether a maximum is settled; recomputed only when the maximum or the smallest rtol changes.
#[derive(Debug, Default)]
pub(super) struct RelativeTies {
    /// The maximum, and the smallest `rtol`.
    of: Option<(f64, f64)>,
    settled: Option<f64>,
}

impl RelativeTies {
    /// The maximum, if pairs of this type with the same relative difference change nothing, and all larger ones are at least
    /// `2^-19.4` of it larger.
    pub(super) fn settled_maximum<T: Number>(&mut self, extremes: &Extremes) -> Option<f64> {
        let bits = match T::ENCODING {
            Encoding::Float(layout) => layout.fraction_bits + 1,
            Encoding::Integer { bits, .. } => bits,
        };
        if bits > MOST_BITS {
            return None;
        }
        let is_apart = |max: f64| if T::FLOAT { is_apart(max, bits) } else { max > 0.0 };
        let max_rel = extremes.max_rel.filter(|&max| is_apart(max))?;
        let of = Some((max_rel, extremes.rtol));
        if self.of != of {
            // The maximum is the same for all ties; but the smallest rtol depends on how its product with the magnitude is rounded.
            let is_settled = extremes.rtol == f64::INFINITY
                || extremes
                    .largest_relative
                    .is_some_and(|ratio| all_ties_are_close(ratio, extremes.rtol, bits));
            (self.of, self.settled) = (of, is_settled.then_some(max_rel));
        }
        self.settled
    }
}

/// Whether relative differences of floats with so many significant bits are equal to `max` or clearly apart from it.
fn is_apart(max: f64, bits: u32) -> bool {
    let most = power_of_two(19 - 2 * bits.cast_signed());
    (0.0 < max && max <= 0.75) || (1.25..=most).contains(&max)
}

/// Whether `rtol` is enough for every pair with the same ratio of difference and magnitude, of which the latter has so many
/// significant bits. Powers of two do not matter, since products with them are exact.
fn all_ties_are_close((abs_diff, magnitude): (f64, f64), rtol: f64, bits: u32) -> bool {
    let ((diff, diff_power), (magnitude, magnitude_power)) = (odd(abs_diff), odd(magnitude));
    let common = greatest_common_divisor(diff, magnitude);
    let (diff, magnitude) = (diff / common, magnitude / common);
    let unit = power_of_two(magnitude_power - diff_power);
    let most = (1 << bits) / magnitude;
    (1..=most).step_by(2).all(|times| {
        let (diff, magnitude) = (diff.saturating_mul(times), magnitude * times);
        diff < 1 << f64::MANTISSA_DIGITS && diff as f64 <= rtol * magnitude as f64 * unit
    })
}

/// An odd number, and the power of two whose product with it is `x`, which is normal.
fn odd(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let significand = (bits & ((1 << FRACTION) - 1)) | 1 << FRACTION;
    let exponent = ((bits >> FRACTION) as i32 & 0x7ff) - 1023 - FRACTION.cast_signed();
    let zeros = significand.trailing_zeros();
    (significand >> zeros, exponent + zeros.cast_signed())
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use half::bf16;

    use super::*;
    use crate::tensor::{F8E4M3Fn, F8E5M2};

    fn extremes(abs_diff: f64, magnitude: f64) -> Extremes {
        let mut extremes = Extremes::default();
        extremes.relative(abs_diff, magnitude);
        extremes
    }

    #[test]
    fn relative_differences_of_floats_are_equal_or_apart() {
        for bits in [2u32, 3, 4, 8] {
            let significands = || (1 << (bits - 1)..1 << bits).map(f64::from);
            let quotients = || significands().flat_map(move |a| significands().map(move |b| b / a));
            let powers = -4..=20 - 2 * bits.cast_signed();
            let of_power =
                |power| quotients().flat_map(move |v| [v, -v].map(|v| v * power_of_two(power)));
            // The quotient rounds, but by far less than what two differences are apart.
            let mut all: Vec<f64> = powers.flat_map(of_power).map(|v| (v - 1.0).abs()).collect();
            all.sort_by(f64::total_cmp);
            let mut found = 0;
            for next in all.windows(2).filter(|next| is_apart(next[0], bits)) {
                let relative = (next[1] - next[0]) / next[0];
                assert!(!(1e-12..1.44e-6).contains(&relative), "{bits}: {} {}", next[0], next[1]);
                found += 1;
            }
            assert!(found > 10 << bits, "{bits}: {found}");
        }
    }

    /// The maxima and pairs of a type of a byte, a sample of both: the threshold above a maximum is reached exactly by the pairs that
    /// change it.
    fn check_all_bytes<T: Number>() {
        let values: Vec<f64> =
            (0..=u8::MAX).map(|bits| bytemuck::pod_read_unaligned::<T>(&[bits]).to_f64()).collect();
        let pairs = || {
            let finite = || values.iter().copied().filter(|x| x.is_finite());
            finite().flat_map(move |x| finite().map(move |y| ((y - x).abs(), x.abs())))
        };
        let mut settled = 0;
        for (abs_diff, magnitude) in pairs().filter(|&(_, x)| x > 0.0).step_by(37) {
            let extremes = extremes(abs_diff, magnitude);
            let Some(max) = RelativeTies::default().settled_maximum::<T>(&extremes) else {
                continue;
            };
            settled += 1;
            for (abs_diff, magnitude) in
                pairs().filter(|&(_, x)| x > 0.0).skip(settled % 5).step_by(5)
            {
                let mut after = extremes.clone();
                after.relative(abs_diff, magnitude);
                let changes = after.max_rel != extremes.max_rel
                    || after.rtol.to_bits() != extremes.rtol.to_bits();
                let exceeds = abs_diff > max * (1.0 + 1.0 / f64::from(1 << 20)) * magnitude;
                assert_eq!(changes, exceeds, "{abs_diff} / {magnitude} after {max}");
            }
        }
        assert!(settled > 100, "{settled}");
    }

    #[test]
    fn only_larger_relative_differences_change_a_settled_maximum() {
        check_all_bytes::<i8>();
        check_all_bytes::<u8>();
        check_all_bytes::<F8E4M3Fn>();
        check_all_bytes::<F8E5M2>();
    }

    #[test]
    fn a_maximum_is_settled_if_its_rtol_is_enough_for_all_multiples() {
        // 7 and 1/2 are exact; with an rtol of 0 beside a zero, no rtol is the smallest.
        assert_eq!(RelativeTies::default().settled_maximum::<i8>(&extremes(7.0, 1.0)), Some(7.0));
        assert_eq!(RelativeTies::default().settled_maximum::<bf16>(&extremes(1.5, 3.0)), Some(0.5));
        let mut unsettled = 0;
        for (diff, magnitude) in
            (1..64).flat_map(|d| (1..64).map(move |m| (f64::from(d), f64::from(m))))
        {
            let extremes = extremes(diff, magnitude);
            let multiples =
                (1..=255).map(|times| (diff * f64::from(times), magnitude * f64::from(times)));
            let close = multiples
                .filter(|(_, magnitude)| *magnitude < 256.0)
                .all(|(diff, magnitude)| diff <= extremes.rtol * magnitude);
            let settled = RelativeTies::default().settled_maximum::<u8>(&extremes).is_some();
            assert!(!settled || close, "{diff} / {magnitude}");
            unsettled += usize::from(!settled);
        }
        assert!(unsettled < 64 * 64 / 4, "{unsettled}");
    }

    #[test]
    fn wide_types_and_maxima_near_one_are_never_settled() {
        assert_eq!(RelativeTies::default().settled_maximum::<f32>(&extremes(1.0, 2.0)), None);
        assert_eq!(RelativeTies::default().settled_maximum::<i16>(&extremes(1.0, 2.0)), None);
        assert_eq!(RelativeTies::default().settled_maximum::<bf16>(&extremes(1.0, 1.0)), None);
        assert_eq!(RelativeTies::default().settled_maximum::<bf16>(&extremes(0.0, 1.0)), None);
        assert_eq!(RelativeTies::default().settled_maximum::<bf16>(&Extremes::default()), None);
    }
}
