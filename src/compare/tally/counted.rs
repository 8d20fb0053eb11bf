//! What an accelerator counted, taken into a tally.

use crate::tensor::Scalar;

use super::super::tile::{Counted, Tile};
use super::Tally;

impl Tally {
    /// Takes in what an accelerator counted of a chunk as a whole.
    pub(crate) fn count_chunk(&mut self, counted: &Counted) {
        for ((_, _, mismatched), more) in self.further.iter_mut().zip(&counted.further) {
            *mismatched += more;
        }
        if let (Some(bins), Some(histogram)) = (&mut self.bins, &counted.histogram) {
            bins.add(histogram);
        }
    }

    /// Takes in what an accelerator counted of the tile that begins at `start`, but for what is relative to lhs.
    pub(crate) fn count_tile(
        &mut self,
        tile: &Tile,
        start: u64,
        scalars: impl FnOnce(usize) -> (Scalar, Scalar),
    ) {
        self.differing += u64::from(tile.differing);
        self.mismatched += u64::from(tile.mismatched);
        if let Some(first) = tile.first {
            self.first_mismatch_at(start + u64::from(first));
        }
        for (ours, theirs) in [(&mut self.nan, tile.nan), (&mut self.inf, tile.inf)] {
            ours.lhs += u64::from(theirs.lhs);
            ours.rhs += u64::from(theirs.rhs);
        }
        self.nan_new += u64::from(tile.nan_new);
        self.zero_sign += u64::from(tile.zero_sign);
        self.nan_payload += u64::from(tile.nan_payload);
        self.zero_lhs += u64::from(tile.zero_lhs);
        self.rtol_fails |= tile.from_zero > 0;
        self.hopeless |= tile.hopeless > 0;
        if tile.nonzero_lhs > 0 {
            self.relative(0.0, 1.0);
        }
        if let Some((place, gap)) = tile.worst {
            self.ulps(tile.max_ulp);
            let position = start + u64::from(place);
            if self.may_be_worst(gap, position + 1) {
                self.worst_at(position, gap, scalars(place as usize));
            }
        }
    }
}
