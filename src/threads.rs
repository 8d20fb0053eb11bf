//! Threads: how many, and two tasks in parallel.

/// The number of threads to start: `requested`, or one per core if that is 0.
pub(crate) fn count(requested: usize) -> usize {
    match requested {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        n => n,
    }
}

/// Runs `a` and `b`, in parallel if `requested` allows more than one thread, and returns both results.
pub(crate) fn both<A, B: Send>(
    requested: usize,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if count(requested) == 1 {
        return (a(), b());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(b);
        let a = a();
        // A panic in the other thread is a panic here, as with one thread.
        (a, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
