//! Compares the content of two files.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::bytes::{File, ReadAt};
use crate::error::{Error, Result};

/// Bytes that are compared at once.
const CHUNK: usize = 64 << 10;

/// Whether two files have the same content. Files of different lengths are not read.
///
/// # Errors
/// If one of them cannot be read, or is not a regular file.
pub fn have_same_content(lhs: &Path, rhs: &Path) -> Result<bool> {
    let (a, b) = (Arc::new(File::open(lhs)?), Arc::new(File::open(rhs)?));
    if a.len() != b.len() {
        return Ok(false);
    }
    if are_links(lhs, rhs) {
        return Ok(true);
    }
    let (mut a, mut b) = (a.reader(0), b.reader(0));
    let (mut left, mut right) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
    loop {
        fill(&mut a, &mut left).map_err(|error| Error::io("read", error).in_file(lhs))?;
        fill(&mut b, &mut right).map_err(|error| Error::io("read", error).in_file(rhs))?;
        if left != right || left.is_empty() {
            return Ok(left == right);
        }
    }
}

/// Whether two paths are known to lead to one file.
#[cfg(unix)]
fn are_links(lhs: &Path, rhs: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| std::fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    id(lhs).is_some_and(|lhs| Some(lhs) == id(rhs))
}

/// Whether two paths are known to lead to one file: outside Unix, they never are.
#[cfg(not(unix))]
fn are_links(_: &Path, _: &Path) -> bool {
    false
}

/// Replaces `chunk` by the next bytes of the file; empty at its end.
fn fill(file: &mut impl Read, chunk: &mut Vec<u8>) -> std::io::Result<usize> {
    chunk.clear();
    file.take(CHUNK as u64).read_to_end(chunk)
}
