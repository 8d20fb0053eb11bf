//! A path with the first and last bytes of its file, which are read once.

mod entry;
mod read;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::bytes::{File, Memory};
use crate::error::{Error, Result};
use crate::table;
use entry::DirectoryEntry;
pub(crate) use read::HEAD;
use read::TAIL;

/// A path, and its directory entry.
///
/// Everything is read on first use and then kept; readers also take the open [`file`](Self::file) from here.
#[derive(Debug)]
pub(crate) struct Probe {
    /// The location in the file system.
    location: PathBuf,
    /// The path for errors. Its file name counts where the content does not decide.
    path: PathBuf,
    entry: OnceLock<DirectoryEntry>,
    file: OnceLock<Result<Arc<File>>>,
    head: OnceLock<Vec<u8>>,
    tail: OnceLock<Vec<u8>>,
    /// All bytes of a stream that is a table.
    stream_table: Option<Memory>,
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
            stream_table: None,
            others: Mutex::default(),
        }
    }

    /// A stream with these bytes, all or the first ones, and its name for errors.
    pub(crate) fn of_stream(name: &Path, bytes: &[u8]) -> Self {
        let head = bytes.get(..HEAD).unwrap_or(bytes).to_vec();
        let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or_default();
        Self {
            entry: DirectoryEntry::Stream.into(),
            head: head.into(),
            tail: tail.to_vec().into(),
            stream_table: table::is_end_of_table(tail).then(|| Memory(bytes.into())),
            ..Self::new(name)
        }
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
        !matches!(self.entry(), DirectoryEntry::Nothing)
    }

    /// Whether the path is a directory.
    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.entry(), DirectoryEntry::Directory)
    }

    /// Whether the path exists and is not a directory. It may be unreadable, such as a broken link.
    pub(crate) fn is_no_directory(&self) -> bool {
        self.exists() && !self.is_directory()
    }

    /// Whether the path is a pipe or a device.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.entry(), DirectoryEntry::Stream)
    }

    /// Whether the path names an open file of the process: `/dev/stdin`, or `/dev/fd/63` for the `<(…)` of shells.
    pub(crate) fn is_descriptor(&self) -> bool {
        let directory = self.location.parent();
        let directories = ["/dev/fd", "/proc/self/fd"].map(Path::new);
        self.location == Path::new("/dev/stdin")
            || directory.is_some_and(|d| directories.contains(&d))
    }

    /// The system's error about the path, such as a directory without search permission.
    pub(crate) fn unknown(&self) -> Option<Error> {
        match self.entry() {
            DirectoryEntry::Unknown(error) => Some(error.clone().in_file(&self.path)),
            _ => None,
        }
    }

    fn entry(&self) -> &DirectoryEntry {
        self.entry.get_or_init(|| DirectoryEntry::of(&self.location))
    }
}
