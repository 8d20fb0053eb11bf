//! Threads: how many, and tasks in parallel.

use std::thread;

/// The number of threads to start: `requested`, or one per core if that is 0.
pub(crate) fn count(requested: usize) -> usize {
    match requested {
        0 => thread::available_parallelism().map_or(1, Into::into),
        n => n,
    }
}

/// Runs `a` and `b`, in parallel if `requested` allows more than one thread and the system has one, and returns both results.
pub(crate) fn both<A, B: Send>(
    requested: usize,
    a: impl FnOnce() -> A,
    b: impl Fn() -> B + Sync,
) -> (A, B) {
    if count(requested) == 1 {
        return (a(), b());
    }
    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, &b) {
        Err(_) => (a(), b()),
        Ok(other) => {
            let a = a();
            // A panic in the other thread is a panic here, as with one thread.
            (a, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        }
    })
}

/// Runs `worker` on `threads` threads (0 for one per core), including this one, but on at most `tasks`, and on no more than the
/// system has.
pub(crate) fn on_threads(threads: usize, tasks: usize, worker: impl Fn() + Sync) {
    let threads = count(threads);
    thread::scope(|scope| {
        for _ in 1..threads.min(tasks) {
            // If no thread can be started, the others do its work.
            if thread::Builder::new().spawn_scoped(scope, &worker).is_err() {
                break;
            }
        }
        worker();
    });
}
