//! How a text is read.

use crate::message::Unknown;

/// Whether a field may be given by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// It may not, as the language has it.
    Refuse,
    /// It may: so unknown fields are printed. Those that are still unknown are dropped, and counted.
    Accept,
}

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseOptions {
    /// What becomes of names that the schema does not have.
    pub unknown: Unknown,
    /// Whether a field may be given by its number.
    pub numbers: Numbers,
    /// Whether required fields may be missing.
    pub partial: bool,
    /// How many threads parse, 0 for one per core; the message is the same.
    pub threads: usize,
    /// Bytes from which on a piece ends where it may; each is parsed by one thread, in memory.
    pub piece_bytes: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            unknown: Unknown::Refuse,
            numbers: Numbers::Refuse,
            partial: false,
            threads: 1,
            // The text of a piece and its tokens stay in the cache.
            piece_bytes: 256 << 10,
        }
    }
}
