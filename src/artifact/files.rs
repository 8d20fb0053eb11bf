//! The files of a SavedModel that hold neither graphs nor variables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Document, Part, message};
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
    /// Lists what is in the directory of a SavedModel, and adds to `unread` what of it cannot be read.
    pub(super) fn of_saved_model(dir: &Path, unread: &mut Vec<(Part, Error)>) -> Self {
        let mut found = Self::default();
        for folder in FOLDERS {
            let listed = found.folder(&dir.join(folder), folder, 0);
            unread.extend(listed.err().map(|error| (Part::Files, error)));
        }
        let fingerprint = dir.join("fingerprint.pb");
        if fingerprint.is_file() {
            match message(&fingerprint) {
                Ok(read) => found.fingerprint = Some(read),
                Err(error) => unread.push((Part::Fingerprint, error)),
            }
        }
        found
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
        let mut folders = Vec::new();
        for entry in fs::read_dir(dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{name}/{file}");
            if path.is_dir() {
                folders.push((path, name));
            } else {
                let fail = |source| Error::io("open", source).in_file(&path);
                let bytes = fs::metadata(&path).map_err(fail)?.len();
                self.assets.insert(name, Asset { path, bytes });
            }
        }
        // A folder that cannot be listed leaves the files beside it known.
        folders.iter().try_for_each(|(path, name)| self.folder(path, name, depth + 1))
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
