//! Frames elements of variable length, as [`TensorSource`](crate::tensor::TensorSource) requires.

use crate::error::Result;
use crate::tensor::TensorStream;

/// Reads elements in order.
pub(super) trait Elements: Send {
    /// Goes to the next element once the last one was read to its end. Returns its length, or `None` after the last element, when
    /// all checksums were verified.
    fn next(&mut self) -> Result<Option<u64>>;

    /// Fills `out` with the next bytes of the element, which has enough left.
    fn read(&mut self, out: &mut [u8]) -> Result<()>;
}

/// A stream with the length of each element in eight bytes, followed by its bytes.
pub(super) struct Framed<E> {
    elements: E,
    header: [u8; 8],
    header_left: usize,
    body_left: u64,
    done: bool,
}

impl<E: Elements> Framed<E> {
    pub(super) fn new(elements: E) -> Self {
        Self { elements, header: [0; 8], header_left: 0, body_left: 0, done: false }
    }
}

impl<E: Elements> TensorStream for Framed<E> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut written = 0;
        while let Some(rest) = out.get_mut(written..).filter(|rest| !rest.is_empty()) {
            if self.header_left == 0 && self.body_left == 0 {
                if self.done {
                    break;
                }
                match self.elements.next()? {
                    Some(len) => {
                        self.header = len.to_le_bytes();
                        self.header_left = self.header.len();
                        self.body_left = len;
                    }
                    None => {
                        self.done = true;
                        break;
                    }
                }
            }
            let header = self.header.get(self.header.len() - self.header_left..).unwrap_or(&[]);
            let len = header.len().min(rest.len());
            let (head, rest) = rest.split_at_mut(len);
            head.copy_from_slice(header.get(..len).unwrap_or(&[]));
            self.header_left -= len;
            written += len;

            let len = usize::try_from(self.body_left).unwrap_or(usize::MAX).min(rest.len());
            if len > 0 {
                self.elements.read(rest.get_mut(..len).unwrap_or_default())?;
                self.body_left -= len as u64;
                written += len;
            }
        }
        Ok(written)
    }
}
