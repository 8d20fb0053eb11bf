//! The files of a SavedModel besides its graphs and variables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::document::message;
use super::{Document, SavedModelPart, Sniffed, layout};
use crate::error::{Error, Result};
use crate::files::have_same_content;

/// The directories of a SavedModel that are compared.
const DIRECTORIES: [&str; 2] = [layout::ASSETS, layout::EXTRA_ASSETS];

/// The deepest nesting of directories. Links may form a cycle.
const DEPTH: usize = 16;

/// The files of a SavedModel besides its graphs and variables.
#[derive(Debug, Default)]
pub struct Files {
    /// The assets, by their paths in the SavedModel.
    pub assets: BTreeMap<String, Asset>,
    /// The fingerprint.
    pub fingerprint: Option<Document<'static>>,
}

/// A file that a graph reads, such as a vocabulary.
#[derive(Debug, Clone)]
pub struct Asset {
    path: PathBuf,
    bytes: u64,
}

impl Files {
    /// Lists the directory of a SavedModel, and adds the parts that cannot be read to `failed`.
    pub(super) fn of_saved_model(dir: &Path, failed: &mut Vec<(SavedModelPart, Error)>) -> Self {
        let mut found = Self::default();
        for directory in DIRECTORIES {
            let path = dir.join(directory);
            let listed = if path.is_dir() { found.directory(&path, directory, 0) } else { Ok(()) };
            failed.extend(listed.err().map(|error| (SavedModelPart::Files, error)));
        }
        let fingerprint = Sniffed::of_path(dir.join(layout::FINGERPRINT));
        if fingerprint.probe().is_file() {
            match message(&fingerprint) {
                Ok(read) => found.fingerprint = Some(read),
                Err(error) => failed.push((SavedModelPart::Fingerprint, error)),
            }
        }
        found
    }

    fn directory(&mut self, dir: &Path, name: &str, depth: usize) -> Result<()> {
        if depth > DEPTH {
            let expected = format!("at most {DEPTH}");
            return Err(Error::unexpected("depth of directories", depth, expected).in_file(dir));
        }
        let fail = |source| Error::io("list", source).in_file(dir);
        let mut directories = Vec::new();
        for entry in fs::read_dir(dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{name}/{file}");
            let metadata = fs::metadata(&path);
            let metadata = metadata.map_err(|source| Error::io("open", source).in_file(&path))?;
            if metadata.is_dir() {
                directories.push((path, name));
            } else {
                self.assets.insert(name, Asset { path, bytes: metadata.len() });
            }
        }
        // Last, so that the files of this directory are known even if a nested directory cannot be listed.
        directories.iter().try_for_each(|(path, name)| self.directory(path, name, depth + 1))
    }
}

impl Asset {
    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the two files have the same content.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn has_content_of(&self, other: &Self) -> Result<bool> {
        Ok(self.bytes == other.bytes && have_same_content(&self.path, &other.path)?)
    }
}
