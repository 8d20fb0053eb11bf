//! The renames of checkpoint keys that follow from matched objects.

use std::collections::BTreeSet;

use super::lists::list_and_number;
use super::matching::ObjectMatching;
use crate::diff::matching::graph::Renames;
use crate::graph::object_graph::{Label, Route, escaped};

impl ObjectMatching<'_> {
    /// The renamed keys of checkpoints: the keys of renamed objects and of all objects below them.
    pub(in crate::diff::matching) fn keys(&self) -> Renames {
        let mut keys = Renames::default();
        for renamed in &self.renamed {
            let (l, r) = renamed.pair;
            keys.add(&self.lhs_path(l), &self.rhs_path(r));
            let (l, r) =
                (self.to_lhs(renamed.of).map(|l| self.lhs_path(l)), self.rhs_path(renamed.of));
            // A key may be made from any name of the object.
            keys.add(&below(&l.unwrap_or_default(), renamed.from), &below(&r, renamed.to));
        }
        self.add_removed(&mut keys);
        for &(l, r) in self.pairs.iter().filter(|_| !self.renamed.is_empty()) {
            // The key of a slot contains the paths of two objects.
            let is_slot = |route| matches!(route, Route::From(_, Label::Slot(..)));
            if is_slot(self.lhs_route(l)) && is_slot(self.rhs_route(r)) {
                let (from, to) = (self.lhs_path(l), self.rhs_path(r));
                if from != to {
                    keys.add(&from, &to);
                }
            }
        }
        keys
    }

    /// Sets the keys of items of lists apart that rhs lacks, where its list has another item of the same number.
    fn add_removed(&self, keys: &mut Renames) {
        for &(l, r) in &self.pairs {
            let removed = self
                .lhs
                .children(l)
                .filter(|(name, id)| list_and_number(name).is_some() && self.to_rhs(*id).is_none());
            let removed: Vec<_> = removed.map(|(name, _)| name).collect();
            if removed.is_empty() {
                continue;
            }
            let theirs: BTreeSet<_> = self.rhs.children(r).map(|(name, _)| name).collect();
            let list = self.lhs_path(l);
            for name in removed.into_iter().filter(|name| theirs.contains(name)) {
                let key = below(&list, name);
                keys.add(&key, &format!("{key}{REMOVED}"));
            }
        }
    }
}

/// The key of a child.
fn below(path: &str, name: &str) -> String {
    if path.is_empty() { escaped(name) } else { format!("{path}/{}", escaped(name)) }
}

/// What is appended to the key of a removed item. No name of an object starts with a dot.
const REMOVED: &str = "/.REMOVED";
