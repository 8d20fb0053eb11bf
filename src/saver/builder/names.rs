//! Finds unused names in a scope as TensorFlow does.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::TakenNames;
use crate::graph::Graph;

/// The names in use in lower case, with the number of requests for each.
pub(super) struct UniqueNames {
    taken: BTreeMap<String, u64>,
}

impl UniqueNames {
    /// The names of a graph that begin with `base`, to which all requested names belong.
    pub(super) fn new(graph: &Graph<'_>, base: &str, which: TakenNames) -> Self {
        let base = base.to_lowercase();
        let mut taken = BTreeMap::new();
        for node in graph.nodes() {
            let name = node.name.to_lowercase();
            if !name.starts_with(&base) {
                continue;
            }
            if which == TakenNames::Scopes {
                let scopes = name.match_indices('/').filter_map(|(end, _)| name.get(..end));
                // From the inside out, up to a known scope, as all scopes around that are known too.
                for scope in scopes.rev().filter(|scope| scope.starts_with(&base)) {
                    if taken.insert(scope.to_owned(), 1).is_some() {
                        break;
                    }
                }
            }
            taken.insert(name, 1);
        }
        Self { taken }
    }

    /// Returns `name`, with a number appended if it is in use, and marks it as used.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        let count = self.taken.entry(key.clone()).or_insert(0);
        let mut number = *count;
        *count += 1;
        if number == 0 {
            return name.to_owned();
        }
        loop {
            if let Entry::Vacant(free) = self.taken.entry(format!("{key}_{number}")) {
                free.insert(1);
                return format!("{name}_{number}");
            }
            number += 1;
        }
    }
}
