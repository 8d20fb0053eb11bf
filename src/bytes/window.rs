//! Small reads that lie next to each other, with few system calls.

use super::ReadAt;
use crate::error::Result;

/// Bytes that are read at once. Many small tensors fit, and reading more would cost more than the call that it saves.
const WINDOW: usize = 16 << 10;
/// Reads of more bytes go to the file itself.
const SMALL: usize = 4 << 10;

/// The bytes of a file from a small read on, for the small reads that follow.
///
/// The bytes are as old as the window: create a new one for each pass over the files.
#[derive(Debug, Default)]
pub struct ReadWindow {
    /// The number of the file.
    file: Option<u64>,
    start: u64,
    bytes: Vec<u8>,
}

impl ReadWindow {
    /// Fills `out` with the bytes of `file` from `offset` on.
    ///
    /// # Errors
    /// As [`ReadAt::read_at`].
    pub fn read(&mut self, file: &dyn ReadAt, offset: u64, out: &mut [u8]) -> Result<()> {
        let Some(number) = file.number().filter(|_| out.len() <= SMALL) else {
            return file.read_at(offset, out);
        };
        if self.file == Some(number) && self.copy(offset, out) {
            return Ok(());
        }
        let left = file.len().saturating_sub(offset);
        self.bytes.resize(usize::try_from(left).map_or(WINDOW, |left| left.min(WINDOW)), 0);
        self.file = None;
        if file.read_at(offset, &mut self.bytes).is_ok() {
            (self.file, self.start) = (Some(number), offset);
            if self.copy(offset, out) {
                return Ok(());
            }
        }
        // Some of the bytes may be readable nevertheless, and if not, the error is about those that were asked for.
        file.read_at(offset, out)
    }

    /// Fills `out`, and returns whether the window has all of its bytes.
    fn copy(&self, offset: u64, out: &mut [u8]) -> bool {
        let bytes = offset
            .checked_sub(self.start)
            .and_then(|at| usize::try_from(at).ok())
            .and_then(|at| self.bytes.get(at..)?.get(..out.len()));
        bytes.map(|bytes| out.copy_from_slice(bytes)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::bytes::Memory;

    /// Counts its reads.
    #[derive(Debug)]
    struct Counted {
        bytes: Memory,
        number: Option<u64>,
        reads: AtomicUsize,
    }

    impl Counted {
        fn new(len: usize, number: Option<u64>) -> Self {
            let bytes: Arc<[u8]> = (0..=250).cycle().take(len).collect();
            Self { bytes: Memory(bytes), number, reads: AtomicUsize::new(0) }
        }

        fn check(&self, window: &mut ReadWindow, offset: u64, len: usize) {
            let mut out = vec![0; len];
            window.read(self, offset, &mut out).unwrap();
            assert!((offset..).zip(out).all(|(at, byte)| u64::from(byte) == at % 251));
        }

        fn reads(&self) -> usize {
            self.reads.swap(0, Ordering::Relaxed)
        }
    }

    impl ReadAt for Counted {
        fn len(&self) -> u64 {
            self.bytes.len()
        }

        fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.bytes.read_at(offset, out)
        }

        fn number(&self) -> Option<u64> {
            self.number
        }
    }

    #[test]
    fn neighbors_are_read_at_once() {
        let file = Counted::new(3 * WINDOW + 5, Some(1));
        let mut window = ReadWindow::default();
        (0..file.len() / 10).for_each(|at| file.check(&mut window, at * 10, 10));
        assert_eq!(file.reads(), 4);
        file.check(&mut window, 7, SMALL + 1);
        assert_eq!(file.reads(), 1, "a large read needs no window");
    }

    #[test]
    fn a_window_has_bytes_of_one_file_only() {
        let (a, b) = (Counted::new(100, Some(1)), Counted::new(100, Some(2)));
        let mut window = ReadWindow::default();
        for offset in [0, 7] {
            for file in [&a, &b] {
                file.check(&mut window, offset, 9);
                assert_eq!(file.reads(), 1);
            }
        }
        let unnumbered = Counted::new(100, None);
        unnumbered.check(&mut window, 0, 9);
        unnumbered.check(&mut window, 0, 9);
        assert_eq!(unnumbered.reads(), 2);
    }

    #[test]
    fn an_error_is_about_the_bytes_that_were_asked_for() {
        let file = Counted::new(100, Some(1));
        let mut window = ReadWindow::default();
        file.check(&mut window, 90, 10);
        for (offset, len) in [(95, 6), (100, 1), (101, 1), (u64::MAX, 8)] {
            let error = window.read(&file, offset, &mut vec![0; len]).unwrap_err();
            let direct = file.read_at(offset, &mut vec![0; len]).unwrap_err();
            assert_eq!(error.to_string(), direct.to_string());
        }
        file.check(&mut window, 90, 10);
    }
}
