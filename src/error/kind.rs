//! The kinds of error.

use std::io;

/// What went wrong, without the location.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error of the operating system.
    #[error("cannot {action}: {source}")]
    Io {
        /// The action that failed: "open", "read".
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// Fewer bytes than a structure needs.
    #[error("{what} needs {need} byte{}, {have} left", if *need == 1 { "" } else { "s" })]
    Truncated {
        /// The structure.
        what: &'static str,
        /// Bytes it needs.
        need: u64,
        /// Bytes that are left.
        have: u64,
    },
    /// A stored checksum that differs from that of the bytes.
    #[error("checksum of {what}: stored {stored:#010x}, computed {computed:#010x}")]
    Checksum {
        /// The structure that the checksum covers.
        what: &'static str,
        /// The stored checksum, unmasked.
        stored: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// A value outside what the format allows.
    #[error("{what}: expected {expected}, found {found}")]
    Unexpected {
        /// The field or structure.
        what: &'static str,
        /// The value.
        found: String,
        /// The values that the format allows, as a noun phrase: "at most 5", "a string".
        expected: String,
    },
    /// Bytes that cannot be decoded.
    #[error("{what} is not {expected}: {reason}")]
    Malformed {
        /// The field or structure.
        what: &'static str,
        /// The encoding or type that the bytes should have, as a noun phrase: "a VersionDef", "UTF-8".
        expected: String,
        /// The error of the decoder.
        reason: String,
    },
    /// A syntax error in a text.
    #[error("{0}")]
    Syntax(String),
    /// Well-formed input that this version does not support.
    #[error("{0}")]
    Unsupported(String),
    /// A missing file, tensor, node or other part.
    #[error("{0}")]
    NotFound(String),
    /// Arguments that contradict each other or name nothing.
    #[error("{0}")]
    Usage(String),
}
