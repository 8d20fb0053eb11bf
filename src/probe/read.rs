//! The open file of a path, and its first and last bytes.

use std::sync::Arc;

use super::Probe;
use super::entry::DirectoryEntry;
use crate::bytes::{File, ReadAt};
use crate::error::Result;
use crate::table;

/// The number of first bytes.
pub(crate) const HEAD: usize = 64 << 10;

/// The number of last bytes.
pub(super) const TAIL: usize = 64;

impl Probe {
    /// The open file; `None` if it is not a regular file, or cannot be opened.
    pub(crate) fn file(&self) -> Option<&Arc<File>> {
        match self.entry() {
            DirectoryEntry::File => self.opened().as_ref().ok(),
            _ => None,
        }
    }

    /// The open file.
    ///
    /// # Errors
    /// If it is not a regular file, or cannot be opened.
    pub(crate) fn open(&self) -> Result<Arc<File>> {
        self.opened().clone()
    }

    /// The first 64 KiB, or all of a shorter file; empty if there is no readable file.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.get_or_init(|| self.bytes(|_| 0, HEAD))
    }

    /// The last 64 bytes, or all of a shorter file; empty if there is no readable file.
    pub(crate) fn tail(&self) -> &[u8] {
        self.tail.get_or_init(|| self.bytes(|len| len.saturating_sub(TAIL as u64), TAIL))
    }

    /// Whether the file ends with the footer of a table.
    pub(crate) fn is_table(&self) -> bool {
        table::is_end_of_table(self.tail())
    }

    /// The content, if the file ends with the footer of a table.
    pub(crate) fn table(&self) -> Option<Arc<dyn ReadAt>> {
        if !self.is_table() {
            return None;
        }
        match &self.stream_table {
            Some(table) => Some(Arc::new(table.clone())),
            None => Some(Arc::clone(self.file()?) as Arc<dyn ReadAt>),
        }
    }

    fn bytes(&self, from: impl FnOnce(u64) -> u64, most: usize) -> Vec<u8> {
        let Some(file) = self.file() else { return Vec::new() };
        let offset = from(file.len());
        let len = usize::try_from(file.len() - offset).unwrap_or(most).min(most);
        let mut bytes = vec![0; len];
        // Reading the file again reports the error.
        file.read_at(offset, &mut bytes).map_or_else(|_| Vec::new(), |()| bytes)
    }

    fn opened(&self) -> &Result<Arc<File>> {
        self.file.get_or_init(|| match File::open(&self.location) {
            Ok(file) => Ok(Arc::new(file.called(&self.path))),
            Err(error) => Err(error.of_file(&self.path)),
        })
    }
}
