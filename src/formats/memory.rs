//! Tensors in memory, as a checkpoint without files.

use std::path::PathBuf;

use super::{Contents, Entry, Format};
use crate::error::{Error, Result};

/// The format of checkpoints in memory. It is none of [`FORMATS`](super::FORMATS), since no path leads to one.
pub(crate) static MEMORY: Format = Format {
    name: "in memory",
    option: "memory",
    about: "Tensors in memory",
    checksum: None,
    version: None,
    role: |_| None,
    locate: |_| None,
    files: |_| Vec::new(),
    claimed: |_| Vec::new(),
    marker: |_| None,
    prefix: |_| None,
    open_name: |_| None,
    read: |_, path, _| Err(no_file().in_file(path)),
    read_file: |_, _| Err(no_file()),
    writer: None,
};

fn no_file() -> Error {
    Error::unsupported("a checkpoint in memory has no file to read")
}

impl Contents {
    /// The contents of a checkpoint in memory that reports call `path`.
    ///
    /// # Errors
    /// If two tensors have one name.
    pub(crate) fn in_memory(path: PathBuf, mut entries: Vec<Entry>) -> Result<Self> {
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let mut neighbors = entries.iter().zip(entries.iter().skip(1));
        if let Some((twice, _)) = neighbors.find(|(a, b)| a.name == b.name) {
            return Err(Error::usage("two tensors have this name").of_tensor(&twice.name));
        }
        Ok(Self {
            prefix: path,
            files: Vec::new(),
            entries,
            metadata: Vec::new(),
            damage: Vec::new(),
            has_data: true,
            scan: Box::new(Vec::new),
        })
    }
}
