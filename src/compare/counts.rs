//! Statistics that count pairs. Each is declared once, in the table below: its name and the pairs that it counts. Tallies, tiles
//! and the results of shaders all take them from here.

use super::NanPolicy;
use super::close::Rule;
use super::pair::Pair;

/// Declares the counts, in groups: the properties of a group are looked at only in pairs that meet its condition, so that a
/// finite pair costs little.
macro_rules! counts {
    (
        |$pair:ident, $is_close:ident, $nan:ident|
        $(if $condition:expr => { $($(#[$doc:meta])* $name:ident = $property:expr;)* })*
    ) => {
        /// How many pairs of elements have each of these properties.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Counts {
            $($($(#[$doc])* pub $name: u64,)*)*
        }

        impl Counts {
            /// The names of the counts, in the order of the table.
            #[cfg(feature = "gpu")]
            pub(super) const NAMES: &[&str] = &[$($(stringify!($name)),*),*];
            /// The number of counts.
            #[cfg(feature = "gpu")]
            pub(super) const LEN: usize = Self::NAMES.len();

            /// Counts a pair, which is close or not, under this NaN policy.
            #[inline(always)]
            pub(super) fn add(&mut self, $pair: &Pair, $is_close: bool, $nan: NanPolicy) {
                $(if $condition {
                    $(self.$name += u64::from($property);)*
                })*
            }

            /// Adds the counts of other pairs, `times` over.
            pub(super) fn merge(&mut self, other: &Self, times: u64) {
                $($(self.$name += other.$name * times;)*)*
            }

            /// The counts that `shaders/compare.wgsl` writes, in the order of the table.
            #[cfg(feature = "gpu")]
            pub(super) fn from_words([$($($name),*),*]: [u32; Self::LEN]) -> Self {
                Self { $($($name: $name.into()),*),* }
            }
        }
    };
}

counts! { |pair, is_close, nan|
    if true => {
        /// Pairs of unequal bits; of unequal values where the dtypes differ.
        differing = pair.differs;
        /// Pairs that are not close.
        mismatched = !is_close;
    }
    if !pair.is_finite() => {
        /// NaN elements of lhs.
        nan_lhs = pair.lhs.is_nan();
        /// NaN elements of rhs.
        nan_rhs = pair.rhs.is_nan();
        /// Infinite elements of lhs.
        inf_lhs = pair.lhs.is_infinite();
        /// Infinite elements of rhs.
        inf_rhs = pair.rhs.is_infinite();
        /// Pairs of a number in lhs and NaN in rhs.
        nan_new = pair.rhs.is_nan() && !pair.lhs.is_nan();
        /// Pairs that no tolerance makes close.
        never_close = !Rule::any(nan).is_close(pair);
    }
    if pair.differs => {
        /// Differing pairs that are equal except for the sign of a zero.
        zero_sign = pair.is_zero_sign();
        /// Differing pairs of two NaN.
        nan_payload = pair.both_nan();
        /// Differing pairs whose lhs is 0.
        zero_lhs = pair.lhs_magnitude == 0.0;
    }
}
