//! Finds unused names in a graph as TensorFlow does.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::names::ImportScope;
use crate::message::{fields, string};
use crate::schema::field::{graph_def, node_def};

/// The names of the nodes and scopes of a graph.
#[derive(Debug, Default)]
pub(super) struct UsedNames<'a> {
    /// The names of nodes, sorted.
    names: Vec<&'a str>,
    /// The same in lower case: no two scopes may differ only by case.
    lower: Vec<Cow<'a, str>>,
}

impl<'a> UsedNames<'a> {
    /// The names in `graph`, a `GraphDef`.
    pub(super) fn of(graph: &'a [u8]) -> Self {
        let nodes = fields(graph, graph_def::NODE);
        let mut names: Vec<_> = nodes.map(|node| string(node, node_def::NAME)).collect();
        names.sort_unstable();
        let is_lower = |name: &str| !name.bytes().any(|b| b.is_ascii_uppercase() || !b.is_ascii());
        let lower = |name: &&'a str| match is_lower(name) {
            true => Cow::Borrowed(*name),
            false => Cow::Owned(name.to_lowercase()),
        };
        let mut lower: Vec<_> = names.iter().map(lower).collect();
        lower.sort_unstable();
        Self { names, lower }
    }

    /// The names of nodes, sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().copied()
    }

    /// Whether a node has this name.
    pub(super) fn has_node(&self, name: &str) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// Whether a node or a scope has this name.
    fn has(&self, name: &str) -> bool {
        has(&self.names, name)
    }

    /// The scope `wanted`, or if it is used, that with the first number that makes it unused.
    ///
    /// A scope with a `/` at its end is used as it is, even if it exists.
    pub(super) fn scope(&self, wanted: &str) -> String {
        if let Some(scope) = wanted.strip_suffix('/') {
            return scope.to_owned();
        }
        let is_taken = |name: &str| !name.is_empty() && has(&self.lower, &name.to_lowercase());
        if !is_taken(wanted) {
            return wanted.to_owned();
        }
        let numbered = (1u64..).map(|number| format!("{wanted}_{number}"));
        numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// The nodes of another graph whose names are used in `scope`, with their new names.
    pub(super) fn renamed<'n>(
        &self,
        scope: &str,
        other: &UsedNames<'n>,
    ) -> BTreeMap<&'n str, String> {
        let mut renamed = BTreeMap::new();
        if self.names.is_empty() {
            return renamed;
        }
        let placed = ImportScope { scope: scope.to_owned(), renamed: BTreeMap::new() };
        for name in &other.names {
            let below = placed.below(name);
            if !self.has(&below) {
                continue;
            }
            let is_free = |number: &u64| {
                !self.has(&format!("{below}_{number}")) && !other.has(&format!("{name}_{number}"))
            };
            if let Some(number) = (1..).find(is_free) {
                renamed.insert(*name, format!("{below}_{number}"));
            }
        }
        renamed
    }
}

/// Whether one of the sorted `names` is `name`, or in that scope.
fn has(names: &[impl AsRef<str>], name: &str) -> bool {
    let below = format!("{name}/");
    let at = |wanted: &str| names.get(names.partition_point(|name| name.as_ref() < wanted));
    at(name).is_some_and(|found| found.as_ref() == name)
        || at(&below).is_some_and(|found| found.as_ref().starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used<'a>(names: &[&'a str]) -> UsedNames<'a> {
        let mut names = names.to_vec();
        names.sort_unstable();
        let mut lower: Vec<_> = names.iter().map(|name| name.to_lowercase().into()).collect();
        lower.sort_unstable();
        UsedNames { names, lower }
    }

    #[test]
    fn a_scope_gets_the_first_free_number() {
        let taken = used(&["a/x", "A_1", "a_2/y/z", "a-b", "Tower/x"]);
        for (wanted, scope) in [
            ("a", "a_3"),
            ("a_2/y", "a_2/y_1"),
            ("a_2/y/z/w", "a_2/y/z/w"),
            ("a-", "a-"),
            ("tower", "tower_1"),
            ("a/", "a"),
            ("", ""),
            ("b", "b"),
        ] {
            assert_eq!(taken.scope(wanted), scope, "{wanted}");
        }
    }

    #[test]
    fn nodes_get_numbers_that_neither_graph_has() {
        let base = used(&["x", "x_1", "s/y", "z/deep"]);
        let other = used(&["x", "x_2", "y", "z"]);
        let renamed: Vec<_> = base.renamed("", &other).into_iter().collect();
        assert_eq!(renamed, [("x", "x_3".to_owned()), ("z", "z_1".to_owned())]);
        assert_eq!(base.renamed("s", &other).into_values().collect::<Vec<_>>(), ["s/y_1"]);
    }
}
