//! Elements whose difference is not a number.

use crate::compare::Comparison;

/// The number of differing elements without a finite difference, which the [`Histogram`](crate::compare::Histogram) of differences leaves
/// out: a side is NaN or infinite. 0 without that histogram.
pub fn without_finite_difference(found: &Comparison) -> u64 {
    let Some(histogram) = found.histogram.as_ref().filter(|_| found.nan.is_some()) else {
        return 0;
    };
    let counted: u64 = histogram.abs.values().copied().fold(0, u64::saturating_add);
    // Zeros of two signs do not differ in value, nor do two NaN of different bits.
    let equal = [found.zero_sign, found.nan_payload].into_iter().flatten();
    equal.fold(found.differing.saturating_sub(counted), u64::saturating_sub)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Histogram, Sides};

    #[test]
    fn differences_that_no_bin_counts_are_not_finite() {
        let histogram = Histogram { abs: [(-3, 5), (1, 2)].into(), ..Histogram::default() };
        let found = Comparison {
            differing: 12,
            nan: Some(Sides { lhs: 0, rhs: 2 }),
            zero_sign: Some(2),
            nan_payload: Some(1),
            histogram: Some(histogram),
            ..Comparison::default()
        };
        assert_eq!(without_finite_difference(&found), 2);
        let of_integers = Comparison { nan: None, ..found.clone() };
        assert_eq!(without_finite_difference(&of_integers), 0);
        assert_eq!(without_finite_difference(&Comparison { histogram: None, ..found }), 0);
    }
}
