//! The error of the whole library: what was found, what was allowed, and where.

mod location;
mod shown;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use location::Location;
pub(crate) use shown::{abridged, shortened};

use crate::tensor::Name;

/// The result of a function that reads a file or an argument.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error and its location: file, byte, field, tensor.
///
/// Each caller adds the part of the location that it knows; what was added first wins. Cloning is cheap, since one damaged
/// block is reported for every tensor in it.
#[derive(Debug, Clone)]
pub struct Error(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: Arc<ErrorKind>,
    file: Option<PathBuf>,
    offset: Option<u64>,
    location: Option<Location>,
    path: Option<String>,
    tensor: Option<Name>,
}

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
    #[error("{what} is {found}, {allowed}")]
    Unexpected {
        /// The field or structure.
        what: &'static str,
        /// The value.
        found: String,
        /// The values that the format allows, as a clause: "at most 5", "must be one of …".
        allowed: String,
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

impl Error {
    /// What went wrong, without the location.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The file with the error.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The tensor with the error.
    pub fn tensor(&self) -> Option<&Name> {
        self.0.tensor.as_ref()
    }

    /// The offset of the error in the file, in bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Adds the file, unless the error has one.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        if self.0.file.is_none() {
            Arc::make_mut(&mut self.0).file = Some(path.to_path_buf());
        }
        self
    }

    /// Replaces the file by the name that the user knows it by.
    #[must_use]
    pub(crate) fn of_file(mut self, name: &Path) -> Self {
        Arc::make_mut(&mut self.0).file = Some(name.to_path_buf());
        self
    }

    /// Removes the file, for readers who know it.
    #[must_use]
    pub fn without_file(mut self) -> Self {
        Arc::make_mut(&mut self.0).file = None;
        self
    }

    /// Removes the tensor, for readers who know it.
    #[must_use]
    pub fn without_tensor(mut self) -> Self {
        Arc::make_mut(&mut self.0).tensor = None;
        self
    }

    /// Adds the offset, unless the error has one.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        if self.0.offset.is_none() {
            Arc::make_mut(&mut self.0).offset = Some(offset);
        }
        self
    }

    /// Removes the offset, if it counts bytes that were generated and not read.
    #[must_use]
    pub(crate) fn without_offset(mut self) -> Self {
        Arc::make_mut(&mut self.0).offset = None;
        self
    }

    /// The location of the error in a text.
    pub fn location(&self) -> Option<&Location> {
        self.0.location.as_ref()
    }

    /// The path of the field with the error: `graph_def.node[2].name`, in a JSON text `graphDef.node[2].name`.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Adds the location in a text, unless the error has one.
    #[must_use]
    pub fn at_location(mut self, location: Location) -> Self {
        if self.0.location.is_none() {
            Arc::make_mut(&mut self.0).location = Some(location);
        }
        self
    }

    /// Prepends a field, such as `node` or `node[2]`, to the path.
    #[must_use]
    pub fn in_field(mut self, field: &str) -> Self {
        let inner = Arc::make_mut(&mut self.0);
        inner.path = Some(match inner.path.take() {
            Some(path) if path.starts_with('[') => format!("{field}{path}"),
            Some(path) => format!("{field}.{path}"),
            None => field.to_owned(),
        });
        self
    }

    /// Replaces the kind, and keeps the location.
    #[must_use]
    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        Arc::make_mut(&mut self.0).kind = Arc::new(kind);
        self
    }

    /// Adds the tensor, unless the error has one.
    #[must_use]
    pub fn of_tensor(mut self, name: &Name) -> Self {
        if self.0.tensor.is_none() {
            Arc::make_mut(&mut self.0).tensor = Some(name.clone());
        }
        self
    }

    /// An [`ErrorKind::Unexpected`].
    pub fn unexpected(
        what: &'static str,
        found: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> Self {
        ErrorKind::Unexpected { what, found: found.to_string(), allowed: allowed.to_string() }
            .into()
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
        }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.file, &self.0.location) {
            (Some(file), Some(location)) => write!(f, "{}:{location}: ", file.display())?,
            (Some(file), None) => write!(f, "{}: ", file.display())?,
            (None, Some(location)) => write!(f, "{location}: ")?,
            (None, None) => {}
        }
        if let Some(offset) = self.0.offset {
            write!(f, "byte {offset}: ")?;
        }
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", abridged(path))?;
        }
        if let Some(tensor) = &self.0.tensor {
            write!(f, "tensor {}: ", tensor.printable())?;
        }
        write!(f, "{}", self.0.kind)
    }
}

/// The error of the system, if there is one: a writer recognizes a closed pipe by it.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Io { source, .. } => match source.raw_os_error() {
                Some(code) => Self::from_raw_os_error(code),
                None => source.kind().into(),
            },
            _ => Self::other(error),
        }
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
