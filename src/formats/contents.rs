//! The contents of a checkpoint.

use std::fmt;
use std::path::PathBuf;

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
pub struct Entry {
    /// The tensor's name.
    pub name: Name,
    /// The tensor, or why it cannot be read.
    pub source: Result<Box<dyn TensorSource>>,
}
