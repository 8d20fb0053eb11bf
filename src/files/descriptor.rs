//! Paths that stand for open files.

use std::path::{Path, PathBuf};

/// The open file that a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenFile {
    /// The open file of this program with this number: 1 for standard output, 2 for standard error.
    Own(u32),
    /// An open file of another program.
    Other,
}

impl OpenFile {
    /// The open file that `path` leads to, as `/dev/stdout` and `/dev/fd/3` do; `None` for other paths.
    ///
    /// Only the link in `/proc` can be replaced by renaming, not the file; so such a path must be written to directly.
    pub fn at(path: &Path) -> Option<Self> {
        /// The number of links that operating systems follow.
        const LINKS: usize = 40;
        let own = Path::new("/dev/fd").canonicalize().ok()?;
        let mut path = path.to_path_buf();
        for _ in 0..LINKS {
            let directory = super::directory_of(&path).canonicalize().ok()?;
            let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
            match number {
                Some(number) if directory == own => return Some(Self::Own(number)),
                Some(_) if is_of_process(&directory) => return Some(Self::Other),
                _ => {}
            }
            let next: PathBuf = path.read_link().ok()?;
            path = directory.join(next);
        }
        None
    }
}

/// Whether a directory has the open files of a process, as `/proc/1/fd` has.
fn is_of_process(directory: &Path) -> bool {
    directory.starts_with("/proc") && directory.file_name().is_some_and(|name| name == "fd")
}
