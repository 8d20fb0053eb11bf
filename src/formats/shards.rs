//! The shards of a checkpoint, which are opened on demand, a limited number at a time.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::bytes::{File, ReadAt};
use crate::error::{Error, ErrorKind, Result};
use crate::probe::Probe;

use super::shard_name;

/// The maximum number of open files per checkpoint. Most systems allow a process 1,024.
const OPEN: usize = 256;

/// The shards of a checkpoint, by number.
#[derive(Debug)]
pub(super) struct Shards {
    paths: Paths,
    open: OpenFiles,
}

/// The files that are open.
#[derive(Debug)]
enum OpenFiles {
    /// Of at most [`OPEN`] shards, all stay open. They are found without a lock, which many threads would wait for.
    All(Box<[OnceLock<Arc<File>>]>),
    /// Of more shards, at most [`OPEN`] at a time.
    Some(Mutex<BTreeMap<u32, Arc<File>>>),
}

impl OpenFiles {
    fn new(shards: u32) -> Self {
        match usize::try_from(shards) {
            Ok(few @ 0..=OPEN) => Self::All((0..few).map(|_| OnceLock::new()).collect()),
            _ => Self::Some(Mutex::default()),
        }
    }
}

/// The paths of shards.
#[derive(Debug)]
enum Paths {
    /// `STEM-00000-of-00002`, `STEM-00001-of-00002`: not listed, since a file may claim any count.
    Numbered(PathBuf, u32),
    Listed(Vec<PathBuf>),
}

impl Shards {
    /// The `count` shards whose paths start with `stem` and a hyphen.
    pub(super) fn new(stem: PathBuf, count: u32) -> Self {
        Self { paths: Paths::Numbered(stem, count), open: OpenFiles::new(count) }
    }

    /// The shards with these paths.
    pub(super) fn listed(paths: Vec<PathBuf>) -> Self {
        let count = u32::try_from(paths.len()).unwrap_or(u32::MAX);
        Self { paths: Paths::Listed(paths), open: OpenFiles::new(count) }
    }

    /// The number of shards, whether or not they exist.
    pub(super) fn count(&self) -> u32 {
        match &self.paths {
            Paths::Numbered(_, count) => *count,
            Paths::Listed(paths) => u32::try_from(paths.len()).unwrap_or(u32::MAX),
        }
    }

    /// The path of shard `number`, which is less than the count.
    pub(super) fn path(&self, number: u32) -> PathBuf {
        match &self.paths {
            Paths::Numbered(stem, count) => shard_name::shard(stem, number, *count),
            Paths::Listed(paths) => paths.get(number as usize).cloned().unwrap_or_default(),
        }
    }

    /// Opens shard `number`, which is less than the count.
    pub(super) fn file(&self, number: u32) -> Result<Arc<File>> {
        self.with_file(number, |file| Ok(Arc::clone(file)))
    }

    /// Calls `f` with shard `number`, which is less than the count.
    pub(super) fn with_file<R>(
        &self,
        number: u32,
        f: impl FnOnce(&Arc<File>) -> Result<R>,
    ) -> Result<R> {
        match &self.open {
            OpenFiles::All(files) => {
                let slot = files.get(number as usize);
                if let Some(file) = slot.and_then(OnceLock::get) {
                    return f(file);
                }
                // Two threads may open it at once; then one of the two is closed again.
                let file = self.open(number)?;
                f(slot.map_or(&file, |slot| slot.get_or_init(|| Arc::clone(&file))))
            }
            OpenFiles::Some(files) => f(&self.file_of_some(files, number)?),
        }
    }

    fn file_of_some(
        &self,
        files: &Mutex<BTreeMap<u32, Arc<File>>>,
        number: u32,
    ) -> Result<Arc<File>> {
        let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(&number) {
            return Ok(Arc::clone(file));
        }
        let file = self.open(number)?;
        if files.len() >= OPEN {
            // Readers own the files that they use. Shards are read in ascending order, so the lowest is the least likely to be
            // needed again.
            files.pop_first();
        }
        files.insert(number, Arc::clone(&file));
        Ok(file)
    }

    fn open(&self, number: u32) -> Result<Arc<File>> {
        let path = self.path(number);
        File::open(&path).map(Arc::new).map_err(|error| missing(error, &path))
    }

    /// Opens shard `number`, and checks that it contains the `bytes` bytes from `offset` on.
    pub(super) fn file_with(&self, number: u32, offset: u64, bytes: u64) -> Result<Arc<File>> {
        self.with_content(number, offset, bytes, |file| Ok(Arc::clone(file)))
    }

    /// Calls `f` with shard `number` if it contains the `bytes` bytes from `offset` on.
    pub(super) fn with_content<R>(
        &self,
        number: u32,
        offset: u64,
        bytes: u64,
        f: impl FnOnce(&Arc<File>) -> Result<R>,
    ) -> Result<R> {
        self.with_file(number, |file| {
            let have = file.len().saturating_sub(offset);
            if have < bytes {
                let error = Error::truncated("content", bytes, have);
                return Err(error.at(offset).in_file(file.path()));
            }
            f(file)
        })
    }

    /// A shard as a file that is opened again after it was closed.
    pub(super) fn lasting(self: &Arc<Self>, shard: u32) -> Result<Arc<dyn ReadAt>> {
        let file = self.file(shard)?;
        let (len, number) = (file.len(), file.number());
        Ok(Arc::new(ReopenedShard { shards: Arc::clone(self), shard, len, number }))
    }

    /// Whether any of the shards exists, even if it cannot be opened.
    pub(super) fn any(&self) -> bool {
        (0..self.count()).take(OPEN).any(|number| Probe::new(&self.path(number)).exists())
    }
}

/// A shard that is opened again after it was closed.
#[derive(Debug)]
struct ReopenedShard {
    shards: Arc<Shards>,
    shard: u32,
    len: u64,
    /// That of the file that was opened first.
    number: Option<u64>,
}

impl ReadAt for ReopenedShard {
    fn len(&self) -> u64 {
        self.len
    }

    fn number(&self) -> Option<u64> {
        self.number
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.shards.with_file(self.shard, |file| file.read_at(offset, out))
    }
}

/// Explains that a missing file is a shard.
fn missing(error: Error, path: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            Error::not_found("this shard of the checkpoint is missing")
        }
        _ => error,
    }
    .in_file(path)
}
