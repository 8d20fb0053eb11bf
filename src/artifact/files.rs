//! The files of a SavedModel that hold neither graphs nor variables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Document, message};
use crate::error::{Error, Result};
use crate::files::have_same_content;

/// Folders of a SavedModel whose files mean something to whoever serves it.
const FOLDERS: [&str; 2] = ["assets", "assets.extra"];

/// Folders inside each other at most: links may lead round in a ring.
const DEPTH: usize = 16;

/// The files of a SavedModel that hold neither graphs nor variables.
#[derive(Debug, Default)]
pub struct Files {
    /// Its assets, by their paths in the SavedModel.
    pub assets: BTreeMap<String, Asset>,
    /// Its hashes.
    pub fingerprint: Option<Document<'static>>,
}

/// A file that a graph reads, such as a vocabulary.
#[derive(Debug, Clone)]
pub struct Asset {
    path: PathBuf,
    bytes: u64,
}

impl Files {
    /// Lists what is in the directory of a SavedModel.
    pub(super) fn of_saved_model(dir: &Path) -> Result<Self> {
        let mut found = Self::default();
        for folder in FOLDERS {
            found.folder(&dir.join(folder), folder, 0)?;
        }
        let fingerprint = dir.join("fingerprint.pb");
        if fingerprint.is_file() {
            found.fingerprint = Some(message(&fingerprint)?);
        }
        Ok(found)
    }

    fn folder(&mut self, dir: &Path, name: &str, depth: usize) -> Result<()> {
        if !dir.is_dir() {
            return Ok(());
        }
        if depth > DEPTH {
            let allowed = format!("{DEPTH} is the most");
            return Err(Error::unexpected("depth of folders", depth, allowed).in_file(dir));
        }
        let fail = |source| Error::io("list", source).in_file(dir);
        for entry in fs::read_dir(dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{name}/{file}");
            if path.is_dir() {
                self.folder(&path, &name, depth + 1)?;
            } else {
                let fail = |source| Error::io("open", source).in_file(&path);
                let bytes = fs::metadata(&path).map_err(fail)?.len();
                self.assets.insert(name, Asset { path, bytes });
            }
        }
        Ok(())
    }
}

impl Asset {
    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the two files have the same content.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn has_content_of(&self, other: &Self) -> Result<bool> {
        have_same_content(&self.path, &other.path)
    }
}
