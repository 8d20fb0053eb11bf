//! Tensors whose elements have variable length: `string`, `variant`, `resource`. They are compared for equality only.

use crate::error::{Error, Result};
use crate::tensor::framing::FramedReader;

use super::tally::Tally;

/// Compares two tensors element by element, without holding a whole element in memory.
pub(super) fn compare(
    mut lhs: FramedReader<'_>,
    mut rhs: FramedReader<'_>,
    tally: &mut Tally,
) -> Result<()> {
    loop {
        match (lhs.next()?, rhs.next()?) {
            (Some(x), Some(y)) => {
                tally.push_equality(x != y || content_differs(&mut lhs, &mut rhs)?);
            }
            (None, None) => return Ok(()),
            (read, _) => {
                let found = if read.is_some() { "fewer" } else { "more" };
                return Err(Error::unexpected("elements of rhs", found, "as many as lhs has"));
            }
        }
    }
}

/// Whether two elements of equal length differ.
fn content_differs(lhs: &mut FramedReader<'_>, rhs: &mut FramedReader<'_>) -> Result<bool> {
    loop {
        let (x, y) = (lhs.part()?, rhs.part()?);
        let len = x.len().min(y.len());
        if len == 0 || x.get(..len) != y.get(..len) {
            return Ok(len > 0);
        }
        lhs.consume(len);
        rhs.consume(len);
    }
}
