//! The files in the directory of a SavedModel that are not read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::layout;
use crate::error::Result;
use crate::serial::{Json, Object, Read};

/// The number of names that are kept.
const NAMED: usize = 8;

/// The parts of a directory that are read, besides the graphs and the variables.
const READ: [&str; 4] =
    [layout::ASSETS, layout::EXTRA_ASSETS, layout::FINGERPRINT, layout::KERAS_METADATA];

/// The files in the directory of a SavedModel that are not read, and so are not compared.
///
/// A directory counts as one, and its name ends with `/`. Hidden files, whose names begin with a dot, do not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnreadFiles {
    /// The number of files.
    pub count: u64,
    /// The first names in order, as paths in the SavedModel.
    pub names: Vec<String>,
}

impl UnreadFiles {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The unread files of the SavedModel `model`, whose graphs are in the file `graphs`, and its variables in the files `variables`.
    pub(super) fn of_saved_model(model: &Path, graphs: &Path, variables: &[PathBuf]) -> Self {
        let mut found = Found::default();
        let directory = model.join(layout::VARIABLES);
        let is_read = |path: &Path, name: &str| {
            READ.contains(&name) || path == graphs || path == directory && path.is_dir()
        };
        found.add(model, "", is_read);
        found.add(&directory, "variables/", |path, _| variables.iter().any(|read| read == path));
        Self { count: found.count, names: found.names.into_iter().collect() }
    }
}

/// The files that were found, of which the first names are kept.
#[derive(Default)]
struct Found {
    count: u64,
    names: BTreeSet<String>,
}

impl Found {
    /// Adds the entries of a directory. What cannot be listed is not known, which is no damage: TensorFlow does not list it either.
    fn add(&mut self, dir: &Path, prefix: &str, is_read: impl Fn(&Path, &str) -> bool) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || is_read(&path, &name) {
                continue;
            }
            self.count += 1;
            let slash = if path.is_dir() { "/" } else { "" };
            self.names.insert(format!("{prefix}{name}{slash}"));
            if self.names.len() > NAMED {
                self.names.pop_last();
            }
        }
    }
}

/// The unread files in a saved report.
impl<'r> Read<'r> for UnreadFiles {
    fn read(json: Json<'r>) -> Result<Self> {
        let object = Object::read(json)?;
        Ok(Self { count: object.get("count")?, names: object.get("names")? })
    }
}
