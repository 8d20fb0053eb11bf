//! A path with the first and last bytes of its file, which are read once.

pub(crate) mod content;
mod entry;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::bytes::{File, ReadAt};
use crate::error::Result;
use crate::table;
use entry::Entry;

/// The number of first bytes.
pub(crate) const HEAD: usize = 64 << 10;

/// The number of last bytes.
const TAIL: usize = 64;

/// A path, and its directory entry.
///
/// Everything is read on first use and then kept; readers also take the open [`file`](Self::file) from here.
#[derive(Debug)]
pub(crate) struct Probe {
    /// The location in the file system.
    location: PathBuf,
    /// The path for errors. Its file name counts where the content does not decide.
    path: PathBuf,
    entry: OnceLock<Entry>,
    file: OnceLock<Result<Arc<File>>>,
    head: OnceLock<Vec<u8>>,
    tail: OnceLock<Vec<u8>>,
    /// Probes of other paths, such as siblings.
    others: Mutex<Vec<Arc<Probe>>>,
}

impl Probe {
    pub(crate) fn new(path: &Path) -> Self {
        Self::named(path, path)
    }

    /// The file at `path`, under another name for errors.
    pub(crate) fn named(path: &Path, name: &Path) -> Self {
        Self {
            location: path.to_path_buf(),
            path: name.to_path_buf(),
            entry: OnceLock::new(),
            file: OnceLock::new(),
            head: OnceLock::new(),
            tail: OnceLock::new(),
            others: Mutex::default(),
        }
    }

    /// A stream with these first bytes, and its name for errors.
    pub(crate) fn of_stream(name: &Path, head: Vec<u8>) -> Self {
        let probe = Self { entry: Entry::Stream.into(), ..Self::new(name) };
        Self { head: head.into(), tail: Vec::new().into(), ..probe }
    }

    /// The probe of another path. Repeated calls return the same probe.
    pub(crate) fn at(&self, path: &Path) -> Arc<Self> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others.iter().find(|other| other.path == path) {
            return Arc::clone(known);
        }
        let probe = Arc::new(Self::new(path));
        others.push(Arc::clone(&probe));
        probe
    }

    /// The path as the user gave it, or the name for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file name; empty if it is not UTF-8.
    pub(crate) fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether the path exists, even if it cannot be opened.
    pub(crate) fn exists(&self) -> bool {
        !matches!(self.entry(), Entry::Nothing)
    }

    /// Whether the path is a directory.
    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.entry(), Entry::Directory)
    }

    /// Whether the path is a regular file.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.entry(), Entry::File)
    }

    /// Whether the path is a pipe or a device.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.entry(), Entry::Stream)
    }

    /// The open file; `None` if it is not a regular file, or cannot be opened.
    pub(crate) fn file(&self) -> Option<&Arc<File>> {
        match self.entry() {
            Entry::File => self.opened().as_ref().ok(),
            _ => None,
        }
    }

    /// The open file.
    ///
    /// # Errors
    /// If it is not a regular file, or cannot be opened.
    pub(crate) fn open(&self) -> Result<Arc<File>> {
        self.opened().clone()
    }

    /// The first 64 KiB, or all of a shorter file; empty if there is no readable file.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.get_or_init(|| self.bytes(|_| 0, HEAD))
    }

    /// The last 64 bytes, or all of a shorter file; empty if there is no readable file.
    pub(crate) fn tail(&self) -> &[u8] {
        self.tail.get_or_init(|| self.bytes(|len| len.saturating_sub(TAIL as u64), TAIL))
    }

    /// Whether the file ends with the footer of a table.
    pub(crate) fn is_table(&self) -> bool {
        table::is_end_of_table(self.tail())
    }

    fn bytes(&self, from: impl FnOnce(u64) -> u64, most: usize) -> Vec<u8> {
        let Some(file) = self.file() else { return Vec::new() };
        let offset = from(file.len());
        let len = usize::try_from(file.len() - offset).unwrap_or(most).min(most);
        let mut bytes = vec![0; len];
        // Reading the file again reports the error.
        file.read_at(offset, &mut bytes).map_or_else(|_| Vec::new(), |()| bytes)
    }

    fn entry(&self) -> &Entry {
        self.entry.get_or_init(|| Entry::of(&self.location))
    }

    fn opened(&self) -> &Result<Arc<File>> {
        self.file.get_or_init(|| {
            let opened = match self.entry() {
                Entry::File => File::open_regular(&self.location),
                // The error names the kind of the directory entry.
                _ => File::open(&self.location),
            };
            match opened {
                Ok(file) => Ok(Arc::new(file.called(&self.path))),
                Err(error) => Err(error.of_file(&self.path)),
            }
        })
    }
}
