//! Tolerances of every kind; the unit tests of `src/compare/cpu` use this file too.

use super::Tolerance;

/// Bitwise equality, an absolute tolerance of zero, each kind of tolerance alone, and combinations.
pub(crate) fn tolerances() -> Vec<Tolerance> {
    let tolerance = |atol, rtol, ulp| Tolerance::new(atol, rtol, ulp).unwrap();
    vec![
        Tolerance::BITS,
        tolerance(Some(0.0), None, None),
        tolerance(Some(1e-3), Some(1e-5), None),
        tolerance(None, Some(0.01), None),
        tolerance(None, None, Some(3)),
        tolerance(Some(0.5), None, Some(1)),
        tolerance(Some(1e-6), Some(1e-7), Some(u64::MAX)),
    ]
}
