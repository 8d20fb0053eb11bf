//! The first lines of a long text.

use std::io::{self, Write};

/// Passes on the first lines that are written to it, and counts the others.
pub(super) struct FirstLines<'o> {
    out: &'o mut dyn Write,
    left: usize,
    /// Line ends behind those that were passed on.
    more: u64,
}

impl<'o> FirstLines<'o> {
    pub(super) fn new(out: &'o mut dyn Write, count: usize) -> Self {
        Self { out, left: count, more: 0 }
    }

    /// How many lines were held back; each of them has an end.
    pub(super) fn more(&self) -> u64 {
        self.more
    }
}

impl Write for FirstLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while self.left > 0
            && let Some(end) = rest.iter().position(|&byte| byte == b'\n')
        {
            let (line, behind) = rest.split_at(end + 1);
            self.out.write_all(line)?;
            self.left -= 1;
            rest = behind;
        }
        if self.left > 0 {
            self.out.write_all(rest)?;
        } else {
            self.more += rest.iter().filter(|&&byte| byte == b'\n').count() as u64;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
