//! The progress of long work, for callers that show it or may end it.

use crate::error::Result;

/// Receives progress, from many threads at once.
pub trait Progress: Sync {
    /// Adds `bytes` to the work to be done.
    fn total(&self, bytes: u64);
    /// Adds `bytes` to the work that is done.
    fn advance(&self, bytes: u64);

    /// Whether the work goes on; called often, before each part of it.
    ///
    /// # Errors
    /// To end the work early: every tensor that has not been read then has this error.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Ignores progress.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn total(&self, _: u64) {}
    fn advance(&self, _: u64) {}
}
