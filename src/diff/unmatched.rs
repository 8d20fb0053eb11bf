//! Reads the tensors that are not compared, to find damage, NaN and infinities.

use super::side_tensors::SideTensors;
use super::{Side, Status, TensorDiff};
use crate::compare::NonFiniteCounts;
use crate::error::Result;
use crate::progress::Progress;
use crate::tensor::{TensorSource, in_parallel, read_through};

/// A tensor of one side that is not compared.
pub(super) struct Unmatched<'a> {
    /// Its place in the result.
    at: usize,
    side: Side,
    source: &'a dyn TensorSource,
    /// Whether its NaN and infinities are counted.
    counts: bool,
}

impl<'a> Unmatched<'a> {
    /// The sides of a tensor that are read: those in files, and those whose elements are counted.
    pub(super) fn of(
        at: usize,
        tensor: &TensorDiff,
        sides: [(Option<&'a dyn TensorSource>, SideTensors<'_>); 2],
    ) -> impl Iterator<Item = Self> {
        let is_float = |source: &dyn TensorSource| NonFiniteCounts::has_any(source.dtype());
        let mut floats = sides.iter().filter(|(source, _)| source.is_some_and(is_float));
        // The counts are compared, so either all sides are counted or none.
        let is_counted = may_be_judged(tensor) && floats.all(|(_, of)| of.has_data);
        [Side::Lhs, Side::Rhs].into_iter().zip(sides).filter_map(move |(side, (source, of))| {
            let source = source?;
            let counts = is_counted && is_float(source);
            (of.is_file || counts).then_some(Self { at, side, source, counts })
        })
    }

    /// Reads the tensor, and counts its NaN and infinities.
    fn read(&self, progress: &dyn Progress) -> Result<NonFiniteCounts> {
        let mut found = NonFiniteCounts::default();
        read_through(self.source, progress, |content| {
            if self.counts {
                found.add(self.source.dtype(), content);
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// Whether rules can say something about the values of a tensor that is not compared: rhs has it.
fn may_be_judged(tensor: &TensorDiff) -> bool {
    matches!(tensor.status, Status::Added | Status::Shape | Status::Dtype)
}

/// Reads unmatched tensors completely, and sets what was counted, or the error of each that cannot be read.
pub(super) fn read(
    unmatched: &[Unmatched<'_>],
    threads: usize,
    progress: &dyn Progress,
    tensors: &mut [TensorDiff],
) {
    progress
        .total(unmatched.iter().fold(0, |sum, one| one.source.stored_bytes().saturating_add(sum)));
    let results = in_parallel(unmatched, threads, |one| one.read(progress));
    for (one, result) in unmatched.iter().zip(results) {
        let Some(tensor) = tensors.get_mut(one.at) else { continue };
        match result {
            Ok(_) if tensor.status == Status::Error || !one.counts => {}
            Ok(found) => {
                let counts = tensor.non_finite.get_or_insert_default();
                match one.side {
                    Side::Lhs => counts.lhs = found,
                    Side::Rhs => counts.rhs = found,
                }
            }
            Err(error) => {
                tensor.set_error(error);
                tensor.non_finite = None;
            }
        }
    }
}
