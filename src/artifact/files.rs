//! The files of a SavedModel that hold neither graphs nor variables.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::{Document, message};
use crate::error::{Error, Result};

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
        if self.bytes != other.bytes {
            return Ok(false);
        }
        let open = |asset: &Self| {
            let file = File::open(&asset.path);
            file.map(BufReader::new).map_err(|e| Error::io("open", e).in_file(&asset.path))
        };
        let (mut a, mut b) = (open(self)?, open(other)?);
        let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
        loop {
            let read =
                fill(&mut a, &mut left).map_err(|e| Error::io("read", e).in_file(&self.path))?;
            let other_read =
                fill(&mut b, &mut right).map_err(|e| Error::io("read", e).in_file(&other.path))?;
            if left.get(..read) != right.get(..other_read) {
                return Ok(false);
            }
            if read == 0 {
                return Ok(true);
            }
        }
    }
}

/// Bytes that are compared at a time.
const CHUNK: usize = 64 << 10;

/// Reads until `out` is full or the file ends.
fn fill(file: &mut impl Read, out: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = out.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
