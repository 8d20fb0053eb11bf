//! One error for the whole library: what was found, what was allowed, and where.

mod shown;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use shown::{abridged, shortened};

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
    place: Option<Place>,
    path: Option<String>,
    tensor: Option<Name>,
}

/// A place in a text, for people: where to look, and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1; a tab is one character.
    pub column: u64,
    /// The line itself, or what is around the column where the line is long; nothing in it moves a terminal's cursor.
    pub excerpt: String,
    /// How many characters of the excerpt stand before the column.
    pub caret: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
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
    #[error("{what} needs {need} byte{}, {have} left", if *need == 1 { "" } else { "s" })]
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
    /// A text that breaks the rules of its format.
    #[error("{0}")]
    Syntax(String),
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

    /// Names the file, also where another one is named: what it is called instead of where it lies.
    #[must_use]
    pub(crate) fn of_file(mut self, name: &Path) -> Self {
        Arc::make_mut(&mut self.0).file = Some(name.to_path_buf());
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

    /// Without the byte, where that is one of what was made and not of what was read.
    #[must_use]
    pub(crate) fn without_offset(mut self) -> Self {
        Arc::make_mut(&mut self.0).offset = None;
        self
    }

    /// The place it happened at, in a text.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The field it happened in, as `graph_def.node[2].name`; in a JSON text as `graphDef.node[2].name`.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Names the place in a text, unless one is named already.
    #[must_use]
    pub fn at_place(mut self, place: Place) -> Self {
        if self.0.place.is_none() {
            Arc::make_mut(&mut self.0).place = Some(place);
        }
        self
    }

    /// Puts a field, as `node` or `node[2]`, before the path there is.
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

    /// The same place with something else to say of it.
    #[must_use]
    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        Arc::make_mut(&mut self.0).kind = Arc::new(kind);
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
        Self(Arc::new(Inner {
            kind: Arc::new(kind),
            file: None,
            offset: None,
            place: None,
            path: None,
            tensor: None,
        }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.file, &self.0.place) {
            (Some(file), Some(place)) => write!(f, "{}:{place}: ", file.display())?,
            (Some(file), None) => write!(f, "{}: ", file.display())?,
            (None, Some(place)) => write!(f, "{place}: ")?,
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

/// The system's error, where that is what went wrong: whoever writes knows a reader who has gone away by it.
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
