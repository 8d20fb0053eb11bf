//! Names that are not taken yet, found as TensorFlow finds them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::TakenNames;
use crate::graph::Graph;

/// The names in use, without regard to case, and how often each was asked for.
pub(super) struct Names {
    taken: BTreeMap<String, u64>,
}

impl Names {
    /// The names of a graph that begin with `base`: no others are asked for.
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
                // From the innermost out, up to one that is known, as then all around it are.
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

    /// `name`, or that with a number behind it, taken from now on.
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
