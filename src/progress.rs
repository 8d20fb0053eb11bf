//! How far a long piece of work has come, for whoever wants to show it.

/// Told of progress, by many threads at once.
pub trait Progress: Sync {
    /// There are `bytes` more to do.
    fn total(&self, bytes: u64);
    /// Another `bytes` are done.
    fn advance(&self, bytes: u64);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn total(&self, _: u64) {}
    fn advance(&self, _: u64) {}
}
