//! The contents of a checkpoint.

use std::fmt;
use std::path::PathBuf;

use super::partitioned::Partitioned;
use crate::error::{Error, Result};
use crate::tensor::{Name, TensorSource};

/// Pairs of texts, in the order of the file.
pub(crate) type Metadata = Vec<(String, String)>;

/// See [`Contents::scan`].
type Scan = Box<dyn Fn() -> Vec<Error> + Send + Sync>;

/// The contents of a checkpoint, as its format read them.
pub(crate) struct Contents {
    /// The path that names the whole checkpoint.
    pub(crate) prefix: PathBuf,
    pub(crate) files: Vec<PathBuf>,
    /// Sorted by name; names are unique.
    pub(crate) entries: Vec<Entry>,
    /// Pairs of texts besides the tensors.
    pub(crate) metadata: Metadata,
    pub(crate) damage: Vec<Error>,
    pub(crate) has_data: bool,
    /// Reads the parts that no tensor depends on, and returns their damage.
    pub(crate) scan: Scan,
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries of {:?}, damage {:?}", self.entries.len(), self.files, self.damage)
    }
}

/// A name in a checkpoint, with its tensor.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The tensor's name.
    pub name: Name,
    /// The tensor, or why it cannot be read.
    pub source: Result<Box<dyn TensorSource>>,
    /// The slices, if they do not cover the tensor and it cannot be read as a whole: a saver may save some parts of a partitioned
    /// variable only.
    pub(crate) slices: Option<Box<Partitioned>>,
}

/// A tensor as a checkpoint stores it.
pub(crate) enum StoredAs {
    /// In one piece.
    Whole(Box<dyn TensorSource>),
    /// In slices, which may not cover it.
    Slices(Partitioned),
}

impl Entry {
    /// The entry of a tensor that is in one piece, or cannot be read.
    pub(crate) fn new(name: Name, source: Result<Box<dyn TensorSource>>) -> Self {
        Self { name, source, slices: None }
    }

    /// The entry of a tensor that may be in slices. `place` adds the tensor and the file to an error.
    pub(crate) fn stored(
        name: Name,
        stored: Result<StoredAs>,
        place: impl Fn(Error, &Name) -> Error,
    ) -> Self {
        let (source, slices): (Result<Box<dyn TensorSource>>, _) = match stored {
            Ok(StoredAs::Whole(source)) => (Ok(source), None),
            Ok(StoredAs::Slices(slices)) => match slices.check() {
                Ok(()) => (Ok(Box::new(slices)), None),
                Err(error) => (Err(error), Some(Box::new(slices))),
            },
            Err(error) => (Err(error), None),
        };
        let source = source.map_err(|error| place(error, &name));
        Self { name, source, slices }
    }

    /// The tensor, or its stored slices, which may not cover it: then only its dtype, shape and slices can be read.
    ///
    /// # Errors
    /// If nothing of it can be read.
    pub(crate) fn whole_or_slices(&self) -> Result<&dyn TensorSource> {
        match (&self.source, &self.slices) {
            (Ok(source), _) => Ok(&**source),
            (Err(_), Some(slices)) => Ok(&**slices),
            (Err(error), None) => Err(error.clone()),
        }
    }
}
