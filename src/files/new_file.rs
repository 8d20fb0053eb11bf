//! A file with a temporary name until it is complete.

use std::fs::{self, Metadata};
use std::io::{self, BufWriter, ErrorKind as IoErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::{NamedTempFile, TempPath};

use super::attributes::{adopt, would_be_kept};
use super::unfinished::{self, Registered};
use super::{already_exists, cannot_write, directory_of, unnamed};
use crate::bytes::File;
use crate::error::{Error, Result};

/// Bytes that are written at once.
const BUFFER: usize = 64 << 10;

/// The permissions of a new file.
const FILE_MODE: u32 = 0o666;

/// A new file in the directory of its target. It is removed if it is dropped, or the program [abandons](super::abandon) it.
#[derive(Debug)]
pub struct NewFile {
    // Dropped before its registration, so that a signal in between removes it too.
    out: BufWriter<Unnamed>,
    registered: Registered,
    target: PathBuf,
}

impl NewFile {
    /// Creates a file that will be published at `target`. If it will replace a file, it gets the owner, the group and the permissions of
    /// that file, as far as the system allows.
    ///
    /// # Errors
    /// If the directory is missing or not writable.
    pub fn create(target: &Path) -> Result<Self> {
        let directory = directory_of(target);
        let made = unfinished::register_file(directory, FILE_MODE, |names| {
            names.builder().tempfile_in(directory)
        });
        let (file, registered) = made.map_err(|error| match error.kind() {
            IoErrorKind::NotFound if !directory.is_dir() => {
                let kind = format!("there is no directory {}", directory.display());
                Error::not_found(kind).in_file(target)
            }
            // Such as for a file that a program has closed: `/proc/1/fd/9`.
            IoErrorKind::NotFound => {
                let kind = "there is no such file, and none can be created";
                Error::not_found(kind).in_file(target)
            }
            _ => cannot_write(unnamed(&error)).in_file(target),
        })?;
        if let Ok(old) = fs::metadata(target)
            && old.is_file()
        {
            let adopted = adopt(file.as_file(), &old);
            adopted.map_err(|error| cannot_write(error).in_file(target))?;
        }
        let out = BufWriter::with_capacity(BUFFER, Unnamed(file));
        Ok(Self { out, registered, target: target.to_path_buf() })
    }

    /// The path at which the file will be published.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes everything to disk, still under the temporary name.
    ///
    /// # Errors
    /// If the system cannot write the file; then it is removed.
    pub fn complete(self) -> Result<CompleteFile> {
        let Self { out, registered, target } = self;
        let fail = |error| cannot_write(error).in_file(&target);
        let Unnamed(file) = out.into_inner().map_err(|error| fail(error.into_error()))?;
        file.as_file().sync_all().map_err(fail)?;
        // Closes the file: a publication may have thousands.
        Ok(CompleteFile { file: file.into_temp_path(), registered, target })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The open file; its errors do not contain the temporary name.
#[derive(Debug)]
struct Unnamed(NamedTempFile);

impl Write for Unnamed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_file_mut().flush()
    }
}

/// A file that is complete on disk, still under its temporary name.
#[derive(Debug)]
pub struct CompleteFile {
    file: TempPath,
    registered: Registered,
    target: PathBuf,
}

impl CompleteFile {
    /// A hard link to `source` that will be published at `target`; a copy if the system has no hard links.
    ///
    /// # Errors
    /// If the file can neither be linked nor copied.
    pub fn link(source: &Path, target: &Path) -> Result<Self> {
        // A hard link to a relative symbolic link would point elsewhere from another directory.
        let real = source.canonicalize();
        let source = &real.map_err(|error| Error::io("open", error).in_file(source))?;
        File::open(source)?.sync()?;
        let directory = directory_of(target);
        let linked = unfinished::register_file(directory, FILE_MODE, |names| {
            names.builder().make_in(directory, |new| fs::hard_link(source, new))
        });
        let Ok((file, registered)) = linked else { return Self::copy(source, target) };
        Ok(Self { file: file.into_temp_path(), registered, target: target.to_path_buf() })
    }

    /// A file with the content of `source` that will be published at `target`: a link, unless the target would lose its owner or its
    /// permissions by it, or get set-id bits.
    ///
    /// # Errors
    /// As [`link`](Self::link).
    pub fn share(source: &Path, target: &Path) -> Result<Self> {
        let found =
            fs::metadata(source).map_err(|error| Error::io("open", error).in_file(source))?;
        let old = fs::metadata(target).ok().filter(Metadata::is_file);
        if would_be_kept(&found, old.as_ref()) {
            Self::link(source, target)
        } else {
            Self::copy(source, target)
        }
    }

    /// A copy of `source` that will be published at `target`.
    ///
    /// # Errors
    /// If the file cannot be read, or the copy not be written.
    pub fn copy(source: &Path, target: &Path) -> Result<Self> {
        let fail = |error| Error::io("read", error).in_file(source);
        let mut from = Arc::new(File::open(source)?).reader(0);
        let mut copy = NewFile::create(target)?;
        let mut buffer = vec![0; BUFFER];
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => return copy.complete(),
                Err(error) if error.kind() == IoErrorKind::Interrupted => continue,
                read => read.map_err(fail)?,
            };
            let bytes = buffer.get(..read).unwrap_or_default();
            copy.write_all(bytes).map_err(|error| cannot_write(error).in_file(target))?;
        }
    }

    /// The path at which the file will be published.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Moves the file to its target; if `fresh`, only if nothing is there. The caller holds the lock of the unfinished files, and
    /// drops the registration after releasing it.
    pub(super) fn persist(self, fresh: bool) -> (Registered, Result<()>) {
        let Self { file, registered, target } = self;
        let name = file.to_path_buf();
        let persisted = if fresh { file.persist_noclobber(&target) } else { file.persist(&target) };
        let done = persisted.map_err(|error| match error.error.kind() {
            IoErrorKind::AlreadyExists => already_exists(&target),
            _ => cannot_write(error.error).in_file(&target),
        });
        // Renaming a hard link to another one of the same file leaves both.
        if done.is_ok() && name.symlink_metadata().is_ok() {
            let _ = fs::remove_file(name);
        }
        (registered, done)
    }
}
