//! Positional reads. Files are never mapped, so a file that shrinks causes an error, not a signal.

use std::fmt;
use std::fs::{Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Bytes that many threads can read at any offset at once.
pub trait ReadAt: fmt::Debug + Send + Sync {
    /// The number of bytes.
    fn len(&self) -> u64;

    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// If fewer bytes are left than `out` has room for, or the system cannot read; the error has the file and the offset.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()>;

    /// Identifies the content: two files never have the same number. `None` for bytes in memory, which are read as fast as copied.
    fn number(&self) -> Option<u64> {
        None
    }

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The number of the file that is opened next.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// An open file, and its length when it was opened.
#[derive(Debug)]
pub struct File {
    file: std::fs::File,
    path: PathBuf,
    len: u64,
    number: u64,
}

impl File {
    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// If the file is missing, not readable, or not a regular file: a pipe may never be written to, and a device may never end.
    pub fn open(path: &Path) -> Result<Self> {
        let fail = |source| Error::io("open", source).in_file(path);
        // To open some devices has effects, so the kind comes first. Later the path may name another file, such as a pipe, which
        // blocks whoever opens it.
        check_regular(&std::fs::metadata(path).map_err(fail)?).map_err(|e| e.in_file(path))?;
        let file = without_blocking().read(true).open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        check_regular(&metadata).map_err(|error| error.in_file(path))?;
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Self { file, path: path.to_path_buf(), len: metadata.len(), number })
    }

    /// Reads the file from byte `offset` to its length when it was opened, in order. Some files of `/proc` never end.
    pub fn reader(self: &Arc<Self>, offset: u64) -> impl io::Read + Send + use<> {
        let reader = Reader { file: Arc::clone(self), offset };
        io::Read::take(reader, self.len.saturating_sub(offset))
    }

    /// Asks the system to read the first `most` bytes of the file ahead of time. Several threads that read a file at once look
    /// like random access to the system, which then does not.
    pub(crate) fn read_ahead(&self, most: u64) {
        #[cfg(target_os = "linux")]
        if let Some(len) = std::num::NonZeroU64::new(self.len.min(most)) {
            // If it refuses, the file is read when it is needed.
            let _ = rustix::fs::fadvise(&self.file, 0, Some(len), rustix::fs::Advice::WillNeed);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = most;
    }

    /// Reads all of the file.
    ///
    /// # Errors
    /// If it is longer than `most` bytes, or cannot be read.
    pub fn read(&self, most: u64) -> Result<Vec<u8>> {
        let len = usize::try_from(self.len).ok().filter(|_| self.len <= most);
        let Some(len) = len else {
            let (found, expected) = (format!("{} bytes", self.len), format!("at most {most}"));
            return Err(Error::unexpected("length", found, expected).in_file(&self.path));
        };
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(len);
        reserved.map_err(|_| {
            Error::io("read", io::ErrorKind::OutOfMemory.into()).in_file(&self.path)
        })?;
        bytes.resize(len, 0);
        self.read_at(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes the content to disk, if it is still in memory.
    ///
    /// # Errors
    /// If the system cannot.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(|source| Error::io("sync", source).in_file(&self.path))
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

    fn number(&self) -> Option<u64> {
        Some(self.number)
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

/// Checks that a file is a regular one.
///
/// # Errors
/// If it is not; the error names its kind.
pub(crate) fn check_regular(metadata: &Metadata) -> Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(Error::unexpected("path", kind_of(metadata), "a regular file"))
}

/// The kind of a file, as a noun.
fn kind_of(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if kind.is_dir() { "a directory" } else { "a file of another kind" }
}

/// Options that open a pipe at once, even if no other program has opened it.
fn without_blocking() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flag = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(flag.cast_signed());
    }
    options
}

/// Reads a file in order.
#[derive(Debug)]
struct Reader {
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
