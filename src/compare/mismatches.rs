//! The pairs of two tensors that are not close, in order.

use crate::error::Result;
use crate::tensor::Scalar;

use super::CompareOptions;
use super::close::Rule;
use super::mismatch::{ElementValue, Mismatch};
use super::pair::Pair;
use super::pair_walk::{PairVisitor, visit};
use super::tensor_pair::TensorPair;

/// The first `count` pairs at position `start` or later that are not close.
///
/// Checksums are not verified; [`compare`](super::compare) does that.
///
/// # Errors
/// If a side cannot be read.
pub fn mismatches(
    pair: TensorPair<'_>,
    options: &CompareOptions,
    start: u64,
    count: usize,
) -> Result<Vec<Mismatch>> {
    let rule = Rule::new(&options.tolerance, options.nan);
    let mut search = Search { rule, count, found: Vec::new() };
    visit(pair, start, options.nan, &mut search)?;
    Ok(search.found)
}

/// A search for mismatches, and what it found.
struct Search {
    rule: Rule,
    count: usize,
    found: Vec<Mismatch>,
}

impl PairVisitor for Search {
    fn is_done(&self) -> bool {
        self.found.len() >= self.count
    }

    fn number(&mut self, position: u64, pair: &Pair, scalars: impl Fn() -> (Scalar, Scalar)) {
        if !self.is_done() && !self.rule.is_close(pair) {
            self.found.push(Mismatch::of_scalars(position, scalars()));
        }
    }

    fn bytes(&mut self, position: u64, [lhs, rhs]: [ElementValue; 2]) {
        self.found.push(Mismatch { position, lhs, rhs });
    }
}
