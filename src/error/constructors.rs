//! An error of each kind.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::{Error, ErrorKind, Inner, shortened};

impl Error {
    /// An [`ErrorKind::Unexpected`].
    pub fn unexpected(
        what: &'static str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        let mut found = found.to_string();
        if found.is_empty() {
            // A name may be empty, and a message must not end in nothing.
            found = "\"\"".to_owned();
        }
        ErrorKind::Unexpected { what, found, expected: expected.to_string() }.into()
    }

    /// An [`ErrorKind::Unexpected`] for a name or a key that occurs twice.
    pub(crate) fn duplicate(what: &'static str, name: impl fmt::Display) -> Self {
        let found = format!("\"{}\" twice", shortened(&name.to_string()));
        Self::unexpected(what, found, format_args!("a unique {what}"))
    }

    /// An [`ErrorKind::Malformed`].
    pub fn malformed(
        what: &'static str,
        expected: impl Into<String>,
        reason: impl fmt::Display,
    ) -> Self {
        ErrorKind::Malformed { what, expected: expected.into(), reason: reason.to_string() }.into()
    }

    /// An [`ErrorKind::Truncated`].
    pub fn truncated(what: &'static str, need: u64, have: u64) -> Self {
        ErrorKind::Truncated { what, need, have }.into()
    }

    /// An [`ErrorKind::Syntax`].
    pub fn syntax(reason: impl Into<String>) -> Self {
        ErrorKind::Syntax(reason.into()).into()
    }

    /// An [`ErrorKind::Unsupported`].
    pub fn unsupported(reason: impl Into<String>) -> Self {
        ErrorKind::Unsupported(reason.into()).into()
    }

    /// An [`ErrorKind::NotFound`].
    pub fn not_found(reason: impl Into<String>) -> Self {
        ErrorKind::NotFound(reason.into()).into()
    }

    /// An [`ErrorKind::Usage`].
    pub fn usage(reason: impl Into<String>) -> Self {
        ErrorKind::Usage(reason.into()).into()
    }

    /// An [`ErrorKind::Io`].
    pub fn io(action: &'static str, source: io::Error) -> Self {
        ErrorKind::Io { action, source }.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Arc::new(Inner {
            kind: Arc::new(kind),
            file: None,
            offset: None,
            location: None,
            path: None,
            tensor: None,
            option: None,
            remedy: None,
        }))
    }
}
