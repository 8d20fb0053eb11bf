//! Integers of a byte or less, whose differences and products have 16 bits.

use pulp::Arch;

use crate::compare::tally::Extremes;
use crate::tensor::Number;

use super::blocks::Blocks;
use super::narrow::{FoundValues, NarrowElements};

/// The largest magnitude.
const MOST: f64 = 255.0;

/// The statistics that are decided by the values; `None` for types of more than a byte, and if the tolerance in whole units depends on
/// the element.
pub(super) fn find<T: Number>(
    blocks: Blocks<'_, T>,
    elements: &NarrowElements,
    tolerance: Option<(f64, f64)>,
    extremes: &Extremes,
) -> Option<FoundValues> {
    if !T::IS_SMALL {
        return None;
    }
    let within = match tolerance {
        None => MOST,
        Some((atol, rtol)) => {
            let within = atol.min(MOST).floor();
            let is_same = (atol + rtol * MOST).min(MOST).floor().total_cmp(&within).is_eq();
            Some(within).filter(|_| is_same)?
        }
    };
    let (diff, magnitude) = match (extremes.largest_relative, extremes.max_rel) {
        (Some(largest), _) => largest,
        (None, None | Some(0.0)) => (0.0, 1.0),
        (None, Some(_)) => return None,
    };
    let kernel = ByteValues {
        blocks,
        within: byte(within),
        largest: (byte(diff), byte(magnitude)),
        more: u16::from(elements.settled_maximum.is_some()),
    };
    Some(Arch::new().dispatch(kernel))
}

/// An integer of a byte.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 255")]
fn byte(x: f64) -> u16 {
    x as u16
}

struct ByteValues<'a, T> {
    blocks: Blocks<'a, T>,
    /// The largest difference within the tolerance.
    within: u16,
    /// The difference and the magnitude with the largest ratio so far.
    largest: (u16, u16),
    /// 1 if equal ratios need not be looked at, else 0.
    more: u16,
}

impl<T: Number> pulp::NullaryFnOnce for ByteValues<'_, T> {
    type Output = FoundValues;

    #[inline(always)]
    fn call(self) -> FoundValues {
        let Self { blocks, within, largest: (diff, magnitude), more } = self;
        let pairs = || blocks.pairs().map(|(x, y)| (x.small(), y.small()));
        let (mut outside, mut max_abs) = (0u16, 0u16);
        for (x, y) in pairs() {
            let abs_diff = y.abs_diff(x);
            outside += u16::from(abs_diff > within);
            max_abs = max_abs.max(abs_diff);
        }
        let mut exceeding = 0u16;
        for (x, y) in pairs() {
            // At most 255 * 255 + 1. A difference of 0 never exceeds.
            let bound = (diff * x.unsigned_abs() + more).max(1);
            exceeding += u16::from(y.abs_diff(x) * magnitude >= bound);
        }
        FoundValues {
            outside: outside.into(),
            exceeding: exceeding.into(),
            max_abs: max_abs.into(),
        }
    }
}
