//! Drift as color: nine steps of one scale, which are the same in every report.

use crate::summary::Movement;

/// The largest rel l2 of each step but the last.
const STEPS: [f64; 8] = [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0];

/// The steps in words, for the legend.
pub(super) const LEGEND: [(u8, &str); 9] = [
    (1, "up to 0.01%"),
    (2, "0.1%"),
    (3, "0.3%"),
    (4, "1%"),
    (5, "3%"),
    (6, "10%"),
    (7, "30%"),
    (8, "100%"),
    (9, "more"),
];

/// The step of a rel l2, from 1; 0 for none.
pub(super) fn step(rel_l2: Option<f64>) -> u8 {
    match rel_l2 {
        Some(moved) if moved > 0.0 => {
            let below = STEPS.iter().filter(|&&most| moved > most).count();
            u8::try_from(below + 1).unwrap_or(9)
        }
        _ => 0,
    }
}

/// The step of some tensors together.
pub(super) fn step_of(movement: &Movement) -> u8 {
    step(movement.rel_l2.filter(|_| movement.changed > 0))
}
