//! One error for the whole library: what was found, what was allowed, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::tensor::Name;

/// The result of anything that reads a file or an argument.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong and where: file, byte, tensor.
///
/// Places are added on the way up by whoever knows them; the innermost one wins. Cheap to clone, since damage
/// found once is reported for every tensor it touches.
#[derive(Debug, Clone)]
pub struct Error(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: Arc<ErrorKind>,
    file: Option<PathBuf>,
    offset: Option<u64>,
    tensor: Option<Name>,
}

/// What went wrong, without the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried, as in "open", "read".
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Fewer bytes than a structure needs.
    #[error("{what} needs {need} bytes, {have} left")]
    Truncated {
        /// The structure.
        what: &'static str,
        /// Bytes it needs.
        need: u64,
        /// Bytes there are.
        have: u64,
    },
    /// A stored checksum that its bytes do not have.
    #[error("checksum of {what}: stored {stored:#010x}, computed {computed:#010x}")]
    Checksum {
        /// What the checksum covers.
        what: &'static str,
        /// As stored (unmasked).
        stored: u32,
        /// As computed.
        computed: u32,
    },
    /// A value outside what the format allows.
    #[error("{what} is {found}, {allowed}")]
    Unexpected {
        /// The field or structure.
        what: &'static str,
        /// What was there.
        found: String,
        /// What the format allows there, as a clause: "at most 5", "must be one of …".
        allowed: String,
    },
    /// Something well-formed that this version does not read.
    #[error("{0}")]
    Unsupported(String),
    /// A thing that should be there and is not.
    #[error("{0}")]
    NotFound(String),
    /// Arguments that make no sense together or name nothing.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// What went wrong, without the place.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The file it happened in.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The tensor it happened to.
    pub fn tensor(&self) -> Option<&Name> {
        self.0.tensor.as_ref()
    }

    /// The byte it happened at, from the start of the file.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Names the file, unless one is named already.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        if self.0.file.is_none() {
            Arc::make_mut(&mut self.0).file = Some(path.to_path_buf());
        }
        self
    }

    /// Names the byte, unless one is named already.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        if self.0.offset.is_none() {
            Arc::make_mut(&mut self.0).offset = Some(offset);
        }
        self
    }

    /// Names the tensor, unless one is named already.
    #[must_use]
    pub fn of_tensor(mut self, name: &Name) -> Self {
        if self.0.tensor.is_none() {
            Arc::make_mut(&mut self.0).tensor = Some(name.clone());
        }
        self
    }

    /// Shorthand for [`ErrorKind::Unexpected`].
    pub fn unexpected(
        what: &'static str,
        found: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> Self {
        ErrorKind::Unexpected { what, found: found.to_string(), allowed: allowed.to_string() }
            .into()
    }

    /// Shorthand for [`ErrorKind::Truncated`].
    pub fn truncated(what: &'static str, need: u64, have: u64) -> Self {
        ErrorKind::Truncated { what, need, have }.into()
    }

    /// Shorthand for [`ErrorKind::Io`].
    pub fn io(action: &'static str, source: io::Error) -> Self {
        ErrorKind::Io { action, source }.into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Arc::new(Inner { kind: Arc::new(kind), file: None, offset: None, tensor: None }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(offset) = self.0.offset {
            write!(f, "byte {offset}: ")?;
        }
        if let Some(tensor) = &self.0.tensor {
            write!(f, "tensor {}: ", tensor.printable())?;
        }
        write!(f, "{}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0.kind {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
