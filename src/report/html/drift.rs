//! Drift as color: nine steps of one scale, which are the same in every report, and marks for what is not on that scale.

use crate::summary::Movement;

/// The largest rel l2 of each step but the last.
const STEPS: [f64; 8] = [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0];

/// The class of the style for no movement, and those of the steps.
const NONE: &str = "h0";
const CLASSES: [&str; 9] = ["h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9"];

/// The class for new NaN or infinities, and that for changes without a movement.
const NON_FINITE: &str = "nan";
const OTHER: &str = "other";

/// The classes in words, for the legend.
pub(super) const LEGEND: [(&str, &str); 12] = [
    (NONE, "none"),
    (CLASSES[0], "up to 0.01%"),
    (CLASSES[1], "0.1%"),
    (CLASSES[2], "0.3%"),
    (CLASSES[3], "1%"),
    (CLASSES[4], "3%"),
    (CLASSES[5], "10%"),
    (CLASSES[6], "30%"),
    (CLASSES[7], "100%"),
    (CLASSES[8], "more"),
    (NON_FINITE, "new NaN or infinity"),
    (OTHER, "changed in another way: added, removed, other shape or dtype, no numbers"),
];

/// The class of some tensors together. New NaN come first: a movement of the finite elements says nothing of them.
pub(super) fn class(movement: &Movement) -> &'static str {
    match movement.rel_l2 {
        _ if movement.non_finite > 0 => NON_FINITE,
        _ if movement.changed == 0 => NONE,
        Some(moved) if moved > 0.0 => {
            let below = STEPS.iter().filter(|&&most| moved > most).count();
            CLASSES.get(below).copied().unwrap_or(OTHER)
        }
        _ => OTHER,
    }
}
