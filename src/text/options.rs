//! Options for parsing text.

use crate::message::Unknown;

/// Whether a field may be given by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldNumbers {
    /// Refused, per the specification.
    Refuse,
    /// Accepted, because unknown fields are printed by number. Numbers that the schema does not have are dropped and counted.
    Accept,
}

/// Whether a field that has one value may be given several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// Refused, per the specification.
    Refuse,
    /// Accepted and counted; the last value counts, and messages are merged, as in Python's `text_format.Merge`.
    Last,
}

/// How a text is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseOptions {
    /// Whether a name that the schema does not know is an error.
    pub unknown: Unknown,
    /// Whether a field may be given by its number.
    pub field_numbers: FieldNumbers,
    /// Whether a field that has one value may be given several times.
    pub repeated: Repeated,
    /// Whether required fields may be missing.
    pub partial: bool,
    /// The number of threads, 0 for one per core. The message does not depend on it.
    pub threads: usize,
    /// The least length of a piece, in bytes. Each piece is in memory whole and parsed by one thread.
    pub piece_bytes: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            unknown: Unknown::Refuse,
            field_numbers: FieldNumbers::Refuse,
            repeated: Repeated::Refuse,
            partial: false,
            threads: 1,
            // Small enough that the text of a piece and its tokens stay in the cache.
            piece_bytes: 256 << 10,
        }
    }
}
