//! A directory with `.proto` files, as `-I` names it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::bytes;
use crate::error::{Error, ErrorKind};
use protox::file::{File, FileResolver, IncludeFileResolver};
use protox::prost_reflect::prost_types::FileDescriptorProto;

use crate::command::proto_check::Budget;

/// The maximum size of a `.proto` file, in bytes. Files written by hand are smaller than a megabyte.
const MAX_BYTES: u64 = 8 << 20;

/// Finds the regular files in a directory, by the names of imports.
pub(crate) struct ProtoDirectory {
    path: PathBuf,
    files: IncludeFileResolver,
    budget: Budget,
    positions: Positions,
}

/// Whether the compiler knows the positions of definitions. It searches all of them for each error, and reports no more than the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Positions {
    Known,
    Unknown,
}

impl ProtoDirectory {
    pub(crate) fn new(path: &Path, budget: &Budget, positions: Positions) -> Self {
        let files = IncludeFileResolver::new(path.to_path_buf());
        Self { path: path.to_path_buf(), files, budget: budget.clone(), positions }
    }

    /// Parses a file that compiles in bounded time, memory and depth.
    fn parse(&self, name: &str, source: &str) -> Result<File, protox::Error> {
        let refused = |why: String| protox::Error::new(Refused(Error::syntax(why)));
        self.budget.check_source(name, source).map_err(refused)?;
        let file = File::from_source(name, source)?;
        self.budget.check_names(file.file_descriptor_proto()).map_err(refused)?;
        if self.positions == Positions::Known {
            return Ok(file);
        }
        let mut file = FileDescriptorProto::from(file);
        file.source_code_info = None;
        Ok(File::from_file_descriptor_proto(file))
    }
}

/// The source of the file with this name in a directory.
///
/// # Errors
/// If it is not a regular file in the directory, cannot be read, or is not UTF-8.
pub(crate) fn source(directory: &Path, name: &str) -> Result<String, Error> {
    let path = directory.join(name);
    let source = bytes::File::open(&path)?.read(MAX_BYTES)?;
    String::from_utf8(source)
        .map_err(|error| Error::malformed("schema", "UTF-8", error.utf8_error()).in_file(&path))
}

impl FileResolver for ProtoDirectory {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        self.files.resolve_path(path)
    }

    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match source(&self.path, name) {
            Ok(source) => self.parse(name, &source),
            Err(error) => match error.kind() {
                ErrorKind::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                    Err(protox::Error::file_not_found(name))
                }
                _ => Err(protox::Error::new(Refused(error))),
            },
        }
    }
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
