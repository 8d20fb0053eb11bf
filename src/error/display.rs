//! The text of an error, and its conversion to an error of the system.

use std::fmt;
use std::io;

use super::{Error, ErrorKind, abridged};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(option) = self.0.option {
            write!(f, "{option}: ")?;
        }
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
