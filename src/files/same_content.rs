//! Compares the content of two files.

use std::fs::File;
use std::io::{ErrorKind, Read};
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
    let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let read =
            fill(&mut a, &mut left).map_err(|error| Error::io("read", error).in_file(lhs))?;
        let other =
            fill(&mut b, &mut right).map_err(|error| Error::io("read", error).in_file(rhs))?;
        if left.get(..read) != right.get(..other) {
            return Ok(false);
        }
        if read == 0 {
            return Ok(true);
        }
    }
}

/// Reads until `out` is full or the file ends.
fn fill(file: &mut impl Read, out: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = out.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
