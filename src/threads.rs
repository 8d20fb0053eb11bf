//! How many threads work.

/// As many as asked for; for 0 one for each core.
pub(crate) fn count(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        n => n,
    }
}
