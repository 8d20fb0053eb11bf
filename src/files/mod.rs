//! Files that appear in full or not at all.
//!
//! A [`NewFile`] has a temporary name until it is complete, and is removed if it never is; so has a [`NewDirectory`]. [`replace`](fn@replace)
//! writes one file. A [`Publication`] moves several files to their targets, the one that makes the others valid last.

mod attributes;
mod descriptor;
mod directory_lock;
mod mark;
mod new_directory;
mod new_file;
mod publication;
mod replace;
mod same_content;
mod unfinished;

use std::path::{Path, PathBuf};

pub use descriptor::OpenFile;
pub(crate) use directory_lock::DirectoryLock;
pub use new_directory::NewDirectory;
pub use new_file::{CompleteFile, NewFile};
pub use publication::{IfExists, Publication};
pub use replace::{Replacement, check_writable, replace};
pub use same_content::have_same_content;
pub use unfinished::abandon;

use crate::error::{Error, Remedy};

/// The directory of a file.
pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The names in UTF-8 of the files in a directory, in the order of the system, at most 10,000; none if it cannot be listed.
pub(crate) fn names_in(directory: &Path) -> impl Iterator<Item = String> + use<> {
    const MAX: usize = 10_000;
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(MAX);
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

/// The paths of all entries of a directory, sorted.
///
/// # Errors
/// If it cannot be listed, or has more than a million entries.
pub(crate) fn entries_of(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    const MAX: usize = 1_000_000;
    let fail = |error| Error::io("list", error).in_file(directory);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(fail)? {
        if paths.len() == MAX {
            let expected = format!("at most {MAX} entries");
            return Err(Error::unexpected("directory", "more", expected).in_file(directory));
        }
        paths.push(entry.map_err(fail)?.path());
    }
    paths.sort_unstable();
    Ok(paths)
}

/// A canonical form of `path`, the same for `./a` and `a`. The file may be missing; its directory must exist.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    match (directory_of(path).canonicalize(), path.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => path.to_path_buf(),
    }
}

/// Whether two paths name the same file, which need not exist.
pub(crate) fn is_same_path(a: &Path, b: &Path) -> bool {
    a.file_name().is_some() && a.file_name() == b.file_name() && is_same_directory(a, b)
}

/// Whether two paths are in the same directory.
pub(crate) fn is_same_directory(a: &Path, b: &Path) -> bool {
    let directory = |path: &Path| directory_of(path).canonicalize().ok();
    directory(a).is_some_and(|a| Some(a) == directory(b))
}

/// Makes new names in `directory` survive a crash.
pub(crate) fn sync_directory(directory: &Path) {
    // Some directories are writable and not readable, and some systems sync no directory: the files are published all the same.
    let _ = std::fs::File::open(directory).and_then(|directory| directory.sync_all());
}

/// The error for a file that cannot be written.
pub fn cannot_write(error: std::io::Error) -> Error {
    Error::io("write", error)
}

/// The error for a target that exists and may not be replaced.
pub(crate) fn already_exists(target: &Path) -> Error {
    Error::usage("it already exists").avoided_by(Remedy::Overwrite).in_file(target)
}

/// The system's error, without the temporary name.
fn unnamed(error: &std::io::Error) -> std::io::Error {
    error.raw_os_error().map_or(error.kind().into(), std::io::Error::from_raw_os_error)
}

/// Removes a file, or a directory with all that it contains, if the system allows.
fn remove(path: &Path) {
    let is_directory = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let _ = if is_directory { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
