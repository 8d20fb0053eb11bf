//! Compares the content of two files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};

/// Bytes that are compared at once.
const CHUNK: usize = 64 << 10;

/// Whether two files have the same content. Files of different lengths are not read.
///
/// # Errors
/// If one of them cannot be read.
pub fn have_same_content(lhs: &Path, rhs: &Path) -> Result<bool> {
    let open = |path: &Path| {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        opened.map_err(|error| Error::io("open", error).in_file(path))
    };
    let ((bytes, mut a), (other, mut b)) = (open(lhs)?, open(rhs)?);
    if bytes != other {
        return Ok(false);
    }
    let (mut left, mut right) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
    loop {
        fill(&mut a, &mut left).map_err(|error| Error::io("read", error).in_file(lhs))?;
        fill(&mut b, &mut right).map_err(|error| Error::io("read", error).in_file(rhs))?;
        if left != right || left.is_empty() {
            return Ok(left == right);
        }
    }
}

/// Replaces `chunk` by the next bytes of the file; empty at its end.
fn fill(file: &mut File, chunk: &mut Vec<u8>) -> std::io::Result<usize> {
    chunk.clear();
    file.take(CHUNK as u64).read_to_end(chunk)
}
