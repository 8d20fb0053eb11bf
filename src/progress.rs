//! The progress of long work, for callers that show it.

/// Receives progress, from many threads at once.
pub trait Progress: Sync {
    /// Adds `bytes` to the work to be done.
    fn total(&self, bytes: u64);
    /// Adds `bytes` to the work that is done.
    fn advance(&self, bytes: u64);
}

/// Ignores progress.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn total(&self, _: u64) {}
    fn advance(&self, _: u64) {}
}
