//! The error of the whole library: what was expected, what was found, and where.

mod constructors;
mod display;
mod kind;
mod location;
mod remedy;
mod shown;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use kind::ErrorKind;
pub use location::Location;
pub use remedy::Remedy;
pub(crate) use shown::{abridged, cause, shortened, with_article};

use crate::name::Name;

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
    option: Option<&'static str>,
    remedy: Option<Remedy>,
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
        Arc::make_mut(&mut self.0).file.get_or_insert_with(|| path.to_path_buf());
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
        Arc::make_mut(&mut self.0).offset.get_or_insert(offset);
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
        Arc::make_mut(&mut self.0).location.get_or_insert(location);
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
        Arc::make_mut(&mut self.0).tensor.get_or_insert_with(|| name.clone());
        self
    }
}
