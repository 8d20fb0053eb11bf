//! The shards of a checkpoint, which are opened on demand, a limited number at a time.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

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
    open: Mutex<BTreeMap<u32, Arc<File>>>,
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
        Self { paths: Paths::Numbered(stem, count), open: Mutex::default() }
    }

    /// The shards with these paths.
    pub(super) fn listed(paths: Vec<PathBuf>) -> Self {
        Self { paths: Paths::Listed(paths), open: Mutex::default() }
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
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&number) {
            return Ok(Arc::clone(file));
        }
        let path = self.path(number);
        let file = Arc::new(File::open(&path).map_err(|error| missing(error, &path))?);
        if open.len() >= OPEN {
            // Readers own the files that they use. Shards are read in ascending order, so the lowest is the least likely to be
            // needed again.
            open.pop_first();
        }
        open.insert(number, Arc::clone(&file));
        Ok(file)
    }

    /// Opens shard `number`, and checks that it contains the `bytes` bytes from `offset` on.
    pub(super) fn file_with(&self, number: u32, offset: u64, bytes: u64) -> Result<Arc<File>> {
        let file = self.file(number)?;
        let have = file.len().saturating_sub(offset);
        if have < bytes {
            let error = Error::truncated("content", bytes, have);
            return Err(error.at(offset).in_file(file.path()));
        }
        Ok(file)
    }

    /// Shard `number` as a file that is opened again after it was closed.
    pub(super) fn lasting(self: &Arc<Self>, number: u32) -> Result<Arc<dyn ReadAt>> {
        let len = self.file(number)?.len();
        Ok(Arc::new(ReopenedShard { shards: Arc::clone(self), number, len }))
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
    number: u32,
    len: u64,
}

impl ReadAt for ReopenedShard {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.shards.file(self.number)?.read_at(offset, out)
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
