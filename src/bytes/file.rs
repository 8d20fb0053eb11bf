//! Positional reads. Files are never mapped, so a file that shrinks causes an error and no signal.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};

/// Bytes that many threads can read at any offset at once.
pub trait ReadAt: fmt::Debug + Send + Sync {
    /// The number of bytes.
    fn len(&self) -> u64;

    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// If fewer bytes are left than `out` has room for, or the system cannot read; the error has the file and the offset.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An open file, and its length when it was opened.
#[derive(Debug)]
pub struct File {
    file: std::fs::File,
    path: PathBuf,
    len: u64,
}

impl File {
    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// If the file is missing, not readable, or not a regular file (a pipe might never end).
    pub fn open(path: &Path) -> Result<Self> {
        let fail = |source| Error::io("open", source).in_file(path);
        let metadata = std::fs::metadata(path).map_err(fail)?;
        if !metadata.is_file() {
            let found = if metadata.is_dir() { "a directory" } else { "not a regular file" };
            return Err(ErrorKind::Unexpected {
                what: "path",
                found: found.into(),
                expected: "a file".into(),
            })
            .map_err(|kind| Error::from(kind).in_file(path));
        }
        Self::open_regular(path)
    }

    /// Opens a file that is known to be a regular one.
    pub(crate) fn open_regular(path: &Path) -> Result<Self> {
        let fail = |source| Error::io("open", source).in_file(path);
        let file = std::fs::File::open(path).map_err(fail)?;
        let len = file.metadata().map_err(fail)?.len();
        Ok(Self { file, path: path.to_path_buf(), len })
    }

    /// Reads the file from byte `offset` on, in order.
    pub(crate) fn reader(self: &Arc<Self>, offset: u64) -> Reader {
        Reader { file: Arc::clone(self), offset }
    }

    /// The same file under another name for errors.
    #[must_use]
    pub fn called(self, name: &Path) -> Self {
        Self { path: name.to_path_buf(), ..self }
    }

    /// The path that errors name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl ReadAt for File {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let left = self.len.saturating_sub(offset);
        if left < out.len() as u64 {
            return Err(Error::truncated("read", out.len() as u64, left)
                .in_file(&self.path)
                .at(offset));
        }
        read_exact_at(&self.file, out, offset).map_err(|source| {
            let error = if source.kind() == io::ErrorKind::UnexpectedEof {
                let now = self.file.metadata().map_or(0, |m| m.len());
                let expected = format!("{} bytes, as when it was opened", self.len);
                Error::unexpected("length of the file", format!("{now} bytes"), expected)
            } else {
                Error::io("read", source)
            };
            error.in_file(&self.path).at(offset)
        })
    }
}

/// Reads a file in order.
#[derive(Debug)]
pub(crate) struct Reader {
    file: Arc<File>,
    offset: u64,
}

impl io::Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file.file, out, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &std::fs::File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, offset)
}

#[cfg(windows)]
fn read_at(file: &std::fs::File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, offset)
}

fn read_exact_at(file: &std::fs::File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match read_at(file, out, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                out = out.get_mut(read..).unwrap_or_default();
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Bytes in memory.
#[derive(Clone)]
pub struct Memory(pub Arc<[u8]>);

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.0.len())
    }
}

impl ReadAt for Memory {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.0.get(start..)?.get(..out.len()))
            .ok_or_else(|| {
                let left = self.len().saturating_sub(offset);
                Error::truncated("read", out.len() as u64, left).at(offset)
            })?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}
