//! The gates: limits for a tensor as a whole, each on one statistic.

use crate::compare::{Comparison, Sides, ValueHistogram};

use super::measured::{Measured, real};

/// What a number in a rules file limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// The statistic itself: a number is the largest that is accepted.
    Most,
    /// The statistic itself: a number is the least that is accepted.
    Least,
    /// The ratio of rhs to lhs: a number is the accepted distance from 1.
    Ratio,
}

/// Declares the gates: the name, which is the key in rules files; the scale of its limit; and the statistic.
macro_rules! gates {
    ($($(#[$doc:meta])* $gate:ident = $key:literal, $scale:ident, $measure:expr;)*) => {
        /// A limit for a tensor as a whole.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Gate {
            $($(#[$doc])* $gate,)*
        }

        impl Gate {
            /// Every gate.
            pub(super) const ALL: &[Self] = &[$(Self::$gate),*];

            /// The key in rules files.
            pub(super) fn key(self) -> &'static str {
                match self {
                    $(Self::$gate => $key,)*
                }
            }

            /// What a number limits.
            pub(super) fn scale(self) -> Scale {
                match self {
                    $(Self::$gate => Scale::$scale,)*
                }
            }

            /// The statistic of two tensors.
            pub(super) fn measure(self, of: &Comparison) -> Measured {
                match self {
                    $(Self::$gate => {
                        let measure: fn(&Comparison) -> Measured = $measure;
                        measure(of)
                    })*
                }
            }
        }
    };
}

gates! {
    /// How far the tensor moved: `‖rhs - lhs‖ / ‖lhs‖`.
    RelL2 = "rel_l2", Most, |of| of.rel_l2.into();
    /// Root mean square of the differences.
    Rms = "rms", Most, |of| of.rms.into();
    /// The largest difference.
    MaxAbs = "max_abs", Most, |of| of.max_abs.into();
    /// The largest relative difference.
    MaxRel = "max_rel", Most, |of| of.max_rel.into();
    /// The cosine of the angle between the two.
    Cosine = "cosine", Least, |of| of.cosine.into();
    /// The share of elements whose bits changed.
    Changed = "changed", Most, |of| share(of.differing, of.elements);
    /// The distance of the means, in standard deviations of lhs.
    Mean = "mean", Most, mean_shift;
    /// The ratio of the standard deviations.
    Std = "std", Ratio, |of| ratio(of.std);
    /// The ratio of the norms.
    Norm = "norm", Ratio, |of| ratio(of.norm);
    /// The Kolmogorov-Smirnov distance of the values.
    Ks = "ks", Most, |of| Measured::of_values(of, |values| values.lhs.ks_distance(&values.rhs), 0.0);
    /// How much the share of zeros changed.
    Zeros = "zeros", Most, |of| Measured::of_values(of, zeros, 0.0);
    /// The ratio of the medians of |value|.
    AbsP50 = "abs_p50", Ratio, |of| quantile(of, 0.5);
    /// The ratio of the 90 % quantiles of |value|.
    AbsP90 = "abs_p90", Ratio, |of| quantile(of, 0.9);
    /// The ratio of the 99 % quantiles of |value|.
    AbsP99 = "abs_p99", Ratio, |of| quantile(of, 0.99);
}

impl Gate {
    /// Whether the gate needs the histograms of values.
    pub(super) fn needs_values(self) -> bool {
        matches!(self, Self::Ks | Self::Zeros | Self::AbsP50 | Self::AbsP90 | Self::AbsP99)
    }
}

fn share(part: u64, of: u64) -> Measured {
    Measured::exact(if of == 0 { 0.0 } else { part as f64 / of as f64 })
}

/// The ratio of rhs to lhs: 1 where both are 0, infinite where only lhs is.
fn ratio(of: Option<Sides<f64>>) -> Measured {
    of.map(ratio_of).into()
}

#[expect(clippy::float_cmp, reason = "equal numbers have the ratio 1, two zeros too")]
fn ratio_of(Sides { lhs, rhs }: Sides<f64>) -> f64 {
    if lhs == rhs { 1.0 } else { rhs / lhs }
}

fn mean_shift(of: &Comparison) -> Measured {
    let shift = || {
        let mean = of.mean?;
        let (lhs, rhs) = (real(mean.lhs)?, real(mean.rhs)?);
        let std = of.std?.lhs;
        let shift = (rhs - lhs).abs();
        Some(if shift == 0.0 { 0.0 } else { shift / std })
    };
    shift().into()
}

fn zeros(values: &Sides<ValueHistogram>) -> Option<f64> {
    Some((values.rhs.share_of_zeros()? - values.lhs.share_of_zeros()?).abs())
}

fn quantile(of: &Comparison, share: f64) -> Measured {
    Measured::of_values(
        of,
        |values| {
            let (lhs, rhs) = (values.lhs.abs_quantile(share)?, values.rhs.abs_quantile(share)?);
            Some(ratio_of(Sides { lhs, rhs }))
        },
        1.0,
    )
}

/// A quantile of |rhs - lhs|: at most a share of the elements may differ by more than its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DiffQuantile {
    /// The key in rules files.
    pub(super) key: &'static str,
    /// The elements that may differ by more, in a million.
    per_million: u32,
}

impl DiffQuantile {
    /// Every quantile.
    pub(super) const ALL: [Self; 4] = [
        Self { key: "diff_p50", per_million: 500_000 },
        Self { key: "diff_p90", per_million: 100_000 },
        Self { key: "diff_p99", per_million: 10_000 },
        Self { key: "diff_p999", per_million: 1_000 },
    ];

    /// The share of elements that may differ by more.
    pub(super) fn share_beyond(self) -> f64 {
        f64::from(self.per_million) / 1e6
    }
}
