//! The contents of a checkpoint.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::table::Table;
use crate::tensor::{Name, TensorSource};

/// Pairs of texts, in the order of the file.
pub(super) type Metadata = Vec<(String, String)>;

/// The contents of a checkpoint, as its format read them.
pub(super) struct Contents {
    /// The path that names the whole checkpoint.
    pub(super) prefix: PathBuf,
    pub(super) files: Vec<PathBuf>,
    /// Sorted by name; names are unique.
    pub(super) entries: Vec<Entry>,
    /// Pairs of texts besides the tensors.
    pub(super) metadata: Metadata,
    pub(super) damage: Vec<Error>,
    pub(super) has_data: bool,
    /// Tables that were not read completely.
    pub(super) tables: Vec<(PathBuf, Arc<Table>)>,
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
