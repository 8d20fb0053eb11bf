//! Suggestions for keys that a checkpoint does not have.

use crate::suggestion::Search;
use crate::tensor::Name;

/// The names that may be suggested.
pub(crate) struct Suggestions<'c> {
    names: Vec<&'c Name>,
    search: Search,
}

impl<'c> Suggestions<'c> {
    pub(crate) fn new(names: Vec<&'c Name>) -> Self {
        Self { names, search: Search::default() }
    }

    /// The name that is closest to `key`; `None` if there is none, or the steps are used up.
    pub(crate) fn to(&mut self, key: &str) -> Option<Name> {
        let names = self.names.iter().map(|name| name.as_bytes());
        self.search.closest(key.as_bytes(), names).map(Name::from)
    }
}
