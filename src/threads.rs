//! How many threads work.

/// As many as asked for; for 0 one for each core.
pub(crate) fn count(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        n => n,
    }
}

/// What both give, made side by side where `asked` allows more than one thread.
pub(crate) fn both<A, B: Send>(
    asked: usize,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if count(asked) == 1 {
        return (a(), b());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(b);
        let a = a();
        // A panic is as loud here as it is in one thread.
        (a, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
