//! The files of a checkpoint in shards: opened when they are needed, and not all at once.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::{File, ReadAt};
use crate::error::{Error, ErrorKind, Result};

use super::shard_name;

/// Files kept open at a time, of each checkpoint; systems mostly allow a process 1,024.
const OPEN: usize = 256;

/// The files of a checkpoint in shards, by number.
#[derive(Debug)]
pub(super) struct Shards {
    paths: Paths,
    open: Mutex<BTreeMap<u32, Arc<File>>>,
}

/// The paths of shards.
#[derive(Debug)]
enum Paths {
    /// `STEM-00000-of-00002`, `STEM-00001-of-00002`: composed, since a file may claim any count.
    Numbered(PathBuf, u32),
    Listed(Vec<PathBuf>),
}

impl Shards {
    /// The `count` files whose paths start with `stem` and a hyphen.
    pub(super) fn new(stem: PathBuf, count: u32) -> Self {
        Self { paths: Paths::Numbered(stem, count), open: Mutex::default() }
    }

    /// The files at these paths.
    pub(super) fn listed(paths: Vec<PathBuf>) -> Self {
        Self { paths: Paths::Listed(paths), open: Mutex::default() }
    }

    /// How many files there are said to be.
    pub(super) fn count(&self) -> u32 {
        match &self.paths {
            Paths::Numbered(_, count) => *count,
            Paths::Listed(paths) => u32::try_from(paths.len()).unwrap_or(u32::MAX),
        }
    }

    /// The path of file `number`, which is less than the count.
    pub(super) fn path(&self, number: u32) -> PathBuf {
        match &self.paths {
            Paths::Numbered(stem, count) => shard_name::shard(stem, number, *count),
            Paths::Listed(paths) => paths.get(number as usize).cloned().unwrap_or_default(),
        }
    }

    /// File `number`, which is less than the count.
    pub(super) fn file(&self, number: u32) -> Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&number) {
            return Ok(Arc::clone(file));
        }
        let path = self.path(number);
        let file = Arc::new(File::open(&path).map_err(|error| missing(error, &path))?);
        if open.len() >= OPEN {
            // Whoever reads the file holds it open; reading goes up, so the lowest is the least likely to be wanted.
            open.pop_first();
        }
        open.insert(number, Arc::clone(&file));
        Ok(file)
    }

    /// File `number`, for as long as it is wanted without being held open.
    pub(super) fn lasting(self: &Arc<Self>, number: u32) -> Result<Arc<dyn ReadAt>> {
        let len = self.file(number)?.len();
        Ok(Arc::new(Lasting { shards: Arc::clone(self), number, len }))
    }

    /// Whether any of the files is there.
    pub(super) fn any(&self) -> bool {
        (0..self.count()).take(OPEN).any(|number| self.path(number).exists())
    }
}

/// A file that is opened again when it was closed.
#[derive(Debug)]
struct Lasting {
    shards: Arc<Shards>,
    number: u32,
    len: u64,
}

impl ReadAt for Lasting {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.shards.file(self.number)?.read_at(offset, out)
    }
}

/// Says of a file that is not there what it is.
fn missing(error: Error, path: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            ErrorKind::NotFound("this shard of the checkpoint is not there".into()).into()
        }
        _ => error,
    }
    .in_file(path)
}
