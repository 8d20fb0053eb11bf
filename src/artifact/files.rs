//! The files of a SavedModel besides its graphs and variables.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{Document, ReadOptions, SavedModelPart, Sniffed, UnreadFiles, layout};
use crate::bytes::{File, check_regular, hex};
use crate::error::{Error, Result, shortened};
use crate::files::have_same_content;
use crate::schema::{KnownType, Schema};

/// The directories of a SavedModel that are compared.
const DIRECTORIES: [&str; 2] = [layout::ASSETS, layout::EXTRA_ASSETS];

/// The deepest nesting of directories.
const DEPTH: usize = 16;

/// The maximum number of files and directories.
const MAX_ENTRIES: usize = 100_000;

/// The number of errors after which no further directory is listed.
const MAX_ERRORS: usize = 100;

/// The files of a SavedModel besides its graphs and variables.
#[derive(Debug, Default)]
pub struct Files {
    /// The assets, by their paths in the SavedModel.
    pub assets: BTreeMap<String, Asset>,
    /// The fingerprint.
    pub fingerprint: Option<Document<'static>>,
    /// The Keras metadata.
    pub keras_metadata: Option<Document<'static>>,
    /// The files that are not read.
    pub unread: UnreadFiles,
}

/// A file that a graph reads, such as a vocabulary.
#[derive(Debug, Clone)]
pub struct Asset {
    content: Content,
    bytes: u64,
}

/// The content of an asset.
#[derive(Debug, Clone)]
enum Content {
    /// That of a file.
    File(PathBuf),
    /// Only its SHA-256 is known, in hexadecimal.
    Digest(String),
}

impl Files {
    /// Lists the directory of a SavedModel, and adds the parts that cannot be read to `failed`.
    pub(super) fn of_saved_model(dir: &Path, failed: &mut Vec<(SavedModelPart, Error)>) -> Self {
        let mut walk = Walk::default();
        for name in DIRECTORIES {
            let path = dir.join(name);
            if path.symlink_metadata().is_ok() {
                walk.directory(&path, name);
            }
        }
        failed.extend(walk.errors.into_iter().map(|error| (SavedModelPart::Files, error)));
        let mut read = |name, ty, part| {
            read_part(&dir.join(name), ty).unwrap_or_else(|error| {
                failed.push((part, error));
                None
            })
        };
        let metadata = Some(KnownType::SavedMetadata);
        Self {
            assets: walk.found,
            fingerprint: read(layout::FINGERPRINT, None, SavedModelPart::Fingerprint),
            keras_metadata: read(layout::KERAS_METADATA, metadata, SavedModelPart::KerasMetadata),
            unread: UnreadFiles::default(),
        }
    }
}

/// The message in a file of a SavedModel, of the type `ty` unless it is to be recognized; `None` if there is no file.
///
/// # Errors
/// If it cannot be read.
fn read_part(path: &Path, ty: Option<KnownType>) -> Result<Option<Document<'static>>> {
    let found = Sniffed::of_path(path);
    if !found.probe().exists() {
        return Ok(None);
    }
    let message = ty.map(|ty| ty.full_name().to_owned());
    let options = ReadOptions { message, ..ReadOptions::default() };
    Document::of(&found, Schema::tensorflow(), &options).map(Some)
}

/// A walk through the directories of assets.
#[derive(Default)]
struct Walk {
    found: BTreeMap<String, Asset>,
    entries: usize,
    /// The directories that contain the current one, and itself: without links, and as they were reached.
    inside: Vec<(PathBuf, PathBuf)>,
    errors: Vec<Error>,
}

impl Walk {
    /// Lists a directory and those in it. What cannot be listed is an error, and the others are listed.
    fn directory(&mut self, dir: &Path, name: &str) {
        let entered = self.enter(dir);
        let listed = entered.and_then(|entered| {
            self.inside.push(entered);
            self.entries_of(dir).inspect_err(|_| drop(self.inside.pop()))
        });
        let entries = match listed {
            Ok(entries) => entries,
            Err(error) => return self.errors.push(error.in_file(dir)),
        };
        let mut directories = Vec::new();
        for path in entries {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{name}/{file}");
            match self.file(&path, &name) {
                Ok(true) => {}
                Ok(false) => directories.push((path, name)),
                Err(error) => self.errors.push(error.in_file(&path)),
            }
        }
        // Last, so that the files of this directory come before the limit on the number of entries.
        for (path, name) in &directories {
            if self.entries <= MAX_ENTRIES && self.errors.len() < MAX_ERRORS {
                self.directory(path, name);
            }
        }
        self.inside.pop();
    }

    /// The path of a directory to enter without links.
    ///
    /// # Errors
    /// If the path is nested too deep, or leads back to a directory that contains it. Another name of a directory is listed again:
    /// the limit on the number of entries applies to exponentially many paths, too.
    fn enter(&self, dir: &Path) -> Result<(PathBuf, PathBuf)> {
        let depth = self.inside.len();
        if depth > DEPTH {
            let expected = format!("at most {DEPTH}");
            return Err(Error::unexpected("depth of directories", depth, expected));
        }
        let real = dir.canonicalize().map_err(|source| Error::io("open", source))?;
        if let Some((_, outer)) = self.inside.iter().find(|(outer, _)| *outer == real) {
            let found = format!("a link to {}, which contains it", outer.display());
            return Err(Error::unexpected("directory", found, "no cycle"));
        }
        Ok((real, dir.to_path_buf()))
    }

    /// The entries of a directory, sorted: systems list them in any order.
    fn entries_of(&mut self, dir: &Path) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(dir).map_err(|source| Error::io("list", source))? {
            paths.push(entry.map_err(|source| Error::io("list", source))?.path());
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                let expected = format!("at most {MAX_ENTRIES}");
                return Err(Error::unexpected("number of files", "more", expected));
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Adds a file. Returns whether the path is no directory.
    fn file(&mut self, path: &Path, name: &str) -> Result<bool> {
        let metadata = fs::metadata(path).map_err(|source| Error::io("open", source))?;
        if metadata.is_dir() {
            return Ok(false);
        }
        check_regular(&metadata)?;
        let asset = Asset { content: Content::File(path.to_path_buf()), bytes: metadata.len() };
        self.found.insert(name.to_owned(), asset);
        Ok(true)
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
        let is_same = || match (&self.content, &other.content) {
            (Content::File(path), Content::File(other)) => have_same_content(path, other),
            _ => Ok(self.sha256()? == other.sha256()?),
        };
        Ok(self.bytes == other.bytes && is_same()?)
    }

    /// The asset of a file of which only the size and the SHA-256 are known.
    pub(crate) fn of_digest(bytes: u64, sha256: String) -> Self {
        Self { content: Content::Digest(sha256), bytes }
    }

    /// The SHA-256 of the content, in hexadecimal.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn sha256(&self) -> Result<String> {
        const CHUNK: u64 = 256 << 10;
        let path = match &self.content {
            Content::Digest(sha256) => return Ok(sha256.clone()),
            Content::File(path) => path,
        };
        let in_file = |error: Error| error.in_file(path);
        let file = Arc::new(File::open(path).map_err(in_file)?);
        let mut reader = file.reader(0);
        let (mut hasher, mut chunk) = (Sha256::new(), Vec::new());
        loop {
            chunk.clear();
            let read = reader.by_ref().take(CHUNK).read_to_end(&mut chunk);
            if read.map_err(|error| in_file(Error::io("read", error)))? == 0 {
                return Ok(hex(hasher.finalize()));
            }
            hasher.update(&chunk);
        }
    }
}
