//! Places in a rules file.

use std::fmt;

use serde::Serialize;

/// Where a rules file says something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct StatedAt {
    /// The file, or the built-in profile.
    pub source: String,
    /// The line, from 1.
    pub line: u64,
}

/// For example `ckdiff.toml:12`.
impl fmt::Display for StatedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source, self.line)
    }
}
