//! Files that are there in full or not at all.
//!
//! A [`NewFile`] has another name until it is complete, and is gone if it never is; so has a [`NewFolder`]. [`replace`] writes one
//! file; a [`Publication`] moves several into place, so that the last of them makes the others count.

mod new_file;
mod new_folder;
mod publication;
mod replace;
mod same_content;
mod unfinished;

use std::path::Path;

pub use new_file::{Complete, NewFile};
pub use new_folder::NewFolder;
pub(crate) use publication::occupied;
pub use publication::{Existing, Publication};
pub use replace::replace;
pub(crate) use same_content::have_same_content;
pub use unfinished::abandon;

use crate::error::Error;

/// The folder that a file is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether two paths name one place, taken or not.
pub(crate) fn is_same_path(a: &Path, b: &Path) -> bool {
    a.file_name().is_some() && a.file_name() == b.file_name() && is_same_folder(a, b)
}

/// Whether two paths name places in one folder.
pub(crate) fn is_same_folder(a: &Path, b: &Path) -> bool {
    let folder = |path: &Path| folder(path).canonicalize().ok();
    folder(a).is_some_and(|a| Some(a) == folder(b))
}

/// Makes new names in `folder` last through a crash.
pub(crate) fn sync_folder(folder: &Path) {
    // Some folders may be written and not read, and some systems sync none: the files are in their places all the same.
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
}

/// Why nothing can be written.
pub fn cannot_write(error: std::io::Error) -> Error {
    Error::io("write", error)
}

/// The system's error, without the name that something new would have had.
fn unnamed(error: &std::io::Error) -> std::io::Error {
    error.raw_os_error().map_or(error.kind().into(), std::io::Error::from_raw_os_error)
}

/// The names of what is not complete.
fn new_names() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ckdiff-").suffix(".tmp");
    builder
}
