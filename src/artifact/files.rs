//! The files of a SavedModel besides its graphs and variables.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::document::message;
use super::{Document, SavedModelPart, Sniffed, layout};
use crate::bytes::{File, check_regular};
use crate::error::{Error, Result, shortened};
use crate::files::have_same_content;

/// The directories of a SavedModel that are compared.
const DIRECTORIES: [&str; 2] = [layout::ASSETS, layout::EXTRA_ASSETS];

/// The deepest nesting of directories.
const DEPTH: usize = 16;

/// The maximum number of files and directories.
const MAX_ENTRIES: usize = 100_000;

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
        let mut walk = Walk::default();
        for name in DIRECTORIES {
            let path = dir.join(name);
            if path.symlink_metadata().is_ok() {
                let listed = walk.directory(&path, name, 0);
                failed.extend(listed.err().map(|error| (SavedModelPart::Files, error)));
            }
        }
        let mut found = Self { assets: walk.found, fingerprint: None };
        let fingerprint = Sniffed::of_path(dir.join(layout::FINGERPRINT));
        if fingerprint.probe().exists() {
            match message(&fingerprint) {
                Ok(read) => found.fingerprint = Some(read),
                Err(error) => failed.push((SavedModelPart::Fingerprint, error)),
            }
        }
        found
    }
}

/// A walk through the directories of assets.
#[derive(Default)]
struct Walk {
    found: BTreeMap<String, Asset>,
    entries: usize,
    /// The paths of the directories that were entered. Links could lead to one again, by exponentially many paths.
    entered: BTreeMap<PathBuf, PathBuf>,
}

impl Walk {
    fn directory(&mut self, dir: &Path, name: &str, depth: usize) -> Result<()> {
        if depth > DEPTH {
            let expected = format!("at most {DEPTH}");
            return Err(Error::unexpected("depth of directories", depth, expected).in_file(dir));
        }
        self.enter(dir)?;
        let fail = |source| Error::io("list", source).in_file(dir);
        let mut directories = Vec::new();
        for entry in fs::read_dir(dir).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                let expected = format!("at most {MAX_ENTRIES}");
                return Err(Error::unexpected("number of files", "more", expected).in_file(dir));
            }
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{name}/{file}");
            let metadata = fs::metadata(&path);
            let metadata = metadata.map_err(|source| Error::io("open", source).in_file(&path))?;
            if metadata.is_dir() {
                directories.push((path, name));
            } else {
                check_regular(&metadata).map_err(|error| error.in_file(&path))?;
                self.found.insert(name, Asset { path, bytes: metadata.len() });
            }
        }
        directories.sort();
        // Last, so that the files of this directory are known even if a nested directory cannot be listed.
        directories.iter().try_for_each(|(path, name)| self.directory(path, name, depth + 1))
    }

    /// Enters a directory.
    ///
    /// # Errors
    /// If it was entered before, by another path.
    fn enter(&mut self, dir: &Path) -> Result<()> {
        let real = dir.canonicalize().map_err(|source| Error::io("open", source).in_file(dir))?;
        match self.entered.insert(real, dir.to_path_buf()) {
            None => Ok(()),
            Some(first) => {
                let found = format!("a link to {}", first.display());
                Err(Error::unexpected("directory", found, "one that is listed once").in_file(dir))
            }
        }
    }
}

/// The file of an asset, by the name that a graph gives it.
///
/// # Errors
/// If the name leads out of the directory of assets, or the file cannot be opened.
pub(crate) fn asset_file(model: &Path, filename: &str) -> Result<PathBuf> {
    use std::path::Component::{CurDir, Normal};
    let inside = Path::new(filename);
    let mut parts = inside.components();
    if inside.file_name().is_none() || !parts.all(|part| matches!(part, Normal(_) | CurDir)) {
        let expected = "the name of a file in the directory assets";
        let found = shortened(filename).into_owned();
        return Err(Error::unexpected("filename", found, expected).in_file(model));
    }
    let path = model.join(layout::ASSETS).join(inside);
    if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        let why = "the graph needs this asset, but its file is missing";
        return Err(Error::not_found(why).in_file(&path));
    }
    File::open(&path).map(|_| path)
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
