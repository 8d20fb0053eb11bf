//! Reads input of unknown length into memory.

use std::io::Read;

use crate::error::{Error, Result};

/// Appends all of `input`, which may never end, to `start`; at most `most` bytes in total.
///
/// # Errors
/// If there is more, or the input cannot be read.
pub fn read_to_end(start: Vec<u8>, input: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = start;
    let left = most.saturating_sub(bytes.len() as u64);
    let read = input.take(left.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Error::io("read", error))?;
    if bytes.len() as u64 > most {
        let found = format!("more than {most} bytes");
        return Err(Error::unexpected("length", found, format!("at most {most}")));
    }
    Ok(bytes)
}
