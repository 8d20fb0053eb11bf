//! The entries of slices in an index.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::tensor::{Name, Slice};

use super::entry::BundleEntry;

/// A name with its index entry, or the error of the entry.
pub(super) type NamedEntry = (Name, Result<BundleEntry>);

/// The entries whose keys start with NUL, sorted by key: slices, and tensors with such names.
pub(super) struct Slices {
    entries: Vec<NamedEntry>,
    claimed: BTreeSet<usize>,
}

impl Slices {
    pub(super) fn new(entries: Vec<NamedEntry>) -> Self {
        Self { entries, claimed: BTreeSet::new() }
    }

    /// Removes the entries that list slices themselves: tensors whose names start with NUL.
    pub(super) fn take_parents(&mut self) -> Vec<NamedEntry> {
        let is_parent = |(_, read): &NamedEntry| read.as_ref().is_ok_and(|e| !e.slices.is_empty());
        let parents: Vec<usize> = (0..self.entries.len())
            .filter(|i| self.entries.get(*i).is_some_and(is_parent))
            .collect();
        self.claimed.extend(&parents);
        parents.iter().filter_map(|&i| self.entries.get(i).cloned()).collect()
    }

    /// The entries of slices that no tensor lists.
    pub(super) fn unclaimed(&self) -> Vec<NamedEntry> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(i, _)| !self.claimed.contains(i)).map(|(_, read)| read.clone()).collect()
    }

    pub(super) fn take(&mut self, key: &[u8], slice: &Slice) -> Result<BundleEntry> {
        let place = self.entries.binary_search_by(|(name, _)| name.as_bytes().cmp(key));
        let found = place.ok().and_then(|i| Some((i, self.entries.get(i)?)));
        let Some((i, (_, read))) = found else {
            return Err(Error::not_found(format!("slice {slice} is not in the index")));
        };
        if !self.claimed.insert(i) {
            let expected = "distinct slices";
            return Err(Error::unexpected("slices", format!("{slice} twice"), expected));
        }
        let entry = read.as_ref().map_err(Error::clone)?;
        Ok(entry.clone())
    }
}
