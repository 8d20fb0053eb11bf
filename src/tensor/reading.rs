//! Reading tensors to their end, which is where their checksums are verified.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::progress::Progress;
use crate::threads;

use super::TensorSource;

/// Bytes read at a time; a multiple of every element size.
const CHUNK: usize = 256 << 10;

/// Gives all of the content to `each`, piece by piece, whole elements where they are of fixed width; returns its bytes.
///
/// Trust what `each` has seen only when this has returned: only then has every checksum held.
///
/// # Errors
/// When bytes are missing, a checksum does not hold, or what `each` says.
pub fn read_through(
    source: &dyn TensorSource,
    progress: &dyn Progress,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let mut stream = source.stream()?;
    // Less for a small tensor; never empty, since nothing read means the end.
    let size = usize::try_from(source.stored_bytes()).map_or(CHUNK, |size| size.clamp(1, CHUNK));
    let mut chunk = vec![0; size.next_multiple_of(64)];
    let mut bytes = 0;
    loop {
        let read = stream.read(&mut chunk)?;
        if read == 0 {
            return Ok(bytes);
        }
        bytes += read as u64;
        progress.advance(read as u64);
        each(chunk.get(..read).unwrap_or_default())?;
    }
}

/// Does `work` on each item, on `threads` threads (0 for one per core); the results are in the order of the items.
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
            // Each item is taken once, so the place for its result is empty.
            let _ = result.set(work(item));
        }
    };
    on_threads(threads, items.len(), worker);
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Runs `worker` on `threads` threads (0 for one per core), this one among them, but on no more than there are `tasks`.
pub(crate) fn on_threads(threads: usize, tasks: usize, worker: impl Fn() + Sync) {
    let threads = threads::count(threads);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(tasks) {
            scope.spawn(&worker);
        }
        worker();
    });
}
