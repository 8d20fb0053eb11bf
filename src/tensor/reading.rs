//! Reads tensors to the end, where their checksums are verified; and runs work on several threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::progress::Progress;
use crate::threads::on_threads;

use super::TensorSource;

/// Bytes that are read at once; a multiple of every element size.
const CHUNK: usize = 256 << 10;

/// The number of bytes of `source` to read at once: fewer for a small tensor, and at least 64.
pub(super) fn chunk_size(source: &dyn TensorSource) -> usize {
    let size = usize::try_from(source.stored_bytes()).map_or(CHUNK, |size| size.clamp(1, CHUNK));
    size.next_multiple_of(64)
}

/// Calls `each` with all of the content in order, in chunks of whole elements for fixed-width types. Returns the number of bytes.
///
/// The checksums are verified at the end: use what `each` received only after this function has returned `Ok`.
///
/// # Errors
/// If bytes are missing or a checksum does not match; or the error of `each`.
pub fn read_through(
    source: &dyn TensorSource,
    progress: &dyn Progress,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let mut stream = source.stream()?;
    let mut chunk = vec![0; chunk_size(source)];
    let mut bytes = 0;
    loop {
        progress.check()?;
        let read = stream.read(&mut chunk)?;
        if read == 0 {
            return Ok(bytes);
        }
        bytes += read as u64;
        progress.advance(read as u64);
        each(chunk.get(..read).unwrap_or_default())?;
    }
}

/// Calls `work` with each item on `threads` threads (0 for one per core). The results are in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send + Sync>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some((item, result)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            items.get(i).zip(results.get(i))
        } {
            // Cannot fail: each item is processed once.
            let _ = result.set(work(item));
        }
    };
    on_threads(threads, items.len(), worker);
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}
