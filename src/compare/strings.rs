//! Tensors whose elements have variable length: `string`, `variant`, `resource`. They are compared for equality only.

use crate::error::{Error, Result};
use crate::tensor::TensorStream;

use super::tally::Tally;

const BUFFER: usize = 64 << 10;

/// Compares two streams of elements, each a length as `u64` and its bytes, without holding a whole element in memory.
pub(super) fn compare(
    lhs: &mut dyn TensorStream,
    rhs: &mut dyn TensorStream,
    tally: &mut Tally,
) -> Result<()> {
    let (mut lhs, mut rhs) = (Elements::new(lhs), Elements::new(rhs));
    loop {
        match (lhs.next_len()?, rhs.next_len()?) {
            (Some(x), Some(y)) if x == y => {
                tally.push_equality(payload_differs(&mut lhs, &mut rhs, x)?)
            }
            (Some(x), Some(y)) => {
                lhs.skip(x)?;
                rhs.skip(y)?;
                tally.push_equality(true);
            }
            (None, None) => return Ok(()),
            _ => return Err(Error::truncated("elements of the tensor", 1, 0)),
        }
    }
}

fn payload_differs(lhs: &mut Elements<'_>, rhs: &mut Elements<'_>, len: u64) -> Result<bool> {
    let mut remaining = len;
    let mut differs = false;
    while remaining > 0 {
        let (x, y) = (lhs.fill()?, rhs.fill()?);
        let n = usize::try_from(remaining).unwrap_or(usize::MAX).min(x.len()).min(y.len());
        if n == 0 {
            return Err(Error::truncated("element", remaining, 0));
        }
        differs |= x.get(..n) != y.get(..n);
        lhs.pos += n;
        rhs.pos += n;
        remaining -= n as u64;
    }
    Ok(differs)
}

/// A buffered stream of elements.
struct Elements<'a> {
    stream: &'a mut dyn TensorStream,
    buffer: Vec<u8>,
    pos: usize,
}

impl<'a> Elements<'a> {
    fn new(stream: &'a mut dyn TensorStream) -> Self {
        Self { stream, buffer: Vec::new(), pos: 0 }
    }

    /// The bytes that are buffered; none at the end.
    fn fill(&mut self) -> Result<&[u8]> {
        if self.pos >= self.buffer.len() {
            self.buffer.resize(BUFFER, 0);
            self.pos = 0;
            let read = self.stream.read(&mut self.buffer);
            self.buffer.truncate(*read.as_ref().unwrap_or(&0));
            read?;
        }
        Ok(self.buffer.get(self.pos..).unwrap_or(&[]))
    }

    fn next_len(&mut self) -> Result<Option<u64>> {
        let mut len = [0; 8];
        for (i, slot) in len.iter_mut().enumerate() {
            match self.fill()?.first() {
                Some(&byte) => *slot = byte,
                None if i == 0 => return Ok(None),
                None => return Err(Error::truncated("length of an element", 8, i as u64)),
            }
            self.pos += 1;
        }
        Ok(Some(u64::from_le_bytes(len)))
    }

    fn skip(&mut self, len: u64) -> Result<()> {
        let mut remaining = len;
        while remaining > 0 {
            let have = self.fill()?.len();
            let n = usize::try_from(remaining).unwrap_or(usize::MAX).min(have);
            if n == 0 {
                return Err(Error::truncated("element", remaining, 0));
            }
            self.pos += n;
            remaining -= n as u64;
        }
        Ok(())
    }
}
