//! A path that a user gives, looked at once: what is there, the open file, and its first and last bytes.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bytes::{File, ReadAt};
use crate::error::{Error, ErrorKind, Result};
use crate::table;

use super::unread;

/// First bytes that are looked at.
const HEAD: u64 = 1024;

/// Last bytes that are looked at.
const TAIL: u64 = 64;

/// A path, and what is there.
///
/// Nothing is opened before it is needed, and then it is opened once: a reader takes the [`file`](Self::file) from here.
#[derive(Debug)]
pub(crate) struct Probe {
    /// The location in the file system.
    location: PathBuf,
    /// The path that errors name, and whose file name counts.
    path: PathBuf,
    entry: OnceCell<Entry>,
    head: OnceCell<Vec<u8>>,
    tail: OnceCell<Vec<u8>>,
}

/// What is at a path.
#[derive(Debug)]
enum Entry {
    Nothing,
    Directory,
    File(Arc<File>),
    /// Something that cannot be opened as a file, and why.
    Refused(Error),
}

impl Probe {
    pub(crate) fn new(path: &Path) -> Self {
        Self::named(path, path)
    }

    /// The file at `path`, which errors call `name`.
    pub(crate) fn named(path: &Path, name: &Path) -> Self {
        let (location, path) = (path.to_path_buf(), name.to_path_buf());
        let (entry, head, tail) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { location, path, entry, head, tail }
    }

    /// The path as the user gave it, or the name in its place.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The last part of the path; empty where that is not UTF-8.
    pub(crate) fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether anything is there, even if it cannot be opened.
    pub(crate) fn exists(&self) -> bool {
        !matches!(self.entry(), Entry::Nothing)
    }

    /// Whether a directory is there.
    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.entry(), Entry::Directory)
    }

    /// The regular file that is there, open; `None` where there is none, or it cannot be opened.
    pub(crate) fn file(&self) -> Option<&Arc<File>> {
        match self.entry() {
            Entry::File(file) => Some(file),
            _ => None,
        }
    }

    /// The regular file that is there, open.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    pub(crate) fn open(&self) -> Result<Arc<File>> {
        match self.entry() {
            Entry::File(file) => Ok(Arc::clone(file)),
            Entry::Refused(error) => Err(error.clone()),
            // The error of the system.
            Entry::Nothing | Entry::Directory => File::open(&self.location).map(Arc::new),
        }
    }

    /// The first 1,024 bytes of the file, or all if it is shorter; none where there is no readable file.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.get_or_init(|| self.bytes(0, HEAD))
    }

    /// The last 64 bytes of the file, or all if it is shorter; none where there is no readable file.
    pub(crate) fn tail(&self) -> &[u8] {
        let len = self.file().map_or(0, |file| file.len());
        self.tail.get_or_init(|| self.bytes(len.saturating_sub(TAIL), TAIL))
    }

    /// Whether the file ends as a table does.
    pub(crate) fn is_table(&self) -> bool {
        table::is_end_of_table(self.tail())
    }

    /// Whether the file is known to be no table.
    pub(crate) fn is_other(&self) -> bool {
        self.other().is_some()
    }

    /// An error that says what the file is, where it is known to be no table: text, or a file of another program.
    pub(crate) fn other(&self) -> Option<Error> {
        let what = unread::of_file(&self.path, self.head()).filter(|_| !self.is_table())?;
        Some(Error::from(ErrorKind::Unsupported(what)).in_file(&self.path))
    }

    fn bytes(&self, offset: u64, most: u64) -> Vec<u8> {
        let Some(file) = self.file() else { return Vec::new() };
        let len = usize::try_from(file.len().saturating_sub(offset).min(most));
        let mut bytes = vec![0; len.unwrap_or_default()];
        match file.read_at(offset, &mut bytes) {
            Ok(()) => bytes,
            // Whoever reads the file is told why.
            Err(_) => Vec::new(),
        }
    }

    fn entry(&self) -> &Entry {
        self.entry.get_or_init(|| match std::fs::metadata(&self.location) {
            Ok(found) if found.is_dir() => Entry::Directory,
            // A link that leads nowhere is there, and cannot be opened.
            Err(_) if self.location.symlink_metadata().is_err() => Entry::Nothing,
            _ => match File::open(&self.location) {
                Ok(file) => Entry::File(Arc::new(file.called(&self.path))),
                Err(error) => Entry::Refused(error.of_file(&self.path)),
            },
        })
    }
}
