//! A file as git hands it to a driver: without its siblings, and under a temporary name.
//!
//! Such a file is read as one file, whatever lies next to it (`Sniffed::of_file`): the index of an old commit must not be
//! combined with the data of the working tree.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use crate::artifact::{Artifact, FileKind, Sniffed, Unsupported};
use crate::bytes::{File, ReadAt, hex};
use crate::error::Error;
use crate::report::human::printable;
use sha2::{Digest, Sha256};

use crate::command::lfs_pointer::{self, Pointer};

/// The content of a file in a repository.
#[derive(Debug)]
pub(crate) enum GitFile {
    /// An artifact that can be compared.
    Artifact(Box<Artifact<'static>>),
    /// A Git LFS pointer, whose file is elsewhere.
    Pointer(Pointer),
    /// A data file of a checkpoint, which cannot be read without the index.
    Shard(ContentDigest),
    /// A text without tensors: the index of safetensors files.
    Text(ContentDigest),
    /// A file that cannot be read, and the error.
    Unreadable(Error, ContentDigest),
}

/// The size and digest of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentDigest {
    pub(crate) bytes: u64,
    /// The SHA-256 in hexadecimal.
    pub(crate) sha256: String,
}

impl GitFile {
    /// Reads the file at `path`, which the repository calls `name`.
    ///
    /// # Errors
    /// If the file cannot be opened. Content that cannot be read is not an error.
    pub(crate) fn read(path: &Path, name: &Path) -> Result<Self, Error> {
        let named = |error: Error| error.without_file().in_file(name);
        let found = Sniffed::of_file(path, name);
        match found.kind() {
            FileKind::Unsupported(Unsupported::LfsPointer) => {
                if let Some(pointer) = pointer(path).map_err(named)? {
                    return Ok(Self::Pointer(pointer));
                }
            }
            FileKind::ShardFile(_) => {
                return ContentDigest::read(path).map(Self::Shard).map_err(named);
            }
            FileKind::TextIndex(_) => {
                return ContentDigest::read(path).map(Self::Text).map_err(named);
            }
            FileKind::Unreadable(error) => return Err(error.clone()),
            _ => {}
        }
        match Artifact::of(found) {
            Ok(artifact) => Ok(Self::Artifact(Box::new(artifact))),
            Err(error) => Ok(Self::Unreadable(error, ContentDigest::read(path).map_err(named)?)),
        }
    }
}

impl ContentDigest {
    fn read(path: &Path) -> Result<Self, Error> {
        let mut sha256 = Sha256::new();
        let file = Arc::new(File::open(path)?);
        let mut content = BufReader::with_capacity(64 << 10, file.reader(0));
        let fail = |error| Error::io("read", error).in_file(path);
        loop {
            let chunk = content.fill_buf().map_err(fail)?.len();
            if chunk == 0 {
                break;
            }
            sha256.update(content.buffer());
            content.consume(chunk);
        }
        let bytes = file.len();
        Ok(Self { bytes, sha256: hex(sha256.finalize()) })
    }
}

/// The message of `error` without the name of the file, which the reader knows.
pub(crate) fn without_name(error: &Error, name: &Path) -> String {
    let is_known = error.file() == Some(name);
    let error = if is_known { error.clone().without_file() } else { error.clone() };
    printable(&error.to_string().lines().map(str::trim).collect::<Vec<_>>().join(" "))
}

fn pointer(path: &Path) -> Result<Option<Pointer>, Error> {
    let file = File::open(path)?;
    if file.len() > lfs_pointer::MAX_BYTES {
        return Ok(None);
    }
    Ok(Pointer::parse(&file.read(lfs_pointer::MAX_BYTES)?))
}
