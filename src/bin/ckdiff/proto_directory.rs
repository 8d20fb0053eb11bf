//! A directory with `.proto` files, as `-I` names it.

use std::fmt;
use std::path::{Path, PathBuf};

use ckdiff::bytes;
use ckdiff::{Error, ErrorKind};
use protox::file::{File, FileResolver, IncludeFileResolver};

use crate::proto_check::{check_names, check_nesting};

/// The maximum size of a `.proto` file, in bytes. Files written by hand are smaller than a megabyte.
const MAX_BYTES: u64 = 64 << 20;

/// Finds the regular files in a directory, by the names of imports.
pub(crate) struct ProtoDirectory {
    path: PathBuf,
    files: IncludeFileResolver,
}

impl ProtoDirectory {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), files: IncludeFileResolver::new(path.to_path_buf()) }
    }

    /// The source of the file with this name.
    ///
    /// # Errors
    /// If it is not a regular file in the directory, cannot be read, or is not UTF-8.
    pub(crate) fn source(&self, name: &str) -> Result<String, Error> {
        let path = self.path.join(name);
        let source = bytes::File::open(&path)?.read(MAX_BYTES)?;
        String::from_utf8(source)
            .map_err(|error| Error::malformed("schema", "UTF-8", error.utf8_error()).in_file(&path))
    }
}

impl FileResolver for ProtoDirectory {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        self.files.resolve_path(path)
    }

    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match self.source(name) {
            Ok(source) => checked(name, &source),
            Err(error) => match error.kind() {
                ErrorKind::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                    Err(protox::Error::file_not_found(name))
                }
                _ => Err(protox::Error::new(Refused(error))),
            },
        }
    }
}

/// Parses a file that compiles in bounded time and depth.
fn checked(name: &str, source: &str) -> Result<File, protox::Error> {
    let refused = |why: String| protox::Error::new(Refused(Error::syntax(why)));
    check_nesting(name, source).map_err(refused)?;
    let file = File::from_source(name, source)?;
    check_names(file.file_descriptor_proto()).map_err(|why| refused(format!("{name}: {why}")))?;
    Ok(file)
}

/// Why a file was not opened. The debug form is the message, as for the other errors of the compiler.
struct Refused(Error);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Refused {}
