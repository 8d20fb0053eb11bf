//! Names that are much like others.

use crate::bytes::near;
use crate::tensor::Name;

/// Names of which one may be what was meant.
pub(crate) struct Near<'c> {
    names: Vec<&'c Name>,
    search: near::Search,
}

impl<'c> Near<'c> {
    pub(crate) fn new(names: Vec<&'c Name>) -> Self {
        Self { names, search: near::Search::default() }
    }

    /// The name most like `key`, where there is time to look for it.
    pub(crate) fn to(&mut self, key: &str) -> Option<Name> {
        let names = self.names.iter().map(|name| name.as_bytes());
        self.search.nearest(key.as_bytes(), names).map(Name::from)
    }
}
